package events

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obverse/core/clock"
	"obverse/core/event"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// CoinStreams is the area of the methods that subscribe to a coin's balances, transactions and
// fees.
type CoinStreams struct {
	Hub    *event.Hub
	Active *coin.Active
}

// Methods implements Area.
func (c CoinStreams) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("stream::balance::enable", rpc.Doc{
			Summary: "Stream balance changes of a coin",
			Detail: "The client must have an open event stream: GET /event-stream?id=<client_id>. An event is a list of the balances that have " +
				"changed, of the coin and its active tokens, and once for a token that is activated later: [{\"ticker\":…,\"balance\":{\"spendable\":…,\"unspendable\":…}}]. For an HD wallet, it lists " +
				"all known addresses, with address, the coin's own first.",
			Category: categoryStreams,
		}, c.enableBalances).Raises(wire.Kinds(mmerr.CoinNotFound, mmerr.CoinNotSupported, mmerr.EnableError)...),
		rpc.Handle("stream::tx_history::enable", rpc.Doc{
			Summary: "Stream each transaction of a coin once my_tx_history lists it",
			Detail: "The coin must be activated with tx_history. An event is a transaction, as in my_tx_history. While the node loads a history for the " +
				"first time, the stream includes old transactions.",
			Category: categoryStreams,
		}, c.enableHistory).Raises(wire.Kinds(mmerr.CoinNotFound, mmerr.CoinNotSupported, mmerr.EnableError)...),
		rpc.Handle("stream::fee_estimator::enable", rpc.Doc{
			Summary:  "Stream gas prices",
			Detail:   "An event contains the result of get_eth_estimated_fee_per_gas. The interval of the first client of a coin applies to all clients.",
			Category: categoryStreams,
		}, c.enableFees).Raises(wire.Kinds(mmerr.CoinNotFound, mmerr.CoinNotSupported, mmerr.EnableError)...),
	}
}

// watchParams are the parameters for streams of a coin that have no config.
type watchParams struct {
	Coin     string          `json:"coin" doc:"ticker of an active coin"`
	ClientID uint64          `json:"client_id" default:"0" doc:"id of the client's event stream"`
	Config   json.RawMessage `json:"config" rpc:"optional" doc:"absent, or an empty object"`
}

// enable subscribes a client to a stream of an active coin.
func (c CoinStreams) enable(p watchParams, s CoinSource) (enableResult, error) {
	s.Active = c.Active
	return Streams{Hub: c.Hub}.enable(p.ClientID, s)
}

// watched returns the active coin in a request, after checking the other parameters.
func (c CoinStreams) watched(p watchParams) (coin.Coin, error) {
	if !empty(p.Config) {
		const reason = "Invalid config provided. No config needed"
		return nil, mmerr.EnableError.New(reason, reason)
	}
	return c.coin(p.Coin)
}

// coin returns an active coin.
func (c CoinStreams) coin(ticker string) (coin.Coin, error) {
	active, err := c.Active.Get(ticker)
	if err != nil {
		return nil, mmerr.CoinNotFound.From(err, mmerr.None{}, "CoinNotFound: "+wire.Clip(ticker)+" is not activated")
	}
	return active, nil
}

// notStreamed returns the error for a coin that does not support a stream.
func notStreamed(reason string) error {
	return mmerr.CoinNotSupported.New(mmerr.None{}, "CoinNotSupported: "+reason)
}

// empty reports whether a config is absent or has no members.
func empty(config json.RawMessage) bool {
	switch rpc.KindOf(config) {
	case rpc.KindNull:
		return true
	case rpc.KindObject:
		return len(bytes.TrimSpace(bytes.Trim(bytes.TrimSpace(config), "{}"))) == 0
	}
	return false
}

// CoinSource streams values of a coin. It continues when the coin is disabled and activated
// again.
type CoinSource struct {
	id     string
	Ticker string
	Active *coin.Active
	Watch  func(ctx context.Context, c coin.Coin, publish func(any) error) error
}

// ID implements event.Streamer.
func (s CoinSource) ID() string { return s.id }

// Run implements event.Source.
func (s CoinSource) Run(ctx context.Context, publish func(any) error) error {
	for {
		active, err := s.Active.Get(s.Ticker)
		if err != nil {
			return err
		}
		err = s.Watch(ctx, active, publish)
		if now, _ := s.Active.Get(s.Ticker); !errors.Is(err, coin.ErrNotActive) || now == active {
			return err
		}
	}
}

func (c CoinStreams) enableBalances(_ context.Context, p watchParams) (enableResult, error) {
	active, err := c.watched(p)
	if err != nil {
		return enableResult{}, err
	}
	if _, can := active.(coin.BalanceWatcher); !can {
		return enableResult{}, notStreamed(wire.Clip(p.Coin) + " has no stream of balances")
	}
	ticker := active.Ticker()
	return c.enable(p, CoinSource{id: "BALANCE:" + ticker, Ticker: ticker, Watch: WatchBalances})
}

type tickerBalance struct {
	Ticker  string           `json:"ticker"`
	Address string           `json:"address,omitempty"`
	Balance wire.BalanceInfo `json:"balance"`
}

// WatchBalances publishes the balances of a coin as they change.
func WatchBalances(ctx context.Context, c coin.Coin, publish func(any) error) error {
	watcher, can := c.(coin.BalanceWatcher)
	if !can {
		return fmt.Errorf("%s has no stream of balances", c.Ticker())
	}
	return watcher.WatchBalances(ctx, func(changed []coin.TickerBalance) error {
		message := make([]tickerBalance, len(changed))
		for i, c := range changed {
			message[i] = tickerBalance{c.Ticker, c.Address, wire.InfoOf(c.Balance)}
		}
		return publish(message)
	})
}

func (c CoinStreams) enableHistory(_ context.Context, p watchParams) (enableResult, error) {
	active, err := c.watched(p)
	if err != nil {
		return enableResult{}, err
	}
	watcher, can := active.(coin.HistoryWatcher)
	if !can {
		return enableResult{}, notStreamed(wire.Clip(p.Coin) + " has no stream of transactions")
	}
	if !watcher.HasHistory() {
		reason := wire.Clip(p.Coin) + " has no history: activate it with tx_history"
		return enableResult{}, mmerr.EnableError.New(reason, reason)
	}
	ticker := active.Ticker()
	return c.enable(p, CoinSource{id: "TX_HISTORY:" + ticker, Ticker: ticker, Watch: WatchHistory})
}

// WatchHistory publishes the new transactions of a coin.
func WatchHistory(ctx context.Context, c coin.Coin, publish func(any) error) error {
	watcher, can := c.(coin.HistoryWatcher)
	if !can {
		return fmt.Errorf("%s has no stream of transactions", c.Ticker())
	}
	return watcher.WatchHistory(ctx, func(tx coin.Transaction, height uint64) {
		at := coin.History{CurrentBlock: max(height, tx.Height), Transactions: []coin.Transaction{tx}}
		_ = publish(wire.ViewHistory(at)[0]) // a transaction can always be encoded
	})
}

type enableFeesParams struct {
	Coin     string     `json:"coin" doc:"ticker of an active coin of an EVM network"`
	ClientID uint64     `json:"client_id" default:"0" doc:"id of the client's event stream"`
	Config   feesConfig `json:"config" default:"{}" doc:"interval of the events"`
}

type feesConfig struct {
	Every streamInterval `json:"estimate_every" default:"15" doc:"seconds between two events"`
	Type  estimatorType  `json:"estimator_type" default:"Simple" doc:"as in get_eth_estimated_fee_per_gas"`
}

// Closed implements rpc.Closed.
func (feesConfig) Closed() {}

func (c CoinStreams) enableFees(_ context.Context, p enableFeesParams) (enableResult, error) {
	active, err := c.coin(p.Coin)
	if err != nil {
		return enableResult{}, err
	}
	if _, can := active.(coin.FeeEstimator); !can {
		return enableResult{}, notStreamed("Gas fee estimation not supported for " + wire.Clip(p.Coin))
	}
	return Streams{Hub: c.Hub}.enable(p.ClientID, feeSource{FeeEstimates{c.Active}, active.Ticker(), time.Duration(p.Config.Every)})
}

// feeSource streams the fees of a coin.
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
