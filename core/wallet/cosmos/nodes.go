package cosmos

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

// nodes holds the nodes of a chain. It implements tx.Node and history.Source.
type nodes struct {
	pool  *node.Pool
	kinds *fetch.Cache[kind] // types of accounts, by address
}

// unknown reports whether no node supports a query.
func unknown(err error) bool {
	var query *node.QueryError
	return errors.As(err, &query) && query.UnknownPath()
}

// Account implements tx.Node.
func (n *nodes) Account(ctx context.Context, address string) (tx.Account, error) {
	a, err := n.pool.Account(ctx, address)
	switch {
	case err != nil:
		return tx.Account{}, coin.Failed(err)
	case !a.Exists:
		return tx.Account{}, tx.ErrNoAccount
	case a.Ethereum:
		err = errEthereumKeys
	case a.Unknown != "":
		err = fmt.Errorf("account type %.100q has no base account", a.Unknown)
	}
	if err != nil {
		return tx.Account{}, &coin.InvalidError{Field: coin.FieldFrom, Reason: err}
	}
	return tx.Account{Number: a.Number, Sequence: a.Sequence, Alone: a.Alone}, nil
}

// Reasons why a decoded response is invalid.
var (
	errNoAccount = errors.New("no account in the response")
	errNoChannel = errors.New("no channel in the response")
	errNoClient  = errors.New("no client in the response")
)

// storedAccount queries the account of an address, of any type.
func (n *nodes) storedAccount(ctx context.Context, address string) (wire.AccountResponse, error) {
	return node.Ask[wire.AccountResponse](ctx, n.pool, wire.PathAccount, &wire.AccountRequest{Address: address}, func(m wire.Message) error {
		if m.(*wire.AccountResponse).Account.TypeURL == "" {
			return errNoAccount
		}
		return nil
	})
}

// Balance implements tx.Node.
func (n *nodes) Balance(ctx context.Context, address, denom string) (*big.Int, error) {
	units, err := n.pool.VotedBalance(ctx, address, denom)
	if err != nil || units.Sign() == 0 {
		return units, coin.Failed(err)
	}
	a, err := n.pool.Account(ctx, address) // a vote, since a single node could report that all or none is locked
	if err != nil || !a.Vesting {
		return units, coin.Failed(err)
	}
	spendable, err := n.votedSpendable(ctx, address, denom)
	if unknown(err) { // an older chain
		return units, nil
	}
	if err != nil || spendable.Cmp(units) < 0 {
		units = spendable
	}
	return units, coin.Failed(err)
}

// votedSpendable returns the spendable balance of an address in a denom, by a vote of the nodes, or
// by one node if the address has very many denoms.
func (n *nodes) votedSpendable(ctx context.Context, address, denom string) (*big.Int, error) {
	request := &wire.AllBalancesRequest{Address: address, Page: &wire.PageRequest{Limit: pageSize}}
	units, err := node.Units(ctx, n.pool, wire.PathSpendableBalances, request, func(r *wire.AllBalancesResponse) (*big.Int, error) {
		for _, c := range r.Balances {
			if c.Denom == denom {
				return c.Units()
			}
		}
		if len(r.Page.NextKey) > 0 {
			return big.NewInt(-1), nil // the denom is on another page; an error would count as a failure of the node
		}
		return new(big.Int), nil
	})
	if err == nil && units.Sign() < 0 {
		return n.unlocked(ctx, address, denom)
	}
	return units, err
}

// Newest implements tx.Node.
func (n *nodes) Newest(ctx context.Context) (tx.Block, error) {
	height, at, alone, err := n.pool.Newest(ctx)
	return tx.Block{Height: uint64(max(height, 0)), Time: at, Alone: alone}, coin.Failed(err)
}

// Simulate implements tx.Node.
func (n *nodes) Simulate(ctx context.Context, raw []byte) (uint64, error) {
	s, err := n.pool.Simulate(ctx, raw, tx.Expected)
	switch {
	case unknown(err):
		return 0, tx.ErrNoSimulation
	case err != nil:
		return 0, coin.Failed(err)
	case s.Refused != nil:
		return 0, &tx.AnswerError{Verdict: tx.Verdict{Code: s.Refused.Code, Codespace: s.Refused.Codespace, Log: s.Refused.Log}, Sequence: s.Sequence}
	}
	return s.Gas, nil
}

// Channel implements tx.Node.
func (n *nodes) Channel(ctx context.Context, id string) (wire.Channel, error) {
	var c wire.Channel
	raw, err := node.Vote(ctx, n.pool, "the channel "+id, wire.PathChannel, &wire.ChannelRequest{Port: "transfer", Channel: id}, func(r *wire.ChannelResponse) (string, error) {
		if r.Channel.State == 0 {
			return "", errNoChannel
		}
		return string(wire.Encode(&r.Channel)), nil
	})
	if errors.Is(err, node.ErrNotFound) {
		return c, tx.ErrNoChannel
	}
	if err == nil {
		err = wire.Decode([]byte(raw), &c)
	}
	return c, coin.Failed(err)
}

// ChannelClient implements tx.Node. The result contains only the chain of the client's state.
func (n *nodes) ChannelClient(ctx context.Context, id string) (wire.IdentifiedClient, error) {
	type client struct{ id, chain string }
	c, err := node.Vote(ctx, n.pool, "the client of "+id, wire.PathChannelClient, &wire.ChannelRequest{Port: "transfer", Channel: id}, func(r *wire.ChannelClientResponse) (client, error) {
		if r.Client.ID == "" {
			return client{}, errNoClient
		}
		var state wire.ClientState
		if r.Client.State.TypeURL != state.TypeURL() || wire.Decode(r.Client.State.Value, &state) != nil {
			state.ChainID = ""
		}
		return client{r.Client.ID, state.ChainID}, nil
	})
	if errors.Is(err, node.ErrNotFound) {
		return wire.IdentifiedClient{}, tx.ErrNoChannel
	}
	return wire.IdentifiedClient{ID: c.id, State: wire.Pack(&wire.ClientState{ChainID: c.chain})}, coin.Failed(err)
}

// ClientStatus implements tx.Node.
func (n *nodes) ClientStatus(ctx context.Context, id string) (string, error) {
	status, err := node.Vote(ctx, n.pool, "the status of "+id, wire.PathClientStatus, &wire.ClientStatusRequest{ClientID: id},
		func(r *wire.ClientStatusResponse) (string, error) { return r.Status, nil })
	if unknown(err) {
		return "", nil
	}
	return status, coin.Failed(err)
}

// Broadcast implements tx.Node.
func (n *nodes) Broadcast(ctx context.Context, raw []byte) (tx.Verdict, error) {
	sent, err := n.pool.Broadcast(ctx, raw)
	check, refused := err.(*node.CheckError) // only if no other node may have the transaction
	switch {
	case refused:
		return tx.Verdict{Code: check.Code, Codespace: check.Codespace, Log: check.Log}, nil
	case err == nil && sent.Known:
		return tx.Verdict{}, tx.ErrKnown
	}
	return tx.Verdict{}, coin.Failed(err)
}

// Find implements tx.Node.
func (n *nodes) Find(ctx context.Context, hash string, sure bool) (tx.Found, error) {
	var id [32]byte
	if _, err := hex.Decode(id[:], []byte(hash)); err != nil {
		return tx.Found{}, err
	}
	var t node.Tx
	var err error
	if !sure {
		t, err = n.pool.Tx(ctx, id)
	}
	if err == nil {
		t, err = n.pool.VotedTx(ctx, id)
	}
	switch {
	case errors.Is(err, node.ErrNotFound):
		return tx.Found{}, tx.ErrNotFound
	case errors.Is(err, node.ErrAlone):
		return tx.Found{}, tx.ErrAlone
	}
	return tx.Found{Verdict: tx.Verdict{Code: t.Code, Codespace: t.Codespace, Log: t.Log}, Height: t.Height}, coin.Failed(err)
}

// raw returns a transaction in a block. It fails with coin.ErrNoTransaction.
func (n *nodes) raw(ctx context.Context, hash [32]byte) ([]byte, error) {
	found, err := n.pool.Tx(ctx, hash)
	if errors.Is(err, node.ErrNotFound) {
		return nil, coin.ErrNoTransaction
	}
	return found.Raw, coin.Failed(err)
}

// Search implements history.Source.
func (n *nodes) Search(ctx context.Context, s node.Search) (node.Found, error) {
	found, err := n.pool.Search(ctx, s)
	return found, coin.Failed(err)
}

// Agreed implements history.Source.
func (n *nodes) Agreed(ctx context.Context, hash string, meaning func(node.Tx) string) (node.Tx, error) {
	var id [32]byte
	if _, err := hex.Decode(id[:], []byte(hash)); err != nil {
		return node.Tx{}, err
	}
	t, err := n.pool.AgreedTx(ctx, id, meaning)
	return t, coin.Failed(err)
}

// Servers implements history.Source.
func (n *nodes) Servers() int { return n.pool.Servers() }

// BlockTime implements history.Source.
func (n *nodes) BlockTime(ctx context.Context, height uint64) (time.Time, error) {
	at, err := n.pool.BlockTime(ctx, int64(height))
	return at, coin.Failed(err)
}

// Height implements history.Source.
func (n *nodes) Height(ctx context.Context) (uint64, error) {
	height, err := n.pool.Height(ctx)
	return uint64(max(height, 0)), coin.Failed(err)
}

// Earliest implements history.Source.
func (n *nodes) Earliest(ctx context.Context) (uint64, error) {
	height, err := n.pool.Earliest(ctx)
	return uint64(max(height, 0)), coin.Failed(err)
}

// Try checks the health of a node, which must be on the chain of an entry. It returns the errors of
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
