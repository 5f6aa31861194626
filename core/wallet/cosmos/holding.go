package cosmos

import (
	"context"
	"errors"
	"math/big"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/wallet/account"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/wire"
)

// holding is what an address has of a denom, in units.
type holding struct{ total, spendable *big.Int }

// holding asks for what an address has. Accounts may own coins that they get with the
// time: for those alone the chain is asked a second question.
func (n *nodes) holding(ctx context.Context, address, denom string) (holding, error) {
	none := holding{new(big.Int), new(big.Int)}
	balance, err := n.pool.Balance(ctx, address, denom)
	if err != nil {
		return none, account.Failed(err)
	}
	total, err := balance.Units()
	if err != nil {
		return none, account.Failed(err)
	}
	if total.Sign() == 0 {
		return holding{total, total}, nil
	}
	return n.locked(ctx, address, denom, total)
}

// locked asks what an address can spend of what it has.
func (n *nodes) locked(ctx context.Context, address, denom string, total *big.Int) (holding, error) {
	h := holding{total, total}
	kind, err := n.kind(ctx, address)
	switch {
	case errors.Is(err, node.ErrNotFound):
		return h, nil
	case err != nil, !kind.vesting:
		return h, err
	}
	h.spendable, err = n.unlocked(ctx, address, denom)
	if unknown(err) { // an older chain
		return holding{total, total}, nil
	}
	if err != nil {
		return holding{new(big.Int), new(big.Int)}, account.Failed(err)
	}
	if h.spendable.Cmp(total) > 0 { // it is of a later block
		h.spendable = total
	}
	return h, nil
}

// kindTTL is how long the kind of an account is believed: it hardly ever changes.
const kindTTL = time.Hour

// kind is what matters of the kind of an account.
type kind struct {
	vesting  bool // it may own coins that it cannot send yet
	ethereum bool // its key has an address as on Ethereum
}

// kind asks one of the nodes what kind of account an address has. Its error is node.ErrNotFound for a new
// one, or coin.ErrTransport.
func (n *nodes) kind(ctx context.Context, address string) (kind, error) {
	return n.kinds.Get(ctx, fetch.Question{Quantity: "kind", Key: address}, kindTTL, func(ctx context.Context) (kind, error) {
		r, err := n.kept(ctx, address)
		if err != nil {
			return kind{}, account.Failed(err)
		}
		base, _ := r.Base(address) // the kind may have none
		return kind{r.Vesting(), r.EthereumKey(base)}, nil
	})
}

// maxPages bounds what is read to find one denom among all that strangers gave an
// address.
const (
	pageSize = 1000
	maxPages = 20
)

var errDenoms = errors.New("the account holds too many denoms")

// unlocked asks how much of a denom an address can send.
func (n *nodes) unlocked(ctx context.Context, address, denom string) (*big.Int, error) {
	page := wire.PageRequest{Limit: pageSize}
	for range maxPages {
		request := wire.AllBalancesRequest{Address: address, Page: &page}
		r, err := node.Ask[wire.AllBalancesResponse](ctx, n.pool, wire.PathSpendableBalances, &request)
		if err != nil {
			return nil, err
		}
		for _, c := range r.Balances {
			if c.Denom == denom {
				return c.Units()
			}
		}
		if len(r.Page.NextKey) == 0 {
			return new(big.Int), nil
		}
		page.Key = r.Page.NextKey
	}
	return nil, errDenoms
}
