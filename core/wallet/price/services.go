package price

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"obverse/core/number"
)

// simple asks CoinGecko for the prices of ids.
func (c *Client) simple(ctx context.Context, fiat string, ids []string) (map[string]Price, error) {
	query := url.Values{
		"ids": {strings.Join(ids, ",")}, "vs_currencies": {fiat}, "include_24hr_change": {"true"}, "include_last_updated_at": {"true"}, "precision": {"full"},
	}
	body, err := c.must(ctx, c.config.URL+"/simple/price?"+query.Encode())
	if err != nil {
		return nil, err
	}
	answer, err := c.members(body)
	if err != nil {
		return nil, err
	}
	asked := make(map[string]json.RawMessage)
	for _, id := range ids {
		if raw, is := answer[id]; is {
			asked[id] = raw
		}
	}
	if _, is := answer["status"]; is && len(asked) == 0 { // of an error
		return nil, c.failed(unreadable(errNoPrices), 0)
	}
	return c.readable(asked, func(raw json.RawMessage) (Price, error) {
		var of map[string]json.Number
		if err := json.Unmarshal(raw, &of); err != nil {
			return Price{}, unreadable(err)
		}
		return read(of[fiat], of[fiat+"_24h_change"], of["last_updated_at"])
	})
}

var errNoPrices = errors.New("no prices")

// members reads the prices in an answer, which are by their ids.
func (c *Client) members(body []byte) (answer map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(body, &answer); err != nil || answer == nil {
		return nil, c.failed(unreadable(err), 0)
	}
	return answer, nil
}

// readable reads prices. One that cannot be read is unknown; if none can, the service has failed.
func (c *Client) readable(answer map[string]json.RawMessage, price func(json.RawMessage) (Price, error)) (map[string]Price, error) {
	prices, good := map[string]Price{}, 0
	var bad error
	for _, id := range slices.Sorted(maps.Keys(answer)) {
		p, err := price(answer[id])
		if err != nil {
			bad = cmp.Or(bad, fmt.Errorf("price of %.100s: %w", id, err))
			continue
		}
		good++
		if p.Value != "" {
			prices[id] = p
		}
	}
	if bad != nil && good == 0 {
		return nil, c.failed(bad, 0)
	}
	return prices, nil
}

// tickers asks Komodo's service for all prices, which it has by ticker.
func (c *Client) tickers(ctx context.Context, _ string, _ []string) (map[string]Price, error) {
	body, err := c.must(ctx, c.config.URL)
	if err != nil {
		return nil, err
	}
	answer, err := c.members(body)
	if err != nil {
		return nil, err
	}
	return c.readable(answer, func(raw json.RawMessage) (Price, error) {
		var of struct {
			Price  json.Number `json:"last_price"`
			Change json.Number `json:"change_24h"`
			Time   json.Number `json:"last_updated_timestamp"`
		}
		if err := json.Unmarshal(raw, &of); err != nil {
			return Price{}, unreadable(err)
		}
		return read(of.Price, of.Change, of.Time)
	})
}

// unreadable says what is wrong with an answer, without quoting it.
func unreadable(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("response at byte %d is a JSON %.20s, want a number", kind.Offset, kind.Value)
	case err == nil:
		return errors.New("response is null, want an object of prices")
	}
	return errors.New("response is not JSON of prices")
}

// read reads a price. A price that is absent or zero is unknown: its Value is "".
func read(value, change, at json.Number) (p Price, err error) {
	amount, err := decimal(value)
	if err != nil || amount.Sign() == 0 {
		return Price{}, err
	}
	if amount.Sign() < 0 {
		return Price{}, fmt.Errorf("%s is negative, want a number above 0", amount)
	}
	p.Value = amount.String()
	if change != "" {
		percent, err := decimal(change)
		if err != nil {
			return Price{}, fmt.Errorf("24 h change: %w", err)
		}
		p.Change = percent.String()
	}
	seconds, err := decimal(at)
	if err != nil || seconds.Sign() < 0 || seconds.Cmp(number.Int(latestTime)) > 0 {
		return Price{}, errors.New("invalid time of the price, want seconds since 1970")
	}
	if seconds.Sign() > 0 {
		p.Time = time.Unix(whole(seconds), 0)
	}
	return p, nil
}

// decimal reads a number as the service wrote it, exactly; an absent one is 0.
func decimal(text json.Number) (number.Rational, error) {
	if text == "" {
		return number.Rational{}, nil
	}
	if len(text) > maxNumber {
		return number.Rational{}, fmt.Errorf("number has %d characters, at most %d are taken", len(text), maxNumber)
	}
	n, err := number.ParseRational(string(text))
	if err == nil && n.Bits() > maxNumber*4 {
		err = number.ErrRange
	}
	return n, err
}

// whole is the whole part of a number.
func whole(n number.Rational) int64 {
	numer, denom := n.Numer(), n.Denom()
	return numer.Quo(numer, denom).Int64()
}
