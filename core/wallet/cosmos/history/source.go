package history

import (
	"context"
	"time"

	"obverse/core/wallet/cosmos/node"
)

// Source are the nodes of a chain. Any node may answer any call, and nodes differ in
// how far back they know transactions. Errors that are not among those below count as
// passing: the call is made again later.
type Source interface {
	// Search finds transactions in the order of the chain. Beyond the last page it fails
	// with node.ErrNoPage.
	Search(ctx context.Context, s node.Search) (node.Found, error)
	// BlockTime is the time in the header of a block. It fails with node.ErrNoBlock when no
	// node has the block, not yet or not any more.
	BlockTime(ctx context.Context, height uint64) (time.Time, error)
	// Agreed is a transaction in a block as most nodes have it, with events of the same meaning.
	// It fails with node.ErrNotFound, a *nodepool.DisagreementError, and node.ErrAlone, with which it
	// returns what one server has.
	Agreed(ctx context.Context, hash string, meaning func(node.Tx) string) (node.Tx, error)
	// Servers is how many servers the nodes are on.
	Servers() int
	// Height is the newest block's.
	Height(ctx context.Context) (uint64, error)
	// Earliest is the lowest block that some node still has.
	Earliest(ctx context.Context) (uint64, error)
}
