package cosmos

import (
	"context"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
)

// Try asks a node for its health, which has to be on the chain of an entry. Errors are those of
// coin.As, nodepool.New and ctx.
func (a *Activator) Try(ctx context.Context, entry *coin.Entry, n nodepool.Node) (nodepool.Trial, error) {
	entered, err := coin.As[coin.Cosmos](entry)
	if err != nil {
		return nodepool.Trial{}, err
	}
	pool, err := node.New(node.Config{Nodes: []nodepool.Node{n}, ChainID: entered.ChainID, Fetcher: a.Fetcher, Identity: a.Identity, Now: a.Now})
	if err != nil {
		return nodepool.Trial{}, err
	}
	return pool.Try(ctx, entered.ChainID)
}
