package versionstat

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"obverse/core/net/peerid"
	"obverse/core/store/table"
	"obverse/core/text"
)

// MaxNodes is the maximum number of nodes in the list.
const MaxNodes = 10_000

// Node is an entry of the list.
type Node struct {
	Name    string `json:"name"`    // any text, unique
	Address string `json:"address"` // as entered by the user; see ParseAddress
	PeerID  string `json:"peer_id"` // unique
}

// Errors of Add, besides a *TakenError, a *PeerIDError, an *AddressError and errors of the
// store.
var (
	// ErrName means that a name is not UTF-8 or is longer than MaxText bytes.
	ErrName = errors.New("a name must be a text of at most 255 bytes")
	// ErrFull means that the list has MaxNodes nodes.
	ErrFull = errors.New("the list of nodes is full: it holds at most 10000")
)

// Columns of the list that must be unique.
const (
	ColumnName   = "name"
	ColumnPeerID = "peer_id"
)

// TakenError reports that a node was rejected because another node has its peer id or,
// otherwise, its name.
type TakenError struct{ Column string }

func (e *TakenError) Error() string { return "another node has this " + e.Column }

// PeerIDError reports that a text is not a peer id. Cause is the reason.
type PeerIDError struct{ Cause error }

func (e *PeerIDError) Error() string { return fmt.Sprintf("peer id: %v", e.Cause) }

// Unwrap returns the cause.
func (e *PeerIDError) Unwrap() error { return e.Cause }

func nodeTable() *table.Table[Node] {
	return table.New(table.Spec[Node]{
		Prefix: "N/stat/node/",
		Key:    table.Index[Node]{Name: ColumnName, Value: func(n Node) string { return n.Name }},
		Unique: []table.Index[Node]{{Name: ColumnPeerID, Value: func(n Node) string { return n.PeerID }}},
	})
}

// Add adds a node to the list. A running collector asks it from the next round on.
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

// insert reports a duplicate node rather than a full table if both apply.
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

// Remove removes the node with a name from the list, if there is one. Its answers remain.
func (c *Collector) Remove(ctx context.Context, name string) error {
	return table.Change(ctx, c.config.Store, func(tx *table.Tx) error {
		_, err := c.nodes.Delete(ctx, tx, name)
		return err
	})
}

// list returns all nodes, sorted by name.
func (c *Collector) list(ctx context.Context) ([]Node, error) {
	nodes, err := c.nodes.List(ctx, c.config.Store, table.Range{Index: ColumnName})
	if err != nil {
		return nil, fmt.Errorf("read the list of nodes: %w", err)
	}
	return nodes, nil
}

// MaxText is the maximum length of names, addresses, versions and error texts, in bytes. The
// columns of Komodo DeFi Framework are VARCHAR(255).
const MaxText = 255

// Address is the network address of a node.
type Address struct {
	Host string // an IPv4 or IPv6 address without brackets, or a domain name
	Port uint16 // 0 for the port of the network
}

// AddressError reports why a text is not an address.
type AddressError struct{ Reason string }

func (e *AddressError) Error() string { return "not an address: " + e.Reason }

// Reasons of an AddressError.
const (
	reasonLong = "it is longer than 255 bytes"
	reasonHost = "the host must be an IPv4 address, an IPv6 address or a domain name"
	reasonSix  = "an IPv6 address with a port is written [address]:port"
	reasonZone = "an IPv6 address must not have a zone"
	reasonPort = "the port must be a whole number from 1 to 65535"
)

// ParseAddress parses host, host:port or [host]:port. Like Komodo DeFi Framework, it accepts
// and ignores a scheme:// before it. It performs no lookup; domain names are resolved at each
// request. The error is an *AddressError.
func ParseAddress(text string) (Address, error) {
	if len(text) > MaxText {
		return Address{}, &AddressError{reasonLong}
	}
	_, rest, found := strings.Cut(text, "://")
	if !found {
		rest = text
	}
	host, port, found, err := split(rest)
	if err != nil {
		return Address{}, err
	}
	a := Address{Host: host}
	if found {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Address{}, &AddressError{reasonPort}
		}
		a.Port = uint16(n)
	}
	return a, nil
}

// split splits the port off a valid host. found reports whether there is a port.
func split(address string) (host, port string, found bool, err error) {
	if bracketed, ok := strings.CutPrefix(address, "["); ok {
		host, port, closed := strings.Cut(bracketed, "]")
		ip, wrong := netip.ParseAddr(host)
		port, found := strings.CutPrefix(port, ":")
		switch {
		case wrong != nil || !ip.Is6() || !closed || port != "" && !found:
			return "", "", false, &AddressError{reasonHost}
		case ip.Zone() != "":
			return "", "", false, &AddressError{reasonZone}
		}
		return host, port, found, nil
	}
	if ip, err := netip.ParseAddr(address); err == nil {
		if ip.Zone() != "" {
			return "", "", false, &AddressError{reasonZone}
		}
		return address, "", false, nil
	}
	if strings.Count(address, ":") > 1 {
		return "", "", false, &AddressError{reasonSix}
	}
	host, port, found = strings.Cut(address, ":")
	if _, err := netip.ParseAddr(host); err != nil && !text.IsDomain(strings.ToLower(strings.TrimSuffix(host, "."))) {
		return "", "", false, &AddressError{reasonHost}
	}
	return host, port, found, nil
}
