package price

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"obverse/core/net/fetch"
)

// Service names a supported price service API.
type Service string

// Supported services.
const (
	CoinGecko Service = "coingecko"
	Komodo    Service = "komodo"
	Off       Service = "off" // no requests are sent
)

// defaultURLs are the URLs of services for which the settings name none.
var defaultURLs = map[Service]string{
	CoinGecko: "https://api.coingecko.com/api/v3",
	Komodo:    "https://defi-stats.komodo.earth/api/v3/prices/tickers_v2?expire_at=600",
}

// Limits.
const (
	MaxCoins   = 250 // ids in one call
	maxID      = 100 // bytes in an id
	maxCached  = 4096
	maxAnswer  = 2 << 20
	timeout    = 15 * time.Second
	fresh      = time.Minute // how long a price is cached
	pause      = 10 * time.Second
	maxPause   = time.Hour
	maxNumber  = 64      // characters in a number
	latestTime = 1 << 42 // in seconds or milliseconds
)

// Errors of a Client.
var (
	ErrService = errors.New("price service failed")
	ErrFiat    = errors.New("the price service has prices in usd only")
	ErrID      = errors.New("invalid price id")

	errAbsent = errors.New("the price service does not have it")
)

// Price is the price of one coin.
type Price struct {
	Value  string    // decimal, above zero
	Change string    // change over 24 hours in percent, decimal; empty if unknown
	Time   time.Time // last update at the service; zero if unknown
}

// Config configures a Client.
type Config struct {
	Service Service
	URL     string // empty: the service's default
	Fetcher fetch.Fetcher
	Now     func() time.Time
}

// Client queries a price service. It is safe for concurrent use.
type Client struct {
	config  Config
	flights *fetch.Cache[map[string]Price]
	charts  charts

	mu     sync.Mutex
	prices map[key]cached
	rest   time.Time // no requests before this time
	why    error
}

type key struct{ fiat, id string }

// cached is a price, or the information that the service has no price.
type cached struct {
	price   Price // without a Value if the service has no price
	expires time.Time
}

// New returns a client. It sends no requests.
func New(c Config) *Client {
	c.Service = cmp.Or(c.Service, CoinGecko)
	c.URL = strings.TrimSuffix(cmp.Or(c.URL, defaultURLs[c.Service]), "/")
	return &Client{config: c, flights: fetch.NewCache[map[string]Price](c.Now), prices: map[key]cached{},
		charts: charts{fetch.NewCache[chart](c.Now), new(sync.Mutex), map[key]cachedChart{}}}
}

// Service returns the service that the client queries.
func (c *Client) Service() Service { return c.config.Service }

// Host returns the host of the service, or "" if the service is off.
func (c *Client) Host() string {
	u, err := url.Parse(c.config.URL)
	if err != nil || c.config.Service == Off {
		return ""
	}
	return u.Host
}

// Prices returns the prices of ids in a currency such as usd. Ids without a price are absent.
// It returns ErrService, ErrFiat or ErrID.
func (c *Client) Prices(ctx context.Context, fiat string, ids []string) (map[string]Price, error) {
	if c.config.Service == Off || len(ids) == 0 {
		return map[string]Price{}, nil
	}
	if err := checkIDs(ids); err != nil {
		return nil, err
	}
	if missing := c.missing(fiat, ids); len(missing) > 0 {
		if err := c.load(ctx, fiat, missing); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := map[string]Price{}
	for _, id := range ids {
		if p := c.prices[key{fiat, id}].price; p.Value != "" {
			known[id] = p
		}
	}
	return known, nil
}

func checkIDs(ids []string) error {
	if len(ids) > MaxCoins {
		return fmt.Errorf("%w: %d ids, limit %d", ErrID, len(ids), MaxCoins)
	}
	for _, id := range ids {
		if id == "" || len(id) > maxID || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`/\,?#%"`, r) }) {
			return fmt.Errorf("%w: %.100q", ErrID, id)
		}
	}
	return nil
}

// missing returns the ids that have no fresh cached price, sorted.
func (c *Client) missing(fiat string, ids []string) (missing []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.config.Now()
	for _, id := range ids {
		if k, known := c.prices[key{fiat, id}]; !known || !now.Before(k.expires) {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// load fetches prices. Concurrent calls for the same prices share one request.
func (c *Client) load(ctx context.Context, fiat string, ids []string) error {
	ask, question := c.simple, fetch.Question{Quantity: fiat, Key: strings.Join(ids, ",")}
	if c.config.Service == Komodo {
		if fiat != "usd" {
			return ErrFiat
		}
		ask, question = c.tickers, fetch.Question{Quantity: fiat}
	}
	found, err := c.flights.Get(ctx, question, 0, func(ctx context.Context) (map[string]Price, error) { return ask(ctx, fiat, ids) })
	if err != nil {
		return err
	}
	c.keep(fiat, ids, found)
	return nil
}

// keep caches the prices found, and that the other ids have none.
func (c *Client) keep(fiat string, ids []string, found map[string]Price) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.config.Now()
	if len(c.prices)+len(ids) > maxCached {
		clear(c.prices)
	}
	for _, id := range ids {
		c.prices[key{fiat, id}] = cached{found[id], now.Add(fresh)}
	}
}

// get sends a GET request to the service. After a failure it sends none until the pause is
// over.
func (c *Client) get(ctx context.Context, address string) ([]byte, error) {
	c.mu.Lock()
	rest, why := c.rest, c.why
	c.mu.Unlock()
	if now := c.config.Now(); now.Before(rest) {
		return nil, fmt.Errorf("%w; the next request is sent in %v", why, rest.Sub(now).Round(time.Second))
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := c.config.Fetcher.Fetch(bounded, fetch.Request{Method: "GET", URL: address, Header: map[string]string{"Accept": "application/json"}, Limit: maxAnswer})
	switch {
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return nil, context.Canceled // caller canceled; not a failure of the service
	case err != nil && bounded.Err() != nil:
		err = fetch.ErrTimeout
	case err == nil && answer.Status == 404:
		return nil, errAbsent
	case err == nil && answer.Status != 200:
		err = fmt.Errorf("HTTP status %d", answer.Status)
	}
	if err != nil {
		return nil, c.failed(err, answer.Delay(c.config.Now()))
	}
	return answer.Body, nil
}

// must is like get, but treats a missing resource as a failure of the service.
func (c *Client) must(ctx context.Context, address string) ([]byte, error) {
	body, err := c.get(ctx, address)
	if errors.Is(err, errAbsent) {
		err = c.failed(errors.New("HTTP status 404"), 0)
	}
	return body, err
}

// failed records a failure of the service and returns its error.
func (c *Client) failed(reason error, wait time.Duration) error {
	err := fmt.Errorf("%w: %s: %w", ErrService, c.Host(), reason)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest, c.why = c.config.Now().Add(min(max(wait, pause), maxPause)), err
	return err
}
