package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/tx"
)

// nodes is a pool with the error texts of Komodo DeFi Framework. It implements tx.Node.
type nodes struct {
	*node.Pool
	// onePrice means that the network does not accept transactions of EIP-1559 according to its
	// entry, regardless of its nodes' fees.
	onePrice bool
	// sent, if not nil, is called with transactions that nodes accepted.
	sent func(ctx context.Context, raw []byte, hash [32]byte)
}

var _ tx.Node = nodes{}

// codespaceRPC is the codespace of JSON-RPC error codes, without their sign.
const codespaceRPC = "jsonrpc"

// refused converts an error of the network about a transaction to a *coin.RefusedError.
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
	return &coin.RefusedError{Code: uint32(max(code, -code, 1)), Codespace: codespaceRPC, Log: log, Help: help(log)}
}

// help returns an explanation of a refusal for the sender, or "" if the node's text is
// sufficient. Networks such as BNB Smart Chain and Polygon require a minimum tip, and their
// nodes sometimes suggest less: "gas tip cap 1, minimum needed 25000000000".
func help(log string) string {
	_, rest, _ := strings.Cut(log, "gas tip cap ")
	_, rest, _ = strings.Cut(rest, "minimum needed ")
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	minimum, ok := new(big.Int).SetString(digits, 10)
	if !ok || minimum.BitLen() > 128 {
		return ""
	}
	const gwei = 9
	return fmt.Sprintf("the network takes a priority fee of %s or more, in billionths of a coin for a unit of gas: choose a higher fee", number.Scaled(minimum, gwei))
}

// Fees implements tx.Node.
func (n nodes) Fees(ctx context.Context, c node.Call) (node.Fees, error) {
	f, err := n.Pool.Fees(ctx, c)
	if n.onePrice {
		f.BaseFee, f.Low, f.Tip, f.High, f.Rising = nil, nil, nil, nil, false
	}
	return f, err
}

// Simulate implements tx.Node.
func (n nodes) Simulate(ctx context.Context, c node.Call) (node.Simulation, error) {
	s, err := n.Pool.Simulate(ctx, c)
	return s, refused(err)
}

// Send implements tx.Node.
func (n nodes) Send(ctx context.Context, raw []byte, hash [32]byte) error {
	err := refused(n.Pool.Send(ctx, raw, hash))
	if _, is := errors.AsType[*coin.RefusedError](err); !is && n.sent != nil { // after other errors the transaction may have arrived
		n.sent(ctx, raw, hash)
	}
	return err
}

// unreachable is an error with a text that begins like Komodo DeFi Framework's.
type unreachable struct{ *nodepool.UnreachableError }

func (e unreachable) Error() string {
	list := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		list[i] = a.URL + ": " + a.Reason
	}
	return "Failed to get client version for all nodes (" + strings.Join(list, "; ") + ")"
}

// Unwrap returns the pool's error.
func (e unreachable) Unwrap() error { return e.UnreachableError }

// Probe implements account.Pool.
func (n nodes) Probe(ctx context.Context) ([]nodepool.Attempt, error) {
	excluded, err := n.Pool.Probe(ctx)
	var unanswered *nodepool.UnreachableError
	if errors.As(err, &unanswered) {
		err = unreachable{unanswered}
	}
	return excluded, err
}

// Try checks the health of a node. The node must be on the network of the entry. Without an entry
// it may be on any network, and the trial has its chain id. It returns the errors of coin.As,
// nodepool.New and ctx.
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
			return t, nil // the chain id is unknown
		}
	}
}
