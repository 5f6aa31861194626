package core

import (
	"context"
	"slices"

	"obverse/core/chain"
	"obverse/core/task/metrics"
	"obverse/core/versionstat"
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
		{Name: "version_stat_running", Help: "1 while versions of other nodes are collected.",
			Read: func() float64 { return truth(n.wallet.stats.State() != versionstat.Stopped) }},
		{Name: "rpc_unknown_params_total", Help: "Parameters of interface B that no method reads.", Grows: true,
			Read: func() float64 { return float64(n.wallet.server.UnknownParams()) }},
		{Name: "swaps_running", Help: "Swaps in progress.",
			Read: func() float64 { return float64(len(n.wallet.swaps.Running())) }},
	})
}

// Busy reports whether the node has work to go on with between calls: transactions to put
// into a block, clients that listen, versions to collect.
func (n *Node) Busy() bool {
	return n.chain.makesBlocks() && n.chain.pool.Size() > 0 || n.wallet.events.Subscribed() > 0 || n.wallet.stats.State() != versionstat.Stopped
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
