// Package trading implements the methods of the node API for swaps, orders and prices,
// including those that are refused because this node supports neither orders nor UTXO coins.
//
// Source: Komodo DeFi Framework's lp_swap and lp_ordermatch.
package trading

import (
	"context"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

const categoryTrading = "Orders and swaps (not available)"

// Trading is the area of Komodo DeFi Framework's methods for orders and swaps. This node
// supports neither: lists are empty, so that tools that poll their orders continue to work, and
// all other methods are refused with SwapsNotSupported.
type Trading struct{}

// NotTraded lists the methods that are refused.
var NotTraded = []struct{ Name, summary string }{
	{"orderbook", "Show the orders of a pair"},
	{"best_orders", "Show the best orders for a coin"},
	{"orderbook_depth", "Return the number of orders of pairs"},
	{"setprice", "Place a maker order"},
	{"update_maker_order", "Change a maker order"},
	{"buy", "Place a taker order that buys"},
	{"sell", "Place a taker order that sells"},
	{"trade_preimage", "Return the cost of a trade"},
	{"max_taker_vol", "Return the maximum volume of a taker order"},
	{"min_trading_vol", "Return the minimum volume of a trade"},
	{"cancel_order", "Cancel an order"},
	{"order_status", "Show an order"},
	{"my_swap_status", "Show a swap"},
	{"recover_funds_of_swap", "Recover the funds of a failed swap"},
	{"import_swaps", "Import swaps of another node"},
	{"start_simple_market_maker_bot", "Start to place orders by rules"},
	{"stop_simple_market_maker_bot", "Stop placing orders by rules"},
	{"stream::orderbook::enable", "Subscribe to the orders of a pair"},
	{"stream::swap_status::enable", "Subscribe to the states of swaps"},
	{"stream::order_status::enable", "Subscribe to the states of orders"},
}

// Methods implements Area.
func (t Trading) Methods() []rpc.Method {
	methods := []rpc.Method{
		listed("my_orders", "List the node's orders: always none", myOrders{map[string]struct{}{}, map[string]struct{}{}}),
		listed("my_recent_swaps", "List the node's swaps: always none", recentSwaps{Swaps: []struct{}{}, Limit: 10, Page: 1}),
		listed("active_swaps", "List the swaps in progress: always none", activeSwaps{[]string{}, map[string]struct{}{}}),
		listed("cancel_all_orders", "Cancel the node's orders: there are never any", cancelledOrders{[]string{}, []string{}}),
		listed("unban_pubkeys", "Let banned traders in again: there are never any", unbanned{map[string]struct{}{}, map[string]struct{}{}, []string{}}),
		listed("get_directly_connected_peers", "List the peers of the order network: always none", map[string][]string{}),
		listed("coins_needed_for_kick_start", "List the coins that swaps in progress need: always none", []string{}),
	}
	for _, m := range NotTraded {
		methods = append(methods, rpc.Handle(m.Name, rpc.Doc{Summary: m.summary + ": refused", Category: categoryTrading, Reads: true, Legacy: true}, refuseTrade(m.Name)).
			Unread().Raises(wire.Kinds(mmerr.SwapsNotSupported)...))
	}
	return methods
}

type (
	myOrders struct {
		Maker map[string]struct{} `json:"maker_orders"`
		Taker map[string]struct{} `json:"taker_orders"`
	}
	recentSwaps struct {
		Swaps   []struct{} `json:"swaps"`
		From    *string    `json:"from_uuid"`
		Skipped int        `json:"skipped"`
		Limit   int        `json:"limit"`
		Total   int        `json:"total"`
		Page    int        `json:"page_number"`
		Pages   int        `json:"total_pages"`
		Found   int        `json:"found_records"`
	}
	activeSwaps struct {
		IDs      []string            `json:"uuids"`
		Statuses map[string]struct{} `json:"statuses"`
	}
	unbanned struct {
		Still    map[string]struct{} `json:"still_banned"`
		Unbanned map[string]struct{} `json:"unbanned"`
		Unknown  []string            `json:"were_not_banned"`
	}
	cancelledOrders struct {
		Cancelled []string `json:"cancelled"`
		Matching  []string `json:"currently_matching"`
	}
)

// listed returns a method with a constant answer, in both forms.
func listed[R any](name, summary string, answer R) rpc.Method {
	give := func(context.Context, struct{}) (R, error) { return answer, nil }
	return rpc.Handle(name, rpc.Doc{Summary: summary, Category: categoryTrading, Reads: true, Legacy: true}, give).Unread()
}

func refuseTrade(name string) func(context.Context, struct{}) (struct{}, error) {
	return func(context.Context, struct{}) (struct{}, error) {
		text := name + " is not available: this node makes no orders and no swaps"
		return struct{}{}, mmerr.SwapsNotSupported.New(name, text)
	}
}
