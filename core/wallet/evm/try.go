package evm

import (
	"context"
	"strconv"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/node"
)

// Try asks a node for its health. It has to be on the network of an entry; without one it may be
// on any, and the trial has its chain. Errors are those of coin.As, nodepool.New and ctx.
func (a *Activator) Try(ctx context.Context, entry *coin.Entry, n nodepool.Node) (nodepool.Trial, error) {
	var chain uint64
	if entry != nil {
		entered, err := coin.As[coin.ETH](entry)
		if err != nil {
			return nodepool.Trial{}, err
		}
		chain = entered.ChainID
	}
	for {
		pool, err := node.New(node.Config{Nodes: []nodepool.Node{n}, ChainID: chain, Fetcher: a.Fetcher, Dialer: a.Dialer, Identity: a.Identity, Now: a.Now})
		if err != nil {
			return nodepool.Trial{}, err
		}
		t, err := pool.Try(ctx, strconv.FormatUint(chain, 10))
		if err != nil || entry != nil || chain != 0 {
			return t, err
		}
		if chain, err = strconv.ParseUint(t.Chain, 10, 64); err != nil || chain == 0 {
			return t, nil // unknown
		}
	}
}
