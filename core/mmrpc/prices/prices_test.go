package prices_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/prices"
	"obverse/core/mmrpc/servertest"
	"obverse/core/net/fetch"
	"obverse/core/wallet/price"
)

// askPrices returns a function that sends requests to a node. The node's price service has the
// given answers by path.
func askPrices(t *testing.T, service price.Service, answers map[string]string) func(body string) (int, string) {
	now := func() time.Time { return time.Unix(1_760_000_000, 0) }
	area := prices.Prices{ID: func(ticker string) string { return map[string]string{"ATOM": "cosmos"}[ticker] }, Client: price.New(price.Config{
		Service: service, Now: now,
		Fetcher: fetch.Func(func(_ context.Context, r fetch.Request) (fetch.Response, error) {
			u, err := url.Parse(r.URL)
			if body, known := answers[u.Path]; err == nil && known {
				return fetch.Response{Status: 200, Body: []byte(body)}, nil
			}
			return fetch.Response{Status: 503}, nil
		}),
	})}
	s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: now}, area)
	return func(body string) (int, string) { return servertest.AskServer(t, s, body) }
}

func TestPrices(t *testing.T) {
	ask := askPrices(t, price.CoinGecko, map[string]string{
		"/api/v3/simple/price":                     `{"cosmos":{"usd":4.51,"usd_24h_change":-1.5,"last_updated_at":1759999990},"my-coin":{"usd":2e-3}}`,
		"/api/v3/coins/cosmos/market_chart/range":  `{"prices":[[1759990000000,4.2]]}`,
		"/api/v3/coins/my-coin/market_chart/range": `{"prices":[[1759990000000,-4.2]]}`,
	})
	const from = `"service":"coingecko","host":"api.coingecko.com","fiat":"usd",`
	for _, c := range []struct {
		method, params string
		status         int
		want           string
	}{
		{"get_prices", `{"coins":["ATOM","MINE","OTHER"],"ids":{"MINE":"my-coin"}}`, 200,
			`{"mmrpc":"2.0","result":{` + from + `"prices":{"ATOM":{"price":"4.51","change_24h":"-1.5","time":1759999990},"MINE":{"price":"0.002"}},"unknown":["OTHER"]},"id":5}`},
		{"get_prices", `{"coins":[]}`, 200, `"prices":{},"unknown":[]}`},
		{"get_prices", `{"coins":["ATOM"],"fiat":"USD"}`, 400, "InvalidRequest"},
		{"get_prices", `{"coins":["MINE"],"ids":{"MINE":"a b"}}`, 400, "ids of 1 to 100 characters"},
		{"get_prices_at", `{"points":[{"coin":"ATOM","time":1759990100},{"coin":"ATOM","time":1},{"coin":"OTHER","time":1759990100}]}`, 200,
			`{"mmrpc":"2.0","result":{` + from + `"points":[{"coin":"ATOM","time":1759990100,"price":"4.2","at":1759990000},{"coin":"ATOM","time":1},{"coin":"OTHER","time":1759990100}]},"id":5}`},
		{"get_prices_at", `{"points":[{"coin":"MINE","time":1759990100},{"coin":"ATOM","time":1759990100}],"ids":{"MINE":"my-coin"}}`, 200,
			`"price":"4.2","at":1759990000}],"incomplete":"price service failed: api.coingecko.com: past price of my-coin: -4.2 is negative, want a number above 0`},
		{"get_prices_at", `{"points":[{"coin":"MINE","time":1759990100}],"ids":{"MINE":"my-coin"}}`, 500, `"error_type":"Transport"`},
	} {
		status, reply := ask(mmrpctest.Request(c.method, c.params))
		require.Equal(t, c.status, status, reply)
		require.Contains(t, reply, c.want)
	}
}

func TestPricesOff(t *testing.T) {
	ask := askPrices(t, price.Off, nil)
	status, reply := ask(mmrpctest.Request("get_prices", `{"coins":["ATOM"]}`))
	require.Equal(t, 200, status)
	require.Equal(t, `{"mmrpc":"2.0","result":{"service":"off","host":"","fiat":"usd","prices":{},"unknown":["ATOM"]},"id":5}`, reply)
	status, reply = ask(mmrpctest.Request("get_prices_at", `{"points":[{"coin":"ATOM","time":1759990100}]}`))
	require.Equal(t, 200, status)
	require.Contains(t, reply, `"points":[{"coin":"ATOM","time":1759990100}]`)
}

// TestPricesOfKomodo checks that Komodo's service finds coins by their tickers, regardless of
// the network.
func TestPricesOfKomodo(t *testing.T) {
	ask := askPrices(t, price.Komodo, map[string]string{"/api/v3/prices/tickers_v2": `{"USDC":{"last_price":"1.0001"},"OSMO":{"last_price":"0.3"}}`})
	status, reply := ask(mmrpctest.Request("get_prices", `{"coins":["USDC-ERC20","USDC-PLG20","OSMOSIS","OSMO-IBC_ATOM"]}`))
	require.Equal(t, 200, status)
	require.Contains(t, reply, `"prices":{"OSMO-IBC_ATOM":{"price":"0.3"},"OSMOSIS":{"price":"0.3"},"USDC-ERC20":{"price":"1.0001"},"USDC-PLG20":{"price":"1.0001"}},"unknown":[]`)
	status, reply = ask(mmrpctest.Request("get_prices", `{"coins":["USDC-ERC20"],"fiat":"eur"}`))
	require.Equal(t, 400, status)
	require.Contains(t, reply, "usd with the service komodo")
	status, reply = askPrices(t, price.Komodo, nil)(mmrpctest.Request("get_prices", `{"coins":["USDC-ERC20"]}`))
	require.Equal(t, 500, status)
	require.Contains(t, reply, `"error":"price service failed: defi-stats.komodo.earth: HTTP status 503"`)
}
