package price

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sort"
	"strconv"
	"sync"
	"time"

	"obverse/core/net/fetch"
)

// CoinGecko's free service has prices of the last 365 days: hourly ones for the last 90 days,
// and daily ones for longer ranges. Two responses therefore contain all available prices of a
// coin.
const (
	day         = 24 * time.Hour
	hourlySpan  = 90 * day
	dailySpan   = 365 * day
	maxCharts   = 64
	maxRows     = 10_000
	hourlyReach = 2 * time.Hour // maximum distance of a price from the requested time
	dailyReach  = day
)

// Past is a price at a past time.
type Past struct {
	Value string    // decimal, above zero
	Time  time.Time // time of the price nearest to the requested time
}

// chart holds prices of a coin, oldest first.
type chart []Past

// charts caches charts.
type charts struct {
	flights *fetch.Cache[chart]
	mu      *sync.Mutex
	cached  map[key]cachedChart
}

type cachedChart struct {
	chart   chart
	expires time.Time
}

// At returns the price of an id nearest to a time. Its Value is "" if the service has no price:
// for times more than a year ago, and for gaps in its data. The errors are the same as for
// Prices.
func (c *Client) At(ctx context.Context, fiat, id string, at time.Time) (Past, error) {
	now := c.config.Now()
	age := now.Sub(at)
	if c.config.Service != CoinGecko || age > dailySpan || age < -hourlyReach {
		return Past{}, nil
	}
	if err := checkIDs([]string{id}); err != nil {
		return Past{}, err
	}
	if age < hourlySpan-day {
		hourly, err := c.chart(ctx, fiat, id, "hourly", now.Truncate(time.Hour).Add(-hourlySpan), now.Truncate(time.Hour).Add(time.Hour), time.Hour)
		return hourly.nearest(at, hourlyReach), err
	}
	today := now.Truncate(day)
	daily, err := c.chart(ctx, fiat, id, "daily", today.Add(-dailySpan), today.Add(day-hourlySpan), day)
	return daily.nearest(at, dailyReach), err
}

func (c chart) nearest(at time.Time, reach time.Duration) (best Past) {
	for _, p := range c {
		if away := p.Time.Sub(at).Abs(); away <= reach {
			best, reach = p, away
		}
	}
	return best
}

// chart returns a chart from the cache or the service.
func (c *Client) chart(ctx context.Context, fiat, id, grain string, from, to time.Time, ttl time.Duration) (chart, error) {
	k := key{fiat, grain + " " + id}
	c.charts.mu.Lock()
	known, is := c.charts.cached[k]
	c.charts.mu.Unlock()
	if is && c.config.Now().Before(known.expires) {
		return known.chart, nil
	}
	found, err := c.charts.flights.Get(ctx, fetch.Question{Quantity: fiat, Key: k.id}, 0, func(ctx context.Context) (chart, error) {
		return c.marketChart(ctx, fiat, id, from, to)
	})
	if err != nil {
		return nil, err
	}
	c.charts.mu.Lock()
	defer c.charts.mu.Unlock()
	if len(c.charts.cached) >= maxCharts {
		clear(c.charts.cached)
	}
	c.charts.cached[k] = cachedChart{found, c.config.Now().Add(ttl)}
	return found, nil
}

// marketChart fetches the prices between two times from CoinGecko.
func (c *Client) marketChart(ctx context.Context, fiat, id string, from, to time.Time) (chart, error) {
	query := url.Values{
		"vs_currency": {fiat}, "from": {strconv.FormatInt(from.Unix(), 10)}, "to": {strconv.FormatInt(to.Unix(), 10)}, "precision": {"full"},
	}
	body, err := c.get(ctx, c.config.URL+"/coins/"+url.PathEscape(id)+"/market_chart/range?"+query.Encode())
	if errors.Is(err, errAbsent) {
		return chart{}, nil
	}
	if err != nil {
		return nil, err
	}
	var answer struct {
		Prices [][2]json.Number `json:"prices"` // Unix time in milliseconds, price
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, c.failed(unreadable(err), 0)
	}
	if len(answer.Prices) > maxRows {
		return nil, c.failed(fmt.Errorf("%d prices of %s, limit %d", len(answer.Prices), id, maxRows), 0)
	}
	found := make(chart, 0, len(answer.Prices))
	for _, row := range answer.Prices {
		p, err := read(row[1], "", row[0])
		if err != nil {
			return nil, c.failed(fmt.Errorf("past price of %s: %w", id, err), 0)
		}
		if p.Value != "" && !p.Time.IsZero() {
			found = append(found, Past{p.Value, time.UnixMilli(p.Time.Unix())})
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Time.Before(found[j].Time) })
	return found, nil
}
