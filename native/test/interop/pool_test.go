package interop_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

// nodes is a tx.Node over a pool of nodes.
type nodes struct{ pool *node.Pool }

func (n nodes) Account(ctx context.Context, address string) (tx.Account, error) {
	answer, err := node.Ask[wire.AccountResponse](ctx, n.pool, wire.PathAccount, &wire.AccountRequest{Address: address})
	if err != nil {
		return tx.Account{}, failure(err, tx.ErrNoAccount)
	}
	account, err := answer.Base(address)
	if err != nil { // a type of account that is unknown here
		return tx.Account{}, fmt.Errorf("%w: %w", coin.ErrTransport, err)
	}
	return tx.Account{Number: account.Number, Sequence: account.Sequence}, nil
}

func (n nodes) Balance(ctx context.Context, address, denom string) (*big.Int, error) {
	held, err := n.pool.Balance(ctx, address, denom)
	if err != nil {
		return nil, failure(err, nil)
	}
	units, err := held.Units()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", coin.ErrTransport, err)
	}
	return units, nil
}

func (n nodes) Newest(ctx context.Context) (tx.Block, error) {
	status, err := n.pool.Status(ctx)
	return tx.Block{Height: uint64(max(status.Height, 0)), Time: status.Time}, failure(err, nil)
}

func (n nodes) Simulate(ctx context.Context, raw []byte) (uint64, error) {
	answer, err := node.Ask[wire.SimulateResponse](ctx, n.pool, wire.PathSimulate, &wire.SimulateRequest{Tx: raw})
	if unknownPath(err) {
		return 0, fmt.Errorf("%w: %w", tx.ErrNoSimulation, err)
	}
	return answer.Gas.Used, failure(err, nil)
}

// unknownPath reports whether an error means that a node does not have a query. Its code is also
// used for other errors.
func unknownPath(err error) bool {
	var refused *node.QueryError
	return errors.As(err, &refused) && refused.UnknownPath()
}

func (n nodes) Channel(ctx context.Context, id string) (wire.Channel, error) {
	answer, err := node.Ask[wire.ChannelResponse](ctx, n.pool, wire.PathChannel, &wire.ChannelRequest{Port: "transfer", Channel: id})
	return answer.Channel, failure(err, tx.ErrNoChannel)
}

func (n nodes) ChannelClient(ctx context.Context, id string) (wire.IdentifiedClient, error) {
	answer, err := node.Ask[wire.ChannelClientResponse](ctx, n.pool, wire.PathChannelClient, &wire.ChannelRequest{Port: "transfer", Channel: id})
	return answer.Client, failure(err, tx.ErrNoChannel)
}

func (n nodes) ClientStatus(ctx context.Context, id string) (string, error) {
	answer, err := node.Ask[wire.ClientStatusResponse](ctx, n.pool, wire.PathClientStatus, &wire.ClientStatusRequest{ClientID: id})
	if unknownPath(err) {
		return "", nil
	}
	return answer.Status, failure(err, nil)
}

func (n nodes) Broadcast(ctx context.Context, raw []byte) (tx.Verdict, error) {
	sent, err := n.pool.Broadcast(ctx, raw)
	var refused *node.CheckError
	switch {
	case errors.As(err, &refused):
		return tx.Verdict{Code: refused.Code, Codespace: refused.Codespace, Log: refused.Log}, nil
	case err == nil && sent.Known:
		return tx.Verdict{}, tx.ErrKnown
	}
	return tx.Verdict{}, failure(err, nil)
}

func (n nodes) Find(ctx context.Context, hash string, _ bool) (tx.Found, error) {
	id, err := hex.DecodeString(hash)
	if err != nil || len(id) != 32 {
		return tx.Found{}, fmt.Errorf("%w: %.70q is no hash", tx.ErrNotFound, hash)
	}
	t, err := n.pool.Tx(ctx, [32]byte(id))
	if err != nil {
		return tx.Found{}, failure(err, tx.ErrNotFound)
	}
	return tx.Found{Verdict: tx.Verdict{Code: t.Code, Codespace: t.Codespace, Log: t.Log}, Height: uint64(max(t.Height, 0))}, nil
}

// failure converts the errors of a pool to those of tx.Node. It returns absent for
// node.ErrNotFound. If absent is nil, that error is the response of the chain.
func failure(err, absent error) error {
	var refused *node.QueryError
	var rpc *nodepool.RPCError
	var unreachable *nodepool.UnreachableError
	switch {
	case absent != nil && errors.Is(err, node.ErrNotFound):
		return fmt.Errorf("%w: %w", absent, err)
	case errors.As(err, &refused): // expected only for simulations
		answer := &tx.AnswerError{Verdict: tx.Verdict{Code: refused.Code, Codespace: refused.Codespace, Log: refused.Log}}
		if sequence, other := tx.Expected(refused.Log); other {
			answer.Sequence = &sequence
		}
		return fmt.Errorf("%w: %w", coin.ErrTransport, answer)
	case errors.As(err, &unreachable), errors.As(err, &rpc):
		return fmt.Errorf("%w: %w", coin.ErrTransport, err)
	}
	return err
}
