package versionstat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"obverse/core/net/peerid"
	"obverse/core/store/table"
)

// MaxNodes is how many nodes the list may hold.
const MaxNodes = 10_000

// Node is an entry of the list.
type Node struct {
	Name    string `json:"name"`    // any text; no two are equal
	Address string `json:"address"` // as it was given; see ParseAddress
	PeerID  string `json:"peer_id"` // no two are equal
}

// Errors of Add, besides a *TakenError, a *PeerIDError, an *AddressError and the
// store's.
var (
	// ErrName: a name is not UTF-8 or longer than MaxText bytes.
	ErrName = errors.New("a name must be a text of at most 255 bytes")
	// ErrFull: there are MaxNodes nodes.
	ErrFull = errors.New("the list of nodes is full: it holds at most 10000")
)

// Columns of the list that must be unique.
const (
	ColumnName   = "name"
	ColumnPeerID = "peer_id"
)

// TakenError refuses a node because another one has its peer id, or else its name.
type TakenError struct{ Column string }

func (e *TakenError) Error() string { return "another node has this " + e.Column }

// PeerIDError refuses a text that is no peer id. The cause says why.
type PeerIDError struct{ Cause error }

func (e *PeerIDError) Error() string { return fmt.Sprintf("peer id: %v", e.Cause) }

// Unwrap gives the cause.
func (e *PeerIDError) Unwrap() error { return e.Cause }

func nodeTable() *table.Table[Node] {
	return table.New(table.Spec[Node]{
		Prefix: "N/stat/node/",
		Key:    table.Index[Node]{Name: ColumnName, Of: func(n Node) string { return n.Name }},
		Unique: []table.Index[Node]{{Name: ColumnPeerID, Of: func(n Node) string { return n.PeerID }}},
	})
}

// Add puts a node on the list. A running collector asks it from the next round on.
func (c *Collector) Add(ctx context.Context, n Node) error {
	id, err := peerid.Parse(n.PeerID)
	if err != nil {
		return &PeerIDError{err}
	}
	n.PeerID = id.String()
	if _, err := ParseAddress(n.Address); err != nil {
		return err
	}
	if len(n.Name) > MaxText || !utf8.ValidString(n.Name) {
		return ErrName
	}
	c.adding.Lock()
	defer c.adding.Unlock()
	err = table.Change(ctx, c.config.Store, func(tx *table.Tx) error { return c.insert(ctx, tx, n) })
	var taken *table.DuplicateError
	switch {
	case !errors.As(err, &taken):
		return err
	case slices.Contains(taken.Indexes, ColumnPeerID):
		return &TakenError{ColumnPeerID}
	}
	return &TakenError{ColumnName}
}

// insert refuses what is taken before it refuses for want of room.
func (c *Collector) insert(ctx context.Context, tx *table.Tx, n Node) error {
	if err := c.nodes.Insert(ctx, tx, n); err != nil {
		return err
	}
	count, err := c.nodes.Count(ctx, c.config.Store, table.Range{Index: ColumnName})
	if err == nil && count >= MaxNodes {
		err = ErrFull
	}
	return err
}

// Remove takes the node with a name off the list, if there is one. Its answers stay.
func (c *Collector) Remove(ctx context.Context, name string) error {
	return table.Change(ctx, c.config.Store, func(tx *table.Tx) error {
		_, err := c.nodes.Delete(ctx, tx, name)
		return err
	})
}

// list gives all nodes by name.
func (c *Collector) list(ctx context.Context) ([]Node, error) {
	nodes, err := c.nodes.List(ctx, c.config.Store, table.Range{Index: ColumnName})
	if err != nil {
		return nil, fmt.Errorf("read the list of nodes: %w", err)
	}
	return nodes, nil
}
