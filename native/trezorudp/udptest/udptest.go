// Package udptest serves an emulated Trezor to tests as Trezor's own emulators are reached.
package udptest

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/trezor/trezortest"
)

// Serve answers at a free port of this machine as Trezor's emulators do, until the test ends:
// to the sender of the last report.
func Serve(t *testing.T, d *trezortest.Device) (address string) {
	t.Helper()
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	host, err := trezortest.NewBus(d).Open(t.Context(), d.Info.ID)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	last, ended := make(chan net.Addr, 1), make(chan struct{}, 2)
	go func() {
		defer func() { ended <- struct{}{} }()
		datagram := make([]byte, 100)
		for {
			n, from, err := socket.ReadFrom(datagram)
			if err != nil {
				return
			}
			if string(datagram[:n]) == "PINGPING" {
				_, _ = socket.WriteTo([]byte("PONGPONG"), from) // who pinged may be gone
				continue
			}
			select {
			case <-last:
			default:
			}
			last <- from
			_ = host.Write(ctx, append([]byte(nil), datagram[:n]...)) // a device that is pulled out answers nothing
		}
	}()
	go func() {
		defer func() { ended <- struct{}{} }()
		for {
			report, err := host.Read(ctx)
			if err != nil {
				return
			}
			to := <-last
			_, _ = socket.WriteTo(report, to) // who asked may be gone
			select {
			case last <- to:
			default: // a request of another sender
			}
		}
	}()
	t.Cleanup(func() { cancel(); socket.Close(); <-ended; <-ended })
	return socket.LocalAddr().String()
}
