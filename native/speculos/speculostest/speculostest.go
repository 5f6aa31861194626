// Package speculostest serves an emulated Ledger to tests as Speculos is reached.
package speculostest

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/ledger/ledgertest"
)

// Serve serves a device as Speculos does until the test ends, and gives the address.
func Serve(t testing.TB, d *ledgertest.Device) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan struct{})
	t.Cleanup(func() {
		listener.Close()
		d.Unplug()
		<-ended
	})
	go func() {
		defer close(ended)
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			_ = d.ServeSpeculos(context.Background(), client) // ends with the client
			client.Close()
		}
	}()
	return listener.Addr().String()
}
