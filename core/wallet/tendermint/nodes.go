package tendermint

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/tendermint/node"
	"obverse/core/wallet/tendermint/tx"
	"obverse/core/wallet/tendermint/wire"
)

// nodes are the nodes of a chain in the words of those who ask them: it is a tx.Node and
// a history.Source.
type nodes struct {
	pool  *node.Pool
	kinds *fetch.Cache[kind] // of accounts, by address
}

// answered is account.Failed, but for what the chain itself answers about a transaction.
func answered(err error) error {
	var query *node.QueryError
	if errors.As(err, &query) {
		return &tx.AnswerError{Code: query.Code, Codespace: query.Codespace, Log: query.Log}
	}
	return account.Failed(err)
}

// unknown reports whether no node knows a query. Some chains have the same code for what is
// wrong with a transaction that is simulated.
func unknown(err error) bool {
	var query *node.QueryError
	return errors.As(err, &query) && query.Codespace == "sdk" && query.Code == node.CodeUnknownRequest && strings.Contains(query.Log, "unknown query path")
}

// Account implements tx.Node.
func (n *nodes) Account(ctx context.Context, address string) (wire.BaseAccount, error) {
	r, err := n.kept(ctx, address)
	if errors.Is(err, node.ErrNotFound) {
		return wire.BaseAccount{}, tx.ErrNoAccount
	}
	if err != nil {
		return wire.BaseAccount{}, account.Failed(err)
	}
	base, err := r.Base(address)
	if err == nil && r.EthereumKey(base) {
		err = errEthereumKeys
	}
	if err != nil {
		return base, &coin.InvalidError{Field: coin.FieldFrom, Reason: err}
	}
	return base, nil
}

// Reasons for which an answer that can be read is none.
var (
	errNoAccount = errors.New("it has no account")
	errNoChannel = errors.New("it has no channel")
	errNoClient  = errors.New("it has no client")
)

// kept asks what the chain keeps of an address, in whatever form.
func (n *nodes) kept(ctx context.Context, address string) (wire.AccountResponse, error) {
	return node.Ask[wire.AccountResponse](ctx, n.pool, wire.PathAccount, &wire.AccountRequest{Address: address}, func(m wire.Message) error {
		r := m.(*wire.AccountResponse)
		if r.Account.TypeURL == "" {
			return errNoAccount
		}
		if _, err := r.Base(address); errors.Is(err, wire.ErrMalformed) {
			return err
		}
		return nil
	})
}

// Balance implements tx.Node.
func (n *nodes) Balance(ctx context.Context, address, denom string) (*big.Int, error) {
	h, err := n.holding(ctx, address, denom)
	return h.spendable, err
}

// Newest implements tx.Node.
func (n *nodes) Newest(ctx context.Context) (tx.Block, error) {
	s, err := n.pool.Status(ctx)
	return tx.Block{Height: uint64(max(s.Height, 0)), Time: s.Time}, account.Failed(err)
}

// maxGas is more than any transfer uses, ten times and more. The fee is what is paid for
// the gas that a node tells, so that a node that is mistaken, or lies, could have an
// account pay all that it has.
const maxGas = 10_000_000

// Simulate implements tx.Node.
func (n *nodes) Simulate(ctx context.Context, raw []byte) (uint64, error) {
	r, err := node.Ask[wire.SimulateResponse](ctx, n.pool, wire.PathSimulate, &wire.SimulateRequest{Tx: raw}, func(m wire.Message) error {
		if used := m.(*wire.SimulateResponse).Gas.Used; used == 0 || used > maxGas {
			return fmt.Errorf("gas estimate %d is out of range", used)
		}
		return nil
	})
	if unknown(err) {
		return 0, tx.ErrNoSimulation
	}
	return r.Gas.Used, answered(err)
}

// Channel implements tx.Node.
func (n *nodes) Channel(ctx context.Context, id string) (wire.Channel, error) {
	r, err := node.Ask[wire.ChannelResponse](ctx, n.pool, wire.PathChannel, &wire.ChannelRequest{Port: "transfer", Channel: id}, func(m wire.Message) error {
		if m.(*wire.ChannelResponse).Channel.State == 0 {
			return errNoChannel
		}
		return nil
	})
	if errors.Is(err, node.ErrNotFound) {
		return wire.Channel{}, tx.ErrNoChannel
	}
	return r.Channel, account.Failed(err)
}

// ChannelClient implements tx.Node.
func (n *nodes) ChannelClient(ctx context.Context, id string) (wire.IdentifiedClient, error) {
	r, err := node.Ask[wire.ChannelClientResponse](ctx, n.pool, wire.PathChannelClient, &wire.ChannelRequest{Port: "transfer", Channel: id}, func(m wire.Message) error {
		if m.(*wire.ChannelClientResponse).Client.ID == "" {
			return errNoClient
		}
		return nil
	})
	if errors.Is(err, node.ErrNotFound) {
		return wire.IdentifiedClient{}, tx.ErrNoChannel
	}
	return r.Client, account.Failed(err)
}

// ClientStatus implements tx.Node.
func (n *nodes) ClientStatus(ctx context.Context, id string) (string, error) {
	r, err := node.Ask[wire.ClientStatusResponse](ctx, n.pool, wire.PathClientStatus, &wire.ClientStatusRequest{ClientID: id})
	if unknown(err) {
		return "", nil
	}
	return r.Status, account.Failed(err)
}

// Broadcast implements tx.Node.
func (n *nodes) Broadcast(ctx context.Context, raw []byte) (tx.Verdict, error) {
	sent, err := n.pool.Broadcast(ctx, raw)
	check, refused := err.(*node.CheckError) // not one of several nodes of which another may have it
	switch {
	case refused:
		return tx.Verdict{Code: check.Code, Codespace: check.Codespace, Log: check.Log}, nil
	case err == nil && sent.Known:
		return tx.Verdict{}, tx.ErrKnown
	}
	return tx.Verdict{}, account.Failed(err)
}

// Find implements tx.Node.
func (n *nodes) Find(ctx context.Context, hash string) (tx.Found, error) {
	var id [32]byte
	if _, err := hex.Decode(id[:], []byte(hash)); err != nil {
		return tx.Found{}, err
	}
	t, err := n.pool.Tx(ctx, id)
	if errors.Is(err, node.ErrNotFound) {
		return tx.Found{}, tx.ErrNotFound
	}
	return tx.Found{Verdict: tx.Verdict{Code: t.Code, Codespace: t.Codespace, Log: t.Log}, Height: t.Height}, account.Failed(err)
}

// raw is a transaction in a block. It fails with coin.ErrNoTransaction.
func (n *nodes) raw(ctx context.Context, hash [32]byte) ([]byte, error) {
	found, err := n.pool.Tx(ctx, hash)
	if errors.Is(err, node.ErrNotFound) {
		return nil, coin.ErrNoTransaction
	}
	return found.Raw, account.Failed(err)
}

// Search implements history.Source.
func (n *nodes) Search(ctx context.Context, s node.Search) (node.Found, error) {
	found, err := n.pool.Search(ctx, s)
	return found, account.Failed(err)
}

// BlockTime implements history.Source.
func (n *nodes) BlockTime(ctx context.Context, height uint64) (time.Time, error) {
	at, err := n.pool.BlockTime(ctx, int64(height))
	return at, account.Failed(err)
}

// Height implements history.Source.
func (n *nodes) Height(ctx context.Context) (uint64, error) {
	height, err := n.pool.Height(ctx)
	return uint64(max(height, 0)), account.Failed(err)
}

// Earliest implements history.Source.
func (n *nodes) Earliest(ctx context.Context) (uint64, error) {
	height, err := n.pool.Earliest(ctx)
	return uint64(max(height, 0)), account.Failed(err)
}
