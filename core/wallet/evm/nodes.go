package evm

import (
	"context"
	"errors"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/tx"
)

// nodes are the nodes of a network in the words of those who ask them: it is a tx.Node.
type nodes struct{ pool *node.Pool }

var _ tx.Node = nodes{}

// nodesError is an error of nodes as the domain knows it.
type nodesError struct{ error }

// Is finds coin.ErrTransport.
func (nodesError) Is(target error) bool { return target == coin.ErrTransport }

// Unwrap gives the pool's error.
func (e nodesError) Unwrap() error { return e.error }

// failed is for an error of the pool that is no answer: nobody did, or with something
// that cannot be used. That a caller does not wait any longer is nobody's failure.
func failed(err error) error {
	var unreachable *nodepool.UnreachableError
	if err == nil || !errors.As(err, &unreachable) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	return nodesError{err}
}

// codespaceRPC is that of codes of JSON-RPC, which are shown without their sign.
const codespaceRPC = "jsonrpc"

// answered is failed, but for what the network itself answers about a transaction.
func answered(err error) error {
	var reverted *node.RevertError
	var refused *nodepool.RPCError
	code, log := int64(0), ""
	switch {
	case errors.As(err, &reverted):
		code, log = reverted.Code, reverted.Reason
	case errors.As(err, &refused):
		code, log = refused.Code, refused.Message
	default:
		return failed(err)
	}
	return &coin.RefusedError{Code: uint32(max(code, -code, 1)), Codespace: codespaceRPC, Log: log}
}

// Look implements tx.Node.
func (n nodes) Look(ctx context.Context, l node.Look) (node.Seen, error) {
	s, err := n.pool.Look(ctx, l)
	return s, failed(err)
}

// Decimals are those of tokens, by the agreement of nodes.
func (n nodes) Decimals(ctx context.Context, contracts []address.Address) ([]uint8, error) {
	d, err := n.pool.Decimals(ctx, contracts)
	return d, failed(err)
}

// Fees implements tx.Node.
func (n nodes) Fees(ctx context.Context) (node.Fees, error) {
	f, err := n.pool.Fees(ctx)
	return f, failed(err)
}

// EstimateGas implements tx.Node.
func (n nodes) EstimateGas(ctx context.Context, c node.Call) (uint64, error) {
	gas, err := n.pool.EstimateGas(ctx, c)
	return gas, answered(err)
}

// Nonce implements tx.Node.
func (n nodes) Nonce(ctx context.Context, of address.Address, waiting bool) (uint64, error) {
	nonce, err := n.pool.Nonce(ctx, of, waiting)
	return nonce, failed(err)
}

// Send implements tx.Node.
func (n nodes) Send(ctx context.Context, raw []byte, hash [32]byte) error {
	return answered(n.pool.Send(ctx, raw, hash))
}

// Receipt implements tx.Node.
func (n nodes) Receipt(ctx context.Context, hash [32]byte) (node.Receipt, error) {
	r, err := n.pool.Receipt(ctx, hash)
	if errors.Is(err, node.NotFoundError{}) {
		return r, node.NotFoundError{}
	}
	return r, failed(err)
}

// Knows implements tx.Node.
func (n nodes) Knows(ctx context.Context, hash [32]byte) (bool, error) {
	known, err := n.pool.Knows(ctx, hash)
	return known, failed(err)
}

// Transaction implements tx.Node.
func (n nodes) Transaction(ctx context.Context, hash [32]byte) (node.Found, error) {
	f, err := n.pool.Transaction(ctx, hash)
	if errors.Is(err, node.NotFoundError{}) {
		return f, node.NotFoundError{}
	}
	return f, failed(err)
}

// Height implements tx.Node.
func (n nodes) Height(ctx context.Context) (uint64, error) {
	height, err := n.pool.Height(ctx)
	return height, failed(err)
}
