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

// simple fetches the prices of ids from CoinGecko.
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
	prices := make(map[string]json.RawMessage)
	for _, id := range ids {
		if raw, is := answer[id]; is {
			prices[id] = raw
		}
	}
	if _, is := answer["status"]; is && len(prices) == 0 { // CoinGecko's error object
		return nil, c.failed(unreadable(errNoPrices), 0)
	}
	return c.readable(prices, func(raw json.RawMessage) (Price, error) {
		var member map[string]json.Number
		if err := json.Unmarshal(raw, &member); err != nil {
			return Price{}, unreadable(err)
		}
		return read(member[fiat], member[fiat+"_24h_change"], member["last_updated_at"])
	})
}

var errNoPrices = errors.New("no prices")

// members decodes the prices of a response, by id.
func (c *Client) members(body []byte) (answer map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(body, &answer); err != nil || answer == nil {
		return nil, c.failed(unreadable(err), 0)
	}
	return answer, nil
}

// readable parses prices. Invalid prices are skipped; if all are invalid it returns an error.
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

// tickers fetches all prices from Komodo's service, by ticker.
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
		var member struct {
			Price  json.Number `json:"last_price"`
			Change json.Number `json:"change_24h"`
			Time   json.Number `json:"last_updated_timestamp"`
		}
		if err := json.Unmarshal(raw, &member); err != nil {
			return Price{}, unreadable(err)
		}
		return read(member.Price, member.Change, member.Time)
	})
}

// unreadable describes an invalid response without quoting it.
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

// read parses a price. An absent price or a price of zero is unknown: its Value is "".
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

// decimal parses a number exactly as the service wrote it. An absent number is 0.
func decimal(text json.Number) (number.Rational, error) {
	if text == "" {
		return number.Rational{}, nil
	}
	if len(text) > maxNumber {
		return number.Rational{}, fmt.Errorf("number has %d characters, limit %d", len(text), maxNumber)
	}
	n, err := number.ParseRational(string(text))
	if err == nil && n.Bits() > maxNumber*4 {
		err = number.ErrRange
	}
	return n, err
}

// whole returns the integer part of a number.
func whole(n number.Rational) int64 {
	numer, denom := n.Numer(), n.Denom()
	return numer.Quo(numer, denom).Int64()
}
