package trezor_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
)

func overBridge(f fetch.Fetcher) *trezor.Client {
	return &trezor.Client{Port: &trezor.Bridge{Fetch: f, URL: trezor.BridgeURL}}
}

func TestBridge(t *testing.T) {
	d := trezortest.New(t, "1")
	bridge := trezortest.NewBridge(d)
	client := overBridge(bridge)
	sent := payment(true, make([]byte, 3000))
	s, err := sign(t.Context(), client, d, sent)
	require.NoError(t, err)
	requireSigned(t, d, sent.SigningHash(), s)

	status, _ := bridge.Handle(t.Context(), "/acquire/1/null", nil)
	require.Equal(t, 200, status, "it was released")
	s, err = sign(t.Context(), client, d, sent)
	require.NoError(t, err, "it is taken over from a program that did not release it")
	requireSigned(t, d, sent.SigningHash(), s)

	d.Use(func(ctx context.Context, screen []string) bool { d.Unplug(); return trezortest.Ignore(ctx, screen) })
	_, err = sign(t.Context(), client, d, sent)
	requireFault(t, device.Unplugged, "device was unplugged, or another program took it over: device disconnected during action", err)
	_, err = sign(t.Context(), client, d, sent)
	requireFault(t, device.NotFound, "no device is connected: plug it in and unlock it", err)
}

// TestBridgeCallerGoes checks that the device can be used again after a caller is gone.
func TestBridgeCallerGoes(t *testing.T) {
	d := trezortest.New(t, "1")
	client := overBridge(trezortest.NewBridge(d))
	ctx, cancel := context.WithCancel(t.Context())
	d.Use(func(c context.Context, screen []string) bool { cancel(); return trezortest.Ignore(c, screen) })
	_, err := sign(ctx, client, d, payment(true, nil))
	require.ErrorIs(t, err, context.Canceled)
	d.Use(trezortest.Approve)
	_, err = sign(t.Context(), client, d, payment(true, nil))
	require.NoError(t, err)
}

// TestBridgeAnswers checks invalid answers of Bridge or of another server on its port.
func TestBridgeAnswers(t *testing.T) {
	const invalid = "invalid answer from Trezor Bridge at http://127.0.0.1:21325 to "
	for name, c := range map[string]struct {
		endpoint string
		answer   fetch.Response
		err      error
		fault    device.Fault
		text     string
	}{
		"absent":        {"enumerate", fetch.Response{}, fetch.ErrUnreachable, device.NotFound, "Trezor Bridge at http://127.0.0.1:21325 is not running: start Trezor Suite"},
		"slow":          {"enumerate", fetch.Response{}, fetch.ErrTimeout, device.Timeout, "Trezor Bridge at http://127.0.0.1:21325 timed out"},
		"large":         {"enumerate", fetch.Response{}, fetch.ErrTooLarge, device.InvalidAnswer, invalid + "enumerate"},
		"a page":        {"enumerate", fetch.Response{Status: 200, Body: []byte("<html>")}, nil, device.InvalidAnswer, invalid + "enumerate"},
		"nameless":      {"enumerate", fetch.Response{Status: 200, Body: []byte(`[{}]`)}, nil, device.InvalidAnswer, invalid + "enumerate"},
		"many":          {"enumerate", fetch.Response{Status: 200, Body: []byte("[" + strings.Repeat(`{"path":"a"},`, 64) + `{"path":"a"}]`)}, nil, device.InvalidAnswer, invalid + "enumerate"},
		"forbidden":     {"enumerate", fetch.Response{Status: 403}, nil, device.Failed, "Trezor Bridge at http://127.0.0.1:21325 failed with status 403"},
		"no session":    {"acquire", fetch.Response{Status: 200, Body: []byte("{}")}, nil, device.InvalidAnswer, invalid + "acquire"},
		"taken":         {"acquire", fetch.Response{Status: 400, Body: []byte(`{"error":"wrong previous session"}`)}, nil, device.Busy, "another program uses the device: wrong previous session"},
		"pulled out":    {"acquire", fetch.Response{Status: 400, Body: []byte(`{"error":"device not found"}`)}, nil, device.NotFound, "device is not connected"},
		"no digits":     {"call", fetch.Response{Status: 200, Body: []byte("xyz")}, nil, device.InvalidAnswer, invalid + "call"},
		"wrong length":  {"call", fetch.Response{Status: 200, Body: []byte("00110000000100ff")}, nil, device.InvalidAnswer, invalid + "call"},
		"long":          {"call", fetch.Response{Status: 200, Body: []byte("001100004001" + strings.Repeat("00", 0x4001))}, nil, device.InvalidAnswer, invalid + "call"},
		"stale answers": {"read", fetch.Response{Status: 200, Body: []byte("0011")}, nil, device.InvalidAnswer, invalid + "call"},
	} {
		t.Run(name, func(t *testing.T) {
			d := trezortest.New(t, "1")
			if c.endpoint == "read" {
				d.Tamper(func(trezor.Kind, trezor.Message) trezor.Message { return trezor.Message{Kind: trezor.KindSuccess} })
			}
			bridge := trezortest.NewBridge(d)
			client := overBridge(fetch.Func(func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
				require.Equal(t, "https://python.trezor.io", r.Header["Origin"])
				if strings.Contains(r.URL, "/"+c.endpoint) {
					return c.answer, c.err
				}
				return bridge.Fetch(ctx, r)
			}))
			_, err := sign(t.Context(), client, d, payment(true, nil))
			requireFault(t, c.fault, c.text, err)
		})
	}
}

// FuzzBridge checks that any answers of Bridge result in a fault or in a message of a valid
// size.
func FuzzBridge(f *testing.F) {
	f.Add([]byte("001100000000"), []byte(`[{"path":"1","session":null}]`))
	f.Add([]byte("00110000000100ff"), []byte(`[{"path":"1"},{"path":"2","session":"x"}]`))
	f.Fuzz(func(t *testing.T, call, list []byte) {
		client := overBridge(fetch.Func(func(_ context.Context, r fetch.Request) (fetch.Response, error) {
			body := call
			if strings.HasSuffix(r.URL, "/enumerate") {
				body = list
			} else if strings.Contains(r.URL, "/acquire/") {
				body = []byte(`{"session":"s"}`)
			}
			return fetch.Response{Status: 200, Body: body}, nil
		}))
		_, err := client.Identify(t.Context(), "", 0)
		require.True(t, device.Is(err, device.Faults()...), err)
		require.Less(t, len(err.Error()), 20000)
	})
}
