package trezorudp

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
	"obverse/native/fetch"
	"obverse/native/trezorudp/udptest"
)

var path = key.Path{44 + key.Hardened, 60 + key.Hardened, key.Hardened, 0, 0}

func signText(ctx context.Context, client *trezor.Client, d *trezortest.Device) error {
	return client.Ethereum(ctx, "", func(e *trezor.Ethereum) error {
		_, err := e.SignText(ctx, path, d.PublicKey(path), "a text that takes more than one report, as long as a report is 64 bytes")
		return err
	})
}

func TestUDP(t *testing.T) {
	d := trezortest.New(t, "emulator")
	address := udptest.Serve(t, d)
	client := &trezor.Client{Port: trezor.Over(Bus{Address: address})}
	require.NoError(t, signText(t.Context(), client, d))
	require.NotEmpty(t, d.Screens())

	ctx, cancel := context.WithCancel(t.Context())
	d.Use(func(c context.Context, screen []string) bool { cancel(); return trezortest.Ignore(c, screen) })
	require.ErrorIs(t, signText(ctx, client, d), context.Canceled)
	d.Use(trezortest.Approve)
	require.NoError(t, signText(t.Context(), client, d), "the next one is not given what was left")
}

func TestAbsent(t *testing.T) {
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	b := Bus{Address: socket.LocalAddr().String()}
	_, err = b.Open(t.Context(), "")
	require.Equal(t, device.Failf(device.NotFound, "emulator at %s is not running: no answer", b.Address), err)
	require.NoError(t, socket.Close())
	all, err := b.List(t.Context(), vendor)
	require.NoError(t, err)
	require.Empty(t, all)
	_, err = b.Open(t.Context(), "")
	require.True(t, device.Is(err, device.NotFound), err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.Open(ctx, "")
	require.ErrorIs(t, err, context.Canceled)
}

// The node's HTTP client calls Bridge.
func TestBridge(t *testing.T) {
	d := trezortest.New(t, "1")
	f := fetch.New("test")
	defer f.Close()
	client := &trezor.Client{Port: &trezor.Bridge{Fetch: f, URL: serveBridge(t, d)}}
	require.NoError(t, signText(t.Context(), client, d))
}
