package fleet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net/http"
	"testing"

	"github.com/prometheus/common/model"
)

// writer sends samples to a Prometheus by its remote-write protocol, some megabytes at a time. The protocol is written out
// here because it is three small messages, and the product depends neither on the types of Prometheus nor on Snappy.
type writer struct {
	tb      testing.TB
	url     string
	request []byte
	samples int // sent so far
}

// series adds samples of one series. Their times must not lie an hour before what was sent so far: Prometheus takes no older ones.
func (w *writer) series(labels model.Metric, samples []model.SamplePair) {
	if len(samples) == 0 {
		return
	}
	var message []byte
	for _, name := range sortedNames(labels) { // the receiver wants them in order
		message = appendField(message, 1, appendField(appendField(nil, 1, []byte(name)), 2, []byte(labels[name])))
	}
	for _, s := range samples {
		sample := binary.LittleEndian.AppendUint64([]byte{1<<3 | 1}, math.Float64bits(float64(s.Value)))
		sample = binary.AppendUvarint(append(sample, 2<<3), uint64(s.Timestamp))
		message = appendField(message, 2, sample)
	}
	w.request = appendField(w.request, 1, message)
	w.samples += len(samples)
	if len(w.request) > 4<<20 {
		w.flush()
	}
}

// flush sends what has been added.
func (w *writer) flush() {
	w.tb.Helper()
	resp, err := http.Post(w.url, "application/x-protobuf", bytes.NewReader(literal(w.request)))
	if err != nil {
		w.tb.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		text, _ := io.ReadAll(resp.Body)
		w.tb.Fatal(fmt.Errorf("remote write: %s: %s", resp.Status, text))
	}
	w.request = w.request[:0]
}

// appendField appends a field of a protobuf message that is bytes, text or a message itself.
func appendField(message []byte, number byte, value []byte) []byte {
	message = append(message, number<<3|2)
	message = binary.AppendUvarint(message, uint64(len(value)))
	return append(message, value...)
}

// literal is a Snappy block that compresses nothing: literals of up to 64 KB.
func literal(data []byte) []byte {
	block := binary.AppendUvarint(nil, uint64(len(data)))
	for len(data) > 0 {
		n := min(len(data), 1<<16)
		block = append(block, 61<<2)
		block = binary.LittleEndian.AppendUint16(block, uint16(n-1))
		block = append(block, data[:n]...)
		data = data[n:]
	}
	return block
}
