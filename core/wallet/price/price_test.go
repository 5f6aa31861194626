package price

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// bench is a client with a scripted service.
type bench struct {
	*Client
	now    time.Time
	calls  []string // URLs
	answer func(r fetch.Request) (fetch.Response, error)
}

func newBench(service Service, answer string) *bench {
	b := &bench{now: time.Unix(1_760_000_000, 0)}
	b.says(200, answer)
	b.Client = New(Config{Service: service, Now: func() time.Time { return b.now }, Fetcher: fetch.Func(func(_ context.Context, r fetch.Request) (fetch.Response, error) {
		b.calls = append(b.calls, r.URL)
		return b.answer(r)
	})})
	return b
}

func (b *bench) says(status int, body string) {
	b.answer = func(fetch.Request) (fetch.Response, error) {
		return fetch.Response{Status: status, Body: []byte(body)}, nil
	}
}

const twoPrices = `{"cosmos":{"usd":4.512300000000000001,"usd_24h_change":-1.25,"last_updated_at":1759999990},
	"ethereum":{"usd":4.5e3,"usd_24h_change":null,"last_updated_at":1759999991},"empty":{},"zero":{"usd":0,"last_updated_at":1},"bonk":{"usd":1.23e-5}}`

// TestPrices checks that one request covers all coins, that prices keep all their digits, and
// that ids without a price are absent.
func TestPrices(t *testing.T) {
	b := newBench(CoinGecko, twoPrices)
	ids := []string{"ethereum", "cosmos", "empty", "zero", "absent", "bonk", "cosmos"}
	prices, err := b.Prices(t.Context(), "usd", ids)
	require.NoError(t, err)
	require.Equal(t, map[string]Price{
		"cosmos":   {"4.512300000000000001", "-1.25", time.Unix(1759999990, 0)},
		"ethereum": {"4500", "", time.Unix(1759999991, 0)},
		"bonk":     {"0.0000123", "", time.Time{}},
	}, prices)
	require.Equal(t, []string{"https://api.coingecko.com/api/v3/simple/price?ids=absent%2Cbonk%2Ccosmos%2Cempty%2Cethereum%2Czero" +
		"&include_24hr_change=true&include_last_updated_at=true&precision=full&vs_currencies=usd"}, b.calls)

	again, err := b.Prices(t.Context(), "usd", ids)
	require.NoError(t, err)
	require.Equal(t, prices, again)
	require.Len(t, b.calls, 1, "prices are cached, unknown ones too")
	_, err = b.Prices(t.Context(), "usd", []string{"cosmos", "new"})
	require.NoError(t, err)
	require.Contains(t, b.calls[1], "ids=new&", "only unknown prices are fetched")
	b.now = b.now.Add(fresh)
	_, err = b.Prices(t.Context(), "usd", ids[:1])
	require.NoError(t, err)
	require.Len(t, b.calls, 3)
}

// TestBadPrices checks that a response without a valid price returns an error with the reason,
// and pauses requests.
func TestBadPrices(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"no JSON":        {`<html>`, "response is not JSON of prices"},
		"nothing":        {``, "response is not JSON of prices"},
		"null":           {`null`, "response is null"},
		"a list":         {`[1]`, "is a JSON array"},
		"NaN":            {`{"cosmos":{"usd":NaN}}`, "response is not JSON of prices"},
		"a text":         {`{"cosmos":{"usd":"much"}}`, "response is not JSON of prices"},
		"an object":      {`{"cosmos":{"usd":{}}}`, "is a JSON object"},
		"negative":       {`{"cosmos":{"usd":-4.5}}`, "price of cosmos: -4.5 is negative, want a number above 0"},
		"huge":           {`{"cosmos":{"usd":1e999999999}}`, "price of cosmos"},
		"large":          {`{"cosmos":{"usd":1e200}}`, "price of cosmos"},
		"tiny":           {`{"cosmos":{"usd":1e-200}}`, "price of cosmos"},
		"long":           {`{"cosmos":{"usd":1.` + strings.Repeat("1", 100) + `}}`, "number has 102 characters, limit 64"},
		"negative time":  {`{"cosmos":{"usd":1,"last_updated_at":-1}}`, "invalid time of the price"},
		"late":           {`{"cosmos":{"usd":1,"last_updated_at":1e30}}`, "invalid time of the price"},
		"an endless one": {`{"cosmos":{"usd":1,"usd_24h_change":1e99999}}`, "24 h change"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(CoinGecko, c.body)
			prices, err := b.Prices(t.Context(), "usd", []string{"cosmos"})
			require.ErrorIs(t, err, ErrService)
			require.ErrorContains(t, err, "api.coingecko.com: ")
			require.ErrorContains(t, err, c.want)
			require.Nil(t, prices)
			b.says(200, twoPrices)
			_, err = b.Prices(t.Context(), "usd", []string{"cosmos"})
			require.ErrorContains(t, err, "the next request is sent in 10s")
			require.Len(t, b.calls, 1)
			b.now = b.now.Add(pause)
			prices, err = b.Prices(t.Context(), "usd", []string{"cosmos"})
			require.NoError(t, err)
			require.Len(t, prices, 1)
		})
	}
}

func TestFailedService(t *testing.T) {
	for name, c := range map[string]struct {
		answer fetch.Response
		err    error
		want   string
		rest   time.Duration
	}{
		"busy":        {fetch.Response{Status: 429, RetryAfter: "90"}, nil, "HTTP status 429", 90 * time.Second},
		"busy a year": {fetch.Response{Status: 429, RetryAfter: "31536000"}, nil, "HTTP status 429", time.Hour},
		"broken":      {fetch.Response{Status: 500}, nil, "HTTP status 500", pause},
		"moved":       {fetch.Response{Status: 302}, nil, "HTTP status 302", pause},
		"not there":   {fetch.Response{Status: 404}, nil, "HTTP status 404", pause},
		"away":        {fetch.Response{}, fetch.ErrUnreachable, "unreachable", pause},
		"too large":   {fetch.Response{}, fetch.ErrTooLarge, "response too large", pause},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(CoinGecko, "")
			b.answer = func(r fetch.Request) (fetch.Response, error) {
				require.EqualValues(t, maxAnswer, r.Limit)
				return c.answer, c.err
			}
			_, err := b.Prices(t.Context(), "usd", []string{"cosmos"})
			require.ErrorIs(t, err, ErrService)
			require.ErrorContains(t, err, c.want)
			_, err = b.Prices(t.Context(), "usd", []string{"cosmos"})
			require.ErrorContains(t, err, fmt.Sprintf("the next request is sent in %v", c.rest))
		})
	}
}

// A canceled caller is not a failure of the service.
func TestHangUp(t *testing.T) {
	b := newBench(CoinGecko, twoPrices)
	ctx, cancel := context.WithCancel(t.Context())
	b.answer = func(fetch.Request) (fetch.Response, error) {
		cancel()
		return fetch.Response{}, context.Canceled
	}
	_, err := b.Prices(ctx, "usd", []string{"cosmos"})
	require.ErrorIs(t, err, context.Canceled)
	b.says(200, twoPrices)
	_, err = b.Prices(t.Context(), "usd", []string{"cosmos"})
	require.NoError(t, err)
}

func TestKomodoTickers(t *testing.T) {
	b := newBench(Komodo, `{"ATOM":{"ticker":"ATOM","last_price":"4.51","change_24h":"-0.0125","last_updated_timestamp":1759999990,"price_provider":"binance"},
		"OLD":{"ticker":"OLD","last_price":"0.00000000","change_24h":"0.00","last_updated_timestamp":0}}`)
	prices, err := b.Prices(t.Context(), "usd", []string{"ATOM", "OLD", "NOPE"})
	require.NoError(t, err)
	require.Equal(t, map[string]Price{"ATOM": {"4.51", "-0.0125", time.Unix(1759999990, 0)}}, prices)
	require.Equal(t, []string{defaultURLs[Komodo]}, b.calls)
	_, err = b.Prices(t.Context(), "eur", []string{"ATOM"})
	require.ErrorIs(t, err, ErrFiat)
}

func TestOff(t *testing.T) {
	b := newBench(Off, twoPrices)
	prices, err := b.Prices(t.Context(), "usd", []string{"cosmos"})
	require.NoError(t, err)
	require.Empty(t, prices)
	past, err := b.At(t.Context(), "usd", "cosmos", b.now)
	require.NoError(t, err)
	require.Zero(t, past)
	require.Empty(t, b.calls)
	require.Empty(t, b.Host())
}

func TestBadIDs(t *testing.T) {
	b := newBench(CoinGecko, twoPrices)
	for _, ids := range [][]string{{""}, {"a b"}, {"a,b"}, {"a/../b"}, {strings.Repeat("x", 101)}, make([]string, 251)} {
		_, err := b.Prices(t.Context(), "usd", ids)
		require.ErrorIs(t, err, ErrID)
	}
	_, err := b.At(t.Context(), "usd", "a?b", b.now)
	require.ErrorIs(t, err, ErrID)
	require.Empty(t, b.calls)
}

// Two requests fetch all past prices of a coin: hourly for 90 days, and daily for a year.
func TestPastPrices(t *testing.T) {
	b := newBench(CoinGecko, "")
	b.answer = func(r fetch.Request) (fetch.Response, error) {
		u, err := url.Parse(r.URL)
		require.NoError(t, err)
		require.Equal(t, "/api/v3/coins/cosmos/market_chart/range", u.Path)
		require.Equal(t, []string{"eur", "full"}, []string{u.Query().Get("vs_currency"), u.Query().Get("precision")})
		var from, to int64
		_, err = fmt.Sscan(u.Query().Get("from"), &from)
		require.NoError(t, err)
		_, err = fmt.Sscan(u.Query().Get("to"), &to)
		require.NoError(t, err)
		var rows []string
		step := int64(3600)
		if to-from > 91*24*3600 {
			step = 24 * 3600
		}
		for at := from; at < to; at += step {
			rows = append(rows, fmt.Sprintf("[%d,%d.5]", at*1000, at%1000+1))
		}
		return fetch.Response{Status: 200, Body: []byte(`{"prices":[` + strings.Join(rows, ",") + `],"market_caps":[],"total_volumes":[]}`)}, nil
	}
	at := func(age time.Duration) Past {
		past, err := b.At(t.Context(), "eur", "cosmos", b.now.Add(-age))
		require.NoError(t, err)
		return past
	}
	for age, reach := range map[time.Duration]time.Duration{0: time.Hour, 30 * day: 30 * time.Minute, 100 * day: 12 * time.Hour, 364 * day: day} {
		past := at(age)
		require.Regexp(t, `^\d+\.5$`, past.Value)
		require.LessOrEqual(t, past.Time.Sub(b.now.Add(-age)).Abs(), reach, age)
	}
	require.Zero(t, at(366*day))
	require.Zero(t, at(-day))
	require.Len(t, b.calls, 2)
}

func TestBadPastPrices(t *testing.T) {
	for body, want := range map[string]string{
		`{"prices":7}`:                    "is a JSON number",
		`{"prices":[[1759999000000,-1]]}`: "past price of cosmos: -1 is negative",
		`{"prices":[[-5,1]]}`:             "invalid time of the price",
		`{"prices":[` + strings.TrimSuffix(strings.Repeat("[1,1],", maxRows+1), ",") + `]}`: "10001 prices of cosmos",
	} {
		b := newBench(CoinGecko, body)
		_, err := b.At(t.Context(), "usd", "cosmos", b.now)
		require.ErrorIs(t, err, ErrService)
		require.ErrorContains(t, err, want)
	}
	b := newBench(CoinGecko, `{"prices":[]}`)
	b.says(404, `{"error":"coin not found"}`)
	past, err := b.At(t.Context(), "usd", "nope", b.now)
	require.NoError(t, err)
	require.Zero(t, past)
}

// One invalid price does not affect the others, with both services.
func TestOneBadPrice(t *testing.T) {
	for _, bad := range []string{`"N/A"`, `{"usd":"N/A","last_price":"N/A"}`, `{"usd":-1,"last_price":-1}`, `{"usd":1,"last_price":1,"last_updated_at":-1,"last_updated_timestamp":-1}`, `[1]`} {
		for service, good := range map[Service]string{CoinGecko: `{"usd":4.5}`, Komodo: `{"last_price":"4.5"}`} {
			b := newBench(service, `{"bad":`+bad+`,"cosmos":`+good+`}`)
			prices, err := b.Prices(t.Context(), "usd", []string{"bad", "cosmos"})
			require.NoError(t, err, bad)
			require.Equal(t, map[string]Price{"cosmos": {Value: "4.5"}}, prices, bad)
		}
	}
	b := newBench(CoinGecko, `{"status":{"error_code":429,"error_message":"You've exceeded the Rate Limit."}}`)
	_, err := b.Prices(t.Context(), "usd", []string{"cosmos"})
	require.ErrorIs(t, err, ErrService, "an error in place of prices")
}
