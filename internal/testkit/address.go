package testkit

import (
	"net"
	"testing"
)

// FreeAddress is an address nobody listens on just now, for a program that cannot tell which port it got.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
