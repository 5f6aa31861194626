package lightning

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"obverse/core/store"
	"obverse/core/store/table"
)

// MaxTrusted is the maximum number of trusted nodes for one coin.
const MaxTrusted = 1000

// ErrTrustedFull means that there are MaxTrusted trusted nodes.
var ErrTrustedFull = fmt.Errorf("the list of trusted nodes is full: it holds at most %d", MaxTrusted)

// Trusted holds the nodes that the user trusts, for each coin. They are kept in the store.
// Trusting a node has no effect on a connection to it.
type Trusted struct {
	kv     store.KV
	nodes  *table.Table[trusted]
	adding sync.Mutex // held from counting the nodes until the addition
}

// trusted is a row of the table.
type trusted struct {
	Coin string `json:"coin"`
	Node string `json:"node"` // in hexadecimal
}

func (t trusted) key() string { return table.Text(t.Coin) + t.Node }

// NewTrusted returns the lists in a store.
func NewTrusted(kv store.KV) *Trusted {
	return &Trusted{kv: kv, nodes: table.New(table.Spec[trusted]{
		Prefix: "N/lightning/trusted/",
		Key:    table.Index[trusted]{Name: "node", Value: trusted.key},
	})}
}

// Add adds a node to the trusted ones, if it is not trusted already. Errors are ErrTrustedFull
// and the errors of the store.
func (t *Trusted) Add(ctx context.Context, coin string, node NodeID) error {
	row := trusted{coin, node.String()}
	t.adding.Lock()
	defer t.adding.Unlock()
	return table.Change(ctx, t.kv, func(tx *table.Tx) error {
		_, found, err := t.nodes.Get(ctx, tx, row.key())
		if err != nil || found {
			return err
		}
		count, err := t.nodes.Count(ctx, t.kv, trustedNodes(coin))
		if err != nil {
			return err
		}
		if count >= MaxTrusted {
			return ErrTrustedFull
		}
		return t.nodes.Put(ctx, tx, row)
	})
}

// Remove removes a node from the trusted ones, if it was trusted.
func (t *Trusted) Remove(ctx context.Context, coin string, node NodeID) error {
	return table.Change(ctx, t.kv, func(tx *table.Tx) error {
		_, err := t.nodes.Delete(ctx, tx, trusted{coin, node.String()}.key())
		return err
	})
}

// List returns the trusted nodes of a coin, sorted by id.
func (t *Trusted) List(ctx context.Context, coin string) ([]NodeID, error) {
	rows, err := t.nodes.List(ctx, t.kv, trustedNodes(coin))
	if err != nil {
		return nil, fmt.Errorf("read the trusted nodes: %w", err)
	}
	nodes := make([]NodeID, len(rows))
	for n, row := range rows {
		if nodes[n], err = ParseNodeID(row.Node); err != nil {
			return nil, errors.Join(table.ErrDamaged, err)
		}
	}
	return nodes, nil
}

func trustedNodes(coin string) table.Range { return table.Prefixed("node", table.Text(coin)) }
