package trezorudp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"obverse/core/wallet/signer/trezor/trezortest"
)

// serveBridge responds to HTTP requests like Trezor Bridge.
func serveBridge(t *testing.T, d *trezortest.Device) (url string) {
	t.Helper()
	bridge := trezortest.NewBridge(d)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		status, body := bridge.Handle(r.Context(), r.URL.Path, content)
		w.WriteHeader(status)
		_, _ = w.Write(body) // the client may have disconnected
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}
