package mmrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/event"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// BalanceStreams is the area of the method by which a client is told when balances
// change.
type BalanceStreams struct {
	Hub    *event.Hub
	Active *coin.Active
}

// Methods implements Area.
func (b BalanceStreams) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("stream::balance::enable", rpc.Doc{
			Summary: "Tell a client whenever the balance of a coin changes",
			Detail: "The client has to have its event stream open: GET /event-stream?id=<client_id>. An event is a list of those balances that have " +
				"changed, of the coin and of the active tokens on it: [{\"ticker\":…,\"balance\":{\"spendable\":…,\"unspendable\":…}}].",
			Category: categoryStreams,
		}, b.enable).Raises(kinds(mmerr.CoinNotFound, mmerr.CoinNotSupported, mmerr.EnableError)...),
	}
}

type enableBalanceParams struct {
	Coin     string          `json:"coin" doc:"ticker of an active coin"`
	ClientID uint64          `json:"client_id" default:"0" doc:"the id of the client's event stream"`
	Config   json.RawMessage `json:"config" rpc:"optional" doc:"nothing, or an object without members"`
}

func (b BalanceStreams) enable(_ context.Context, p enableBalanceParams) (enableResult, error) {
	active, err := b.Active.Get(p.Coin)
	if err != nil {
		return enableResult{}, mmerr.CoinNotFound.From(err, mmerr.None{}, "CoinNotFound: "+clip(p.Coin)+" is not activated")
	}
	if _, can := active.(coin.BalanceWatcher); !can {
		return enableResult{}, mmerr.CoinNotSupported.New(mmerr.None{}, "CoinNotSupported: "+clip(p.Coin)+" has no stream of balances")
	}
	if !empty(p.Config) {
		const reason = "Invalid config provided. No config needed"
		return enableResult{}, mmerr.EnableError.New(reason, reason)
	}
	return Streams{Hub: b.Hub}.enable(p.ClientID, balanceSource{b.Active, active.Ticker()})
}

// empty reports whether there is no config, or one that says nothing.
func empty(config json.RawMessage) bool {
	switch rpc.KindOf(config) {
	case rpc.KindNull:
		return true
	case rpc.KindObject:
		return len(bytes.TrimSpace(bytes.Trim(bytes.TrimSpace(config), "{}"))) == 0
	}
	return false
}

// balanceSource tells of the balances of a coin, whichever activation of it there is.
type balanceSource struct {
	active *coin.Active
	ticker string
}

// ID implements event.Streamer.
func (s balanceSource) ID() string { return "BALANCE:" + s.ticker }

type tickerBalance struct {
	Ticker  string      `json:"ticker"`
	Balance balanceInfo `json:"balance"`
}

// Run implements event.Source. A coin that is replaced by another activation goes on.
func (s balanceSource) Run(ctx context.Context, publish func(any) error) error {
	for {
		active, err := s.active.Get(s.ticker)
		if err != nil {
			return err
		}
		watcher, can := active.(coin.BalanceWatcher)
		if !can {
			return fmt.Errorf("%s has no stream of balances", s.ticker)
		}
		err = watcher.WatchBalances(ctx, func(changed []coin.TickerBalance) error {
			message := make([]tickerBalance, len(changed))
			for i, c := range changed {
				message[i] = tickerBalance{c.Ticker, infoOf(c.Balance)}
			}
			return publish(message)
		})
		if now, _ := s.active.Get(s.ticker); !errors.Is(err, coin.ErrNotActive) || now == active {
			return err
		}
	}
}
