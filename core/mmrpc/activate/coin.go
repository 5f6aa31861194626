package activate

import (
	"context"
	"errors"
	"slices"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/net/nodepool"
	"obverse/core/rpc"
	"obverse/core/swap"
	"obverse/core/wallet/coin"
)

// Coins is the area of the methods for active coins of all kinds.
type Coins struct {
	Active *coin.Active
	Swaps  *swap.Ledger // coins that are needed by running swaps cannot be disabled; nil if there are no swaps
}

// Methods implements Area.
func (c Coins) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("get_enabled_coins", rpc.Doc{Reads: true,
			Summary: "List the active coins in the order of their activation", Category: wire.CategoryCoins,
			Detail: `Without "mmrpc" the result is a list of {address, ticker}.`,
		}, c.Enabled).Unread().Older(rpc.Handle("get_enabled_coins", rpc.Doc{Reads: true}, c.addresses).Unread()),
		rpc.Handle("disable_coin", rpc.Doc{
			Summary: "Disable a coin",
			Detail: "A platform coin with active tokens becomes passive instead: it is listed as inactive, but continues to serve its tokens. With force_disable " +
				"its tokens are disabled with it. For a coin that is still being activated, the error is NoSuchCoin and the activation is cancelled.",
			Category: wire.CategoryCoins, Legacy: true,
		}, c.disable).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.ActiveSwaps)...),
		rpc.Handle("my_balance", rpc.Doc{Reads: true,
			Summary: "Return the balance of a coin", Category: wire.CategoryCoins, Legacy: true,
		}, c.balance).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.Transport)...),
		rpc.Handle("get_coin_nodes", rpc.Doc{Reads: true,
			Summary: "Report the state of a coin's nodes",
			Detail: "The method makes no requests: the result reflects previous requests of the coin. A coin works as long as one " +
				"node works. A token uses the nodes of its platform. NFT networks and Lightning coins have no nodes; for the peers of a Lightning coin, see " +
				"lightning::nodes::list_peers.",
			Category: wire.CategoryCoins,
		}, c.nodes).Raises(wire.Kinds(mmerr.NoSuchCoin)...),
	}
}

type enabledCoins struct {
	Coins []enabledCoin `json:"coins"`
	Gaps  []wire.Gap    `json:"incomplete,omitempty" doc:"coins missing from the list because the node is still restoring them after its start; absent if the list is complete"`
}

type enabledCoin struct {
	Ticker string `json:"ticker" doc:"ticker of the coin"`
}

func (c Coins) Enabled(context.Context, struct{}) (enabledCoins, error) {
	list := enabledCoins{Coins: []enabledCoin{}, Gaps: wire.ViewGaps(c.Active.Waiting())} // read first, since a coin may be restored in the meantime
	for _, active := range c.Active.List() {
		list.Coins = append(list.Coins, enabledCoin{active.Ticker()})
	}
	return list, nil
}

// enabledAddress is an active coin in the older result.
type enabledAddress struct {
	Address string `json:"address"`
	Ticker  string `json:"ticker"`
}

func (c Coins) addresses(context.Context, struct{}) ([]enabledAddress, error) {
	list := []enabledAddress{}
	for _, active := range c.Active.List() {
		result := enabledAddress{Ticker: active.Ticker()}
		if addresser, has := active.(coin.Addresser); has {
			result.Address = addresser.Address()
		}
		list = append(list, result)
	}
	return list, nil
}

type disableCoinParams struct {
	Coin  string `json:"coin" doc:"ticker"`
	Force bool   `json:"force_disable" default:"false" doc:"also disable the tokens of a platform coin"`
}

type disabledCoin struct {
	Coin      string   `json:"coin" doc:"ticker as in the request"`
	Cancelled []string `json:"cancelled_orders" doc:"always empty, because the node has no orders"`
	Passive   bool     `json:"passivized" doc:"whether the coin continues to serve its tokens"`
}

func (c Coins) disable(ctx context.Context, p disableCoinParams) (disabledCoin, error) {
	if ids := c.needed(p); len(ids) > 0 {
		return disabledCoin{}, notDisabled(mmerr.ActiveSwaps.New(ids, "There are currently matching orders, active swaps"), ids)
	}
	done, err := c.Active.Disable(ctx, p.Coin, p.Force)
	if errors.Is(err, coin.ErrNotActive) {
		return disabledCoin{}, notDisabled(wire.NoSuchCoin(err, p.Coin), nil)
	}
	return disabledCoin{Coin: p.Coin, Cancelled: []string{}, Passive: done.Passive}, err
}

// needed returns the ids of the running swaps that need the coins about to be disabled.
func (c Coins) needed(p disableCoinParams) (ids []string) {
	if _, err := c.Active.Get(p.Coin); err != nil || c.Swaps == nil {
		return nil
	}
	gone := []string{p.Coin}
	if p.Force {
		gone = append(gone, c.Active.Tokens(p.Coin)...)
	}
	for _, s := range c.Swaps.Running() {
		needs := []string{s.DexFee.Coin, s.DexFee.Fee.Coin, s.Payment.Coin, s.Payment.Fee.Coin, s.SpendFee.Coin}
		if slices.ContainsFunc(gone, func(ticker string) bool { return slices.Contains(needs, coin.Canonical(ticker)) }) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// disableFailure is the answer of disable_coin to a request without "mmrpc", as in Komodo DeFi
// Framework.
type disableFailure struct {
	Text   string `json:"error"`
	Orders struct {
		Matching  []string `json:"matching"`
		Cancelled []string `json:"cancelled"`
	} `json:"orders"`
	Swaps []string `json:"active_swaps"`
}

// legacyDisableError is an error of disable_coin with its legacy form.
type legacyDisableError struct {
	error
	swaps []string
}

func notDisabled(err error, swaps []string) error { return legacyDisableError{err, swaps} }

func (e legacyDisableError) Unwrap() error { return e.error }

// Legacy implements LegacyError. The text of this method has no places, as in Komodo DeFi
// Framework.
func (e legacyDisableError) Legacy(string) any {
	f := disableFailure{Text: e.Error(), Swaps: append([]string{}, e.swaps...)}
	f.Orders.Matching, f.Orders.Cancelled = []string{}, []string{}
	return f
}

type balanceParams struct {
	Coin string `json:"coin" doc:"ticker"`
}

type balanceResult struct {
	Coin        string `json:"coin" doc:"ticker as in the request"`
	Balance     string `json:"balance" doc:"spendable balance, a decimal number"`
	Unspendable string `json:"unspendable_balance" doc:"balance that cannot be sent now, a decimal number"`
	Address     string `json:"address" doc:"the coin's own address"`
}

// Flat implements Flat.
func (balanceResult) Flat() {}

func (c Coins) balance(ctx context.Context, p balanceParams) (balanceResult, error) {
	active, err := c.Active.Get(p.Coin)
	if err != nil {
		return balanceResult{}, wire.NoSuchCoin(err, p.Coin)
	}
	balancer, has := active.(coin.Balancer)
	if !has {
		text := wire.Clip(p.Coin) + " has no balance of its own"
		return balanceResult{}, mmerr.InvalidRequest.New(text, text)
	}
	balance, err := balancer.Balance(ctx)
	if errors.Is(err, coin.ErrTransport) {
		return balanceResult{}, mmerr.Transport.From(err, err.Error(), "Transport error: "+err.Error())
	}
	shown := balanceResult{Coin: p.Coin, Balance: balance.Spendable.String(), Unspendable: balance.Unspendable.String()}
	if addresser, has := active.(coin.Addresser); has {
		shown.Address = addresser.Address()
	}
	return shown, err
}

// pooled is a coin with a pool of nodes chosen by the user, or a token on such a coin.
type pooled interface{ Nodes() []nodepool.State }

type coinNodesParams struct {
	Coin string `json:"coin" doc:"ticker of an active coin or token"`
}

type coinNodes struct {
	Coin  string     `json:"coin" doc:"ticker as in the request"`
	Nodes []nodeView `json:"nodes" doc:"nodes in the order of the activation, without duplicates; nodes with unusable URLs come last"`
}

type nodeView struct {
	URL    string    `json:"url" doc:"URL without user, password, query and other parts that may contain a key"`
	State  nodeState `json:"state" doc:"in_use; behind (in use, but other nodes have newer blocks and are preferred); pending (no response yet); left_out (the node failed, its URL is unusable, it is on another chain, or it reports blocks that the others do not have); suspended (the node requested a pause with Retry-After)"`
	Reason string    `json:"reason,omitempty" doc:"reason for left_out, suspended or behind; for a node in use, a contradiction with another node"`
	Retry  int64     `json:"retry_at,omitempty" doc:"left_out, suspended: time of the next attempt, in seconds since 1970"`
}

// nodeState is the state of a coin's node.
type nodeState string

const (
	nodeInUse     nodeState = "in_use"
	nodeBehind    nodeState = "behind"
	nodePending   nodeState = "pending"
	nodeLeftOut   nodeState = "left_out"
	nodeSuspended nodeState = "suspended"
)

// Values implements rpc.Enum.
func (nodeState) Values() []string {
	return []string{string(nodeInUse), string(nodeBehind), string(nodePending), string(nodeLeftOut), string(nodeSuspended)}
}

func (c Coins) nodes(_ context.Context, p coinNodesParams) (coinNodes, error) {
	active, err := c.Active.Get(p.Coin)
	if err != nil {
		return coinNodes{}, wire.NoSuchCoin(err, p.Coin)
	}
	pool, has := active.(pooled)
	if !has {
		text := wire.Clip(p.Coin) + " was activated without a list of nodes"
		return coinNodes{}, mmerr.InvalidRequest.New(text, text)
	}
	list := coinNodes{Coin: p.Coin, Nodes: []nodeView{}}
	for _, n := range pool.Nodes() {
		list.Nodes = append(list.Nodes, viewNode(n))
	}
	return list, nil
}

func viewNode(n nodepool.State) nodeView {
	shown := nodeView{URL: n.URL, State: nodePending}
	switch {
	case n.Healthy && n.Ahead:
		shown.State, shown.Reason, shown.Retry = nodeLeftOut, n.HeightProblem, n.RetryAt.Unix()
	case n.Healthy && n.Behind:
		shown.State, shown.Reason = nodeBehind, n.HeightProblem
	case n.Healthy:
		shown.State, shown.Reason = nodeInUse, n.HeightProblem
	case n.Reason != "":
		shown.State, shown.Reason = nodeLeftOut, n.Reason
		if !n.RetryAt.IsZero() { // otherwise its URL cannot be used
			shown.Retry = n.RetryAt.Unix()
		}
		if n.Suspended {
			shown.State = nodeSuspended
		}
	}
	return shown
}
