package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A node queries prices from a real HTTP server, in one request for all coins, and only when a
// client needs them.
func TestPriceService(t *testing.T) {
	var requests atomic.Int64
	answer := atomic.Value{}
	answer.Store(`{"cosmos":{"usd":4.512300000000000001,"usd_24h_change":-1.25,"last_updated_at":1759999990},"tether":{"usd":1,"last_updated_at":1759999990}}`)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.Method != http.MethodGet || r.URL.Path != "/api/v3/simple/price" || r.URL.Query().Get("ids") != "cosmos,tether" || r.Header.Get("Cookie") != "" {
			http.Error(w, "unexpected request", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answer.Load().(string)))
	}))
	defer service.Close()
	prices := func(dir, params string) (result struct {
		Service, Host string
		Prices        map[string]struct{ Price, Change_24h string }
		Unknown       []string
	}, refused string) {
		out, err := obverse(dir, "call", "get_prices", params).CombinedOutput()
		if err != nil {
			return result, string(out)
		}
		require.NoError(t, json.Unmarshal(out, &result), "%s", out)
		return result, ""
	}

	dir := t.TempDir()
	n := start(t, dir, "prices.url="+service.URL+"/api/v3")
	require.Zero(t, requests.Load())
	const coins = `{"coins":["ATOM","USDT-ERC20","USDT-PLG20","NOPE"]}`
	for range 2 {
		got, refused := prices(dir, coins)
		require.Empty(t, refused)
		require.Equal(t, "4.512300000000000001", got.Prices["ATOM"].Price)
		require.Equal(t, "-1.25", got.Prices["ATOM"].Change_24h)
		require.Equal(t, got.Prices["USDT-ERC20"], got.Prices["USDT-PLG20"])
		require.Equal(t, []string{"NOPE"}, got.Unknown)
		require.Equal(t, strings.TrimPrefix(service.URL, "http://"), got.Host)
		require.EqualValues(t, 1, requests.Load())
	}
	require.NoError(t, n.process.Process.Kill())
	_ = n.process.Wait()

	for name, c := range map[string]struct{ body, want string }{
		"endless":  {strings.Repeat(" ", 3<<20), "response too large"},
		"negative": {`{"cosmos":{"usd":-1}}`, "price of cosmos: -1 is negative"},
	} {
		answer.Store(c.body)
		dir := t.TempDir()
		start(t, dir, "prices.url="+service.URL+"/api/v3")
		_, refused := prices(dir, coins)
		require.Contains(t, refused, c.want, name)
	}
	before := requests.Load()
	dir = t.TempDir()
	start(t, dir, "prices.service=off", "prices.url="+service.URL+"/api/v3")
	got, refused := prices(dir, coins)
	require.Empty(t, refused)
	require.Equal(t, "off", got.Service)
	require.Len(t, got.Unknown, 4)
	require.Equal(t, before, requests.Load())
}
