// Package prices implements the methods of the node API for the prices of coins.
// core/wallet/price queries the price service.
package prices

import (
	"context"
	"errors"
	"strings"
	"time"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/price"
)

const categoryPrices = "Prices"

// Prices is the area of the methods for prices.
type Prices struct {
	Client   *price.Client
	Registry *coin.Registry
	ID       func(ticker string) string // returns the price id of a coin, or "" if it is unknown
}

// Methods implements Area.
func (p Prices) Methods() []rpc.Method {
	const cacheNote = "The node keeps prices for a minute and asks for all that it needs at once, when this method is called and at no other time. " +
		"With prices.service off in the config nothing is sent, and no price is known."
	return []rpc.Method{
		rpc.Handle("get_prices", rpc.Doc{Reads: true,
			Summary: "Return current prices of coins", Category: categoryPrices,
			Detail: "Prices are decimal numbers, exactly as the service sent them. " + cacheNote,
		}, p.now).Raises(wire.Kinds(mmerr.Transport)...),
		rpc.Handle("get_prices_at", rpc.Doc{Reads: true,
			Summary: "Return past prices of coins", Category: categoryPrices,
			Detail: "Returns the price nearest to each time: of the same hour within the last 90 days, and of the same day within the last year. Older prices, and prices of " +
				"a service without past prices (komodo), are unknown.",
		}, p.past).Raises(wire.Kinds(mmerr.Transport)...),
	}
}

// priceNames maps coins to their names at the service.
type priceNames struct {
	Fiat fiat              `json:"fiat" default:"usd" doc:"currency of the prices, in lower case"`
	IDs  map[string]string `json:"ids" default:"{}" doc:"ids of coins at the service, by ticker; they override the ids that the node knows"`
}

// fiat is the code of a fiat currency.
type fiat string

// Values implements rpc.Enum.
func (fiat) Values() []string {
	return strings.Fields("usd eur gbp jpy cny inr krw brl cad aud chf rub try mxn idr thb vnd php pln sek nok dkk czk huf ils zar aed sar sgd hkd twd myr nzd uah ngn ars clp bdt pkr lkr kwd bhd vef gel mmk btc eth bnb")
}

type pricesParams struct {
	Coins []string `json:"coins" doc:"tickers, at most 250; they need not be active"`
	priceNames
}

type priceSource struct {
	Service string `json:"service" doc:"coingecko, komodo or off"`
	Host    string `json:"host" doc:"host of the price service; empty if the service is off"`
	Fiat    string `json:"fiat" doc:"as in the request"`
}

type pricesResult struct {
	priceSource
	Prices  map[string]coinPrice `json:"prices" doc:"by ticker as in the request"`
	Unknown []string             `json:"unknown" doc:"tickers without a price"`
}

type coinPrice struct {
	Price  string `json:"price" doc:"price of one coin, a decimal number"`
	Change string `json:"change_24h,omitempty" doc:"change over 24 hours in percent, a decimal number; absent if unknown"`
	Time   int64  `json:"time,omitempty" doc:"time of the price at the service, in seconds since 1970; absent if unknown"`
}

func (p Prices) source(names priceNames) priceSource {
	return priceSource{string(p.Client.Service()), p.Client.Host(), string(names.Fiat)}
}

// id returns the service's id of a coin, or "" if it is unknown.
func (p Prices) id(ticker string, names priceNames) string {
	if p.Client.Service() == price.Komodo {
		base, _, _ := strings.Cut(ticker, "-") // the service has USDC for USDC-ERC20
		if coin.Canonical(base) == coin.Canonical("OSMO") {
			return "OSMO"
		}
		return base
	}
	if id, named := names.IDs[ticker]; named {
		return id
	}
	return p.ID(ticker)
}

func (p Prices) now(ctx context.Context, r pricesParams) (pricesResult, error) {
	if len(r.Coins) > price.MaxCoins {
		return pricesResult{}, &rpc.ParamError{Path: "coins", Want: "a list of at most 250 tickers", Err: errTooManyCoins}
	}
	var ids []string
	for _, ticker := range r.Coins {
		if id := p.id(ticker, r.priceNames); id != "" {
			ids = append(ids, id)
		}
	}
	found, err := p.Client.Prices(ctx, string(r.Fiat), ids)
	if err != nil {
		return pricesResult{}, priceFailure(err)
	}
	result := pricesResult{priceSource: p.source(r.priceNames), Prices: map[string]coinPrice{}, Unknown: []string{}}
	for _, ticker := range r.Coins {
		quoted, known := found[p.id(ticker, r.priceNames)]
		if !known {
			result.Unknown = append(result.Unknown, ticker)
			continue
		}
		result.Prices[ticker] = coinPrice{quoted.Value, quoted.Change, seconds(quoted.Time)}
	}
	return result, nil
}

type pastPricesParams struct {
	Points []pricePoint `json:"points" doc:"at most 500"`
	priceNames
}

type pricePoint struct {
	Coin string `json:"coin" doc:"ticker"`
	Time int64  `json:"time" doc:"in seconds since 1970"`
}

type pastPricesResult struct {
	priceSource
	Points     []pastPrice `json:"points" doc:"in the order of the request"`
	Incomplete string      `json:"incomplete,omitempty" doc:"reason why the service failed for some of the points; their prices are unknown until a later call"`
}

type pastPrice struct {
	pricePoint
	Price string `json:"price,omitempty" doc:"price of one coin, a decimal number; absent if unknown"`
	At    int64  `json:"at,omitempty" doc:"time of the price, in seconds since 1970"`
}

func (p Prices) past(ctx context.Context, r pastPricesParams) (pastPricesResult, error) {
	const maxPrices = 500
	if len(r.Points) > maxPrices {
		return pastPricesResult{}, &rpc.ParamError{Path: "points", Want: "a list of at most 500 points", Err: errTooManyCoins}
	}
	result := pastPricesResult{priceSource: p.source(r.priceNames), Points: []pastPrice{}}
	var failure error
	known := false // whether a price is known
	for _, point := range r.Points {
		past := pastPrice{pricePoint: point}
		if id := p.id(point.Coin, r.priceNames); id != "" {
			found, err := p.Client.At(ctx, string(r.Fiat), id, time.Unix(point.Time, 0))
			switch {
			case errors.Is(err, price.ErrService):
				failure, result.Incomplete = err, err.Error()
			case err != nil:
				return pastPricesResult{}, priceFailure(err)
			}
			known = known || found.Value != ""
			past.Price, past.At = found.Value, seconds(found.Time)
		}
		result.Points = append(result.Points, past)
	}
	if failure != nil && !known {
		return pastPricesResult{}, priceFailure(failure)
	}
	return result, nil
}

var errTooManyCoins = errors.New("too many")

// seconds returns a time as a Unix time, or 0 if it is unknown.
func seconds(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

func priceFailure(err error) error {
	switch {
	case errors.Is(err, price.ErrService):
		return mmerr.Transport.From(err, err.Error(), err.Error())
	case errors.Is(err, price.ErrFiat):
		return &rpc.ParamError{Path: "fiat", Want: "usd with the service komodo", Err: err}
	case errors.Is(err, price.ErrID):
		return &rpc.ParamError{Path: "ids", Want: "ids of 1 to 100 characters without spaces, commas and slashes", Err: err}
	}
	return err
}
