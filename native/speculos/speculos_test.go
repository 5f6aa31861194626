package speculos

import (
	"context"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

func clientOf(s *server) *ledger.Client {
	return &ledger.Client{Port: Port{Address: "127.0.0.1:" + s.port}}
}

// The client sends commands over TCP, also one after the other.
func TestRequestsOverTCP(t *testing.T) {
	for _, app := range []string{"Cosmos", "Ethereum"} {
		t.Run(app, func(t *testing.T) {
			d := ledgertest.New(t, "emulator")
			d.OpenApp(app)
			d.Set(func(s *ledgertest.Settings) { s.BlindSigning = true })
			client := clientOf(serve(t, d))
			for _, r := range requestsTo(t, app) {
				if r.Make(t.Context(), t, client, d); r.Method == "sign" {
					require.NotEmpty(t, d.Screens())
				}
			}
		})
	}
}

// look queries the open app.
func look(ctx context.Context, client *ledger.Client) error {
	return client.Cosmos(ctx, "", func(*ledger.Cosmos) error { return nil })
}

func TestNoEmulator(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	err = look(t.Context(), &ledger.Client{Port: Port{Address: address}})
	require.True(t, device.Is(err, device.NotFound), err)
	require.ErrorContains(t, err, "emulator at "+address+" is not running: ")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, look(ended, &ledger.Client{Port: Port{Address: address}}), context.Canceled)
}

func TestEmulatorEndsMeanwhile(t *testing.T) {
	d := ledgertest.New(t, "emulator")
	d.OpenApp("Cosmos")
	client := clientOf(serve(t, d))
	d.Use(func(ctx context.Context, _ []string) bool {
		d.Unplug()
		<-ctx.Done()
		return true
	})
	r := requestsTo(t, "Cosmos")[2]
	require.True(t, r.Show)
	err := client.Cosmos(t.Context(), "", func(a *ledger.Cosmos) error {
		return a.Confirm(t.Context(), r.Path(t), r.Prefix, d.PublicKey(r.Path(t)))
	})
	require.True(t, device.Is(err, device.Unplugged), err)
}

// A canceled call does not wait for the user of the device.
func TestCallerGoes(t *testing.T) {
	d := ledgertest.New(t, "emulator")
	d.OpenApp("Cosmos")
	client := clientOf(serve(t, d))
	ctx, cancel := context.WithCancel(t.Context())
	d.Use(func(ctx context.Context, screen []string) bool {
		cancel()
		return ledgertest.Ignore(ctx, screen)
	})
	r := requestsTo(t, "Cosmos")[2]
	require.ErrorIs(t, client.Cosmos(ctx, "", func(a *ledger.Cosmos) error {
		return a.Confirm(ctx, r.Path(t), r.Prefix, d.PublicKey(r.Path(t)))
	}), context.Canceled)
}

// Responses that are too long or truncated are errors.
func TestOddAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer []byte
		fault  device.Fault
	}{
		"endless":        {[]byte{0xff, 0xff, 0xff, 0xff}, device.InvalidAnswer},
		"too long":       {[]byte{0, 0, 3, 0xff}, device.InvalidAnswer},
		"incomplete":     {[]byte{0, 0, 0, 9, 1, 6}, device.Unplugged},
		"without length": {[]byte{0, 0}, device.Unplugged},
		"nothing":        {nil, device.Unplugged},
		"status alone":   {[]byte{0, 0, 0, 0, 0x55, 0x15}, device.Locked},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				if client, err := listener.Accept(); err == nil {
					_, _ = io.ReadFull(client, make([]byte, 9)) // query of the open app
					_, _ = client.Write(c.answer)
					client.Close()
				}
			}()
			t.Cleanup(func() { listener.Close(); <-ended })
			err = look(t.Context(), &ledger.Client{Port: Port{Address: listener.Addr().String()}})
			require.True(t, device.Is(err, c.fault), err)
		})
	}
}
