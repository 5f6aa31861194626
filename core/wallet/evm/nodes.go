package evm

import (
	"context"
	"errors"
	"strings"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/tx"
)

// nodes are a pool whose errors are in Komodo DeFi Framework's words: it is a tx.Node.
type nodes struct {
	*node.Pool
	// sent is called with transactions that nodes have taken; may be nil.
	sent func(ctx context.Context, raw []byte, hash [32]byte)
}

var _ tx.Node = nodes{}

// codespaceRPC is that of codes of JSON-RPC, which are shown without their sign.
const codespaceRPC = "jsonrpc"

// refused makes what the network itself answers about a transaction a *coin.RefusedError.
func refused(err error) error {
	var reverted *node.RevertError
	var answer *nodepool.RPCError
	code, log := int64(0), ""
	switch {
	case errors.As(err, &reverted):
		code, log = reverted.Code, reverted.Reason
	case errors.As(err, &answer):
		code, log = answer.Code, answer.Message
	default:
		return err
	}
	return &coin.RefusedError{Code: uint32(max(code, -code, 1)), Codespace: codespaceRPC, Log: log}
}

// Simulate implements tx.Node.
func (n nodes) Simulate(ctx context.Context, c node.Call) (node.Simulation, error) {
	s, err := n.Pool.Simulate(ctx, c)
	return s, refused(err)
}

// Send implements tx.Node.
func (n nodes) Send(ctx context.Context, raw []byte, hash [32]byte) error {
	err := refused(n.Pool.Send(ctx, raw, hash))
	if _, is := errors.AsType[*coin.RefusedError](err); !is && n.sent != nil { // after other errors it may have arrived
		n.sent(ctx, raw, hash)
	}
	return err
}

// unreachable begins with Komodo DeFi Framework's sentence.
type unreachable struct{ *nodepool.UnreachableError }

func (e unreachable) Error() string {
	list := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		list[i] = a.URL + ": " + a.Reason
	}
	return "Failed to get client version for all nodes (" + strings.Join(list, "; ") + ")"
}

// Unwrap gives the pool's error.
func (e unreachable) Unwrap() error { return e.UnreachableError }

// Probe implements account.Pool.
func (n nodes) Probe(ctx context.Context) ([]nodepool.Attempt, error) {
	excluded, err := n.Pool.Probe(ctx)
	var nobody *nodepool.UnreachableError
	if errors.As(err, &nobody) {
		err = unreachable{nobody}
	}
	return excluded, err
}
