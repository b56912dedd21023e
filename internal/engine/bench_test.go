package engine

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/internal/enginetest"
)

// recorded answers with the list a fake has now: it would spend longer on making the reply than the client on reading it.
func recorded(b *testing.B, fake *enginetest.Engine) enginetest.Interceptor {
	b.Helper()
	e := newEngine(b, fake.Host(), nil)
	transport, err := e.endpoint.transport()
	if err != nil {
		b.Fatal(err)
	}
	resp, err := (&http.Client{Transport: transport}).Get("http://docker/containers/json?all=1")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	return enginetest.Body(listPath, body)
}

func BenchmarkList(b *testing.B) {
	for _, n := range []int{0, 300, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			fake := startFake(b)
			putCertWriters(fake, n)
			fake.Intercept(recorded(b, fake))
			e := newEngine(b, fake.Host(), nil)
			mustList(b, e)
			b.ReportAllocs() // the fake's few included
			for b.Loop() {
				if got, err := listWithin(b.Context(), e); err != nil || len(got) != n {
					b.Fatalf("%d containers, %v", len(got), err)
				}
			}
		})
	}
}
