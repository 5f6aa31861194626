package mmrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obverse/core/event"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/task/clock"
	"obverse/core/wallet/coin"
)

// CoinStreams is the area of the methods by which a client is told of a coin's transactions and
// fees.
type CoinStreams struct {
	Hub    *event.Hub
	Active *coin.Active
}

// Methods implements Area.
func (c CoinStreams) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("stream::tx_history::enable", rpc.Doc{
			Summary: "Tell a client of each transaction of a coin once my_tx_history lists it",
			Detail: "The coin has to be activated with tx_history. An event is one transaction, as in my_tx_history. While a history is loaded for the " +
				"first time, its old transactions are told too.",
			Category: categoryStreams,
		}, c.enableHistory).Raises(kinds(mmerr.CoinNotFound, mmerr.CoinNotSupported, mmerr.EnableError)...),
		rpc.Handle("stream::fee_estimator::enable", rpc.Doc{
			Summary:  "Tell a client again and again what gas costs",
			Detail:   "An event is what get_eth_estimated_fee_per_gas answers. The interval of the first client that listens to a coin holds for all.",
			Category: categoryStreams,
		}, c.enableFees).Raises(kinds(mmerr.CoinNotFound, mmerr.CoinNotSupported, mmerr.EnableError)...),
	}
}

type enableHistoryParams struct {
	Coin     string          `json:"coin" doc:"ticker of an active coin"`
	ClientID uint64          `json:"client_id" default:"0" doc:"the id of the client's event stream"`
	Config   json.RawMessage `json:"config" rpc:"optional" doc:"nothing, or an object without members"`
}

func (c CoinStreams) enableHistory(_ context.Context, p enableHistoryParams) (enableResult, error) {
	active, err := c.Active.Get(p.Coin)
	if err != nil {
		return enableResult{}, mmerr.CoinNotFound.From(err, mmerr.None{}, "CoinNotFound: "+clip(p.Coin)+" is not activated")
	}
	watcher, can := active.(coin.HistoryWatcher)
	if !can {
		return enableResult{}, mmerr.CoinNotSupported.New(mmerr.None{}, "CoinNotSupported: "+clip(p.Coin)+" has no stream of transactions")
	}
	if !watcher.HasHistory() {
		reason := clip(p.Coin) + " has no history: activate it with tx_history"
		return enableResult{}, mmerr.EnableError.New(reason, reason)
	}
	if !empty(p.Config) {
		const reason = "Invalid config provided. No config needed"
		return enableResult{}, mmerr.EnableError.New(reason, reason)
	}
	return Streams{Hub: c.Hub}.enable(p.ClientID, historySource{c.Active, active.Ticker()})
}

// historySource tells of the transactions of a coin, whichever activation of it there is.
type historySource struct {
	active *coin.Active
	ticker string
}

// ID implements event.Streamer.
func (s historySource) ID() string { return "TX_HISTORY:" + s.ticker }

// Run implements event.Source. A coin that is replaced by another activation goes on.
func (s historySource) Run(ctx context.Context, publish func(any) error) error {
	for {
		active, err := s.active.Get(s.ticker)
		if err != nil {
			return err
		}
		watcher, can := active.(coin.HistoryWatcher)
		if !can {
			return fmt.Errorf("%s has no stream of transactions", s.ticker)
		}
		err = watcher.WatchHistory(ctx, func(tx coin.Transaction, height uint64) {
			at := coin.History{CurrentBlock: max(height, tx.Height), Transactions: []coin.Transaction{tx}}
			_ = publish(viewEntries(at)[0]) // it can be encoded
		})
		if now, _ := s.active.Get(s.ticker); !errors.Is(err, coin.ErrNotActive) || now == active {
			return err
		}
	}
}

type enableFeesParams struct {
	Coin     string     `json:"coin" doc:"ticker of an active coin of an EVM network"`
	ClientID uint64     `json:"client_id" default:"0" doc:"the id of the client's event stream"`
	Config   feesConfig `json:"config" default:"{}" doc:"how often"`
}

type feesConfig struct {
	Every streamInterval `json:"estimate_every" default:"15" doc:"seconds between two events"`
	Type  estimatorType  `json:"estimator_type" default:"Simple" doc:"as of get_eth_estimated_fee_per_gas"`
}

// Closed implements rpc.Closed.
func (feesConfig) Closed() {}

func (c CoinStreams) enableFees(_ context.Context, p enableFeesParams) (enableResult, error) {
	active, err := c.Active.Get(p.Coin)
	if err != nil {
		return enableResult{}, mmerr.CoinNotFound.From(err, mmerr.None{}, "CoinNotFound: "+clip(p.Coin)+" is not activated")
	}
	if _, can := active.(coin.FeeEstimator); !can {
		return enableResult{}, mmerr.CoinNotSupported.New(mmerr.None{}, "CoinNotSupported: Gas fee estimation not supported for "+clip(p.Coin))
	}
	return Streams{Hub: c.Hub}.enable(p.ClientID, feeSource{FeeEstimates{c.Active}, active.Ticker(), time.Duration(p.Config.Every)})
}

// feeSource tells of the fees of a coin.
type feeSource struct {
	estimates FeeEstimates
	ticker    string
	every     time.Duration
}

// ID implements event.Streamer.
func (s feeSource) ID() string { return "FEE_ESTIMATION:" + s.ticker }

// Run implements event.Source.
func (s feeSource) Run(ctx context.Context, publish func(any) error) error {
	for {
		fees, err := s.estimates.estimate(ctx, feeEstimateParams{Coin: s.ticker})
		if err == nil {
			err = publish(fees)
		}
		if err == nil {
			err = clock.Sleep(ctx, s.every)
		}
		if err != nil {
			return err
		}
	}
}
