package core

import (
	"context"
	"slices"

	"obverse/core/chain"
	"obverse/core/metrics"
)

// Gauges are what an operator may watch: the chain and what waits for it.
func (n *Node) Gauges() []metrics.Gauge {
	read := func(value func(*chain.View) int) func() float64 {
		return func() (f float64) {
			// Read fails only when the look does, and this one does not.
			_ = n.chain.manager.Read(context.Background(), func(v *chain.View) error {
				f = float64(value(v))
				return nil
			})
			return f
		}
	}
	own := []metrics.Gauge{
		{Name: "chain_height_blocks", Help: "Height of the last block.",
			Read: read(func(v *chain.View) int { return v.Tip().Height })},
		{Name: "chain_tip_time_seconds", Help: "Unix time of the last block.",
			Read: read(func(v *chain.View) int { return int(v.Tip().Time) })},
		{Name: "mempool_transactions", Help: "Transactions that wait for a block.",
			Read: read(func(*chain.View) int { return n.chain.pool.Size() })},
		{Name: "mempool_bytes", Help: "Their size together.",
			Read: read(func(*chain.View) int { return n.chain.pool.Bytes() })},
	}
	return slices.Concat(own, n.wallet.events.Gauges(), []metrics.Gauge{
		{Name: "coins_active", Help: "Coins that are activated.",
			Read: func() float64 { return float64(len(n.wallet.active.List())) }},
		{Name: "rpc_unknown_params", Help: "Parameters of interface B that no method reads, since the start.",
			Read: func() float64 { return float64(n.wallet.server.UnknownParams()) }},
		{Name: "swaps_running", Help: "Swaps in progress.",
			Read: func() float64 { return float64(len(n.wallet.swaps.Running())) }},
	})
}
