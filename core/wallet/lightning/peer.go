package lightning

import (
	"context"
	"encoding/hex"
	"errors"
	"net/netip"
	"slices"
	"time"
)

// Limits of the time to connect.
const (
	DefaultTimeout = 10 * time.Second // as in Komodo DeFi Framework
	MaxTimeout     = 10 * time.Minute
)

// Reasons why there is no connection, to be checked with errors.Is.
var (
	// ErrTimeout means that connecting or the handshake took too long.
	ErrTimeout = errors.New("timed out")
	// ErrUnreachable means that the address cannot be connected to. The text has the reason.
	ErrUnreachable = errors.New("unreachable")
	// ErrHandshake means that the connection was to another node, or ended before both nodes
	// had sent init.
	ErrHandshake = errors.New("disconnected before finishing the handshake")
	// ErrNotConnected means that there is neither a connection to the node nor an attempt.
	ErrNotConnected = errors.New("the node is not connected")
	// ErrDisconnected means that the user ended the connection or the attempt.
	ErrDisconnected = errors.New("disconnected by the user")
	// ErrTooMany means that the maximum number of peers is reached.
	ErrTooMany = errors.New("too many Lightning peers")
	// ErrSelf means that the address is this node's own.
	ErrSelf = errors.New("this is the node's own id")
	// ErrStopped means that the node is stopping.
	ErrStopped = errors.New("the Lightning node has stopped")
	// ErrNoDialer means that this platform cannot connect.
	ErrNoDialer = errors.New("this platform has no TCP connections")
)

// Network manages the peers of one Lightning node. Its methods are safe for concurrent use.
type Network interface {
	// Connect connects to the node, and reports whether it was already connected, from any
	// address. It returns when the connection can be used. The connection is then maintained,
	// and reopened when it breaks, until Disconnect. Calls for the same node share one
	// connection. A timeout of 0 means DefaultTimeout. A timeout longer than MaxTimeout is
	// shortened.
	//
	// Errors are ErrTimeout, ErrUnreachable, ErrHandshake, ErrSelf, ErrTooMany,
	// ErrDisconnected, ErrStopped, ErrNoDialer, and ctx's error if it ends first.
	Connect(ctx context.Context, a Address, timeout time.Duration) (already bool, err error)
	// Disconnect ends the connection to the node, or the attempts to open one. The error is
	// ErrNotConnected.
	Disconnect(NodeID) error
	// List returns all peers, sorted by id.
	List() []Peer
}

// State is the state of a peer.
type State string

// States of a peer.
const (
	Connected  State = "connected"
	Connecting State = "connecting" // connecting for the first time
	Waiting    State = "waiting"    // waiting to connect again, or trying to
	// Disconnected reports the end of a connection; List never returns such a peer.
	Disconnected State = "disconnected"
)

// Peer describes a node, its address and the state of the connection.
type Peer struct {
	Node       NodeID
	Address    string // host:port that the user entered or that the node connected from; "" if unknown
	State      State
	Inbound    bool           // whether the node opened the connection
	Persistent bool           // whether the user wants the connection, which is then reopened when it breaks
	Since      time.Time      // time of the last change of State
	Next       time.Time      // time of the next attempt while Waiting; zero if an attempt is in progress
	Reason     error          // reason why a Waiting peer is not connected
	Seen       netip.AddrPort // address of this node that the peer reports, if any
}

// ChainHash returns the hash of the first block of a Bitcoin network, with which nodes identify
// the chains that they support. network is the name in coins files: mainnet, testnet or
// regtest.
func ChainHash(network string) (hash [32]byte, ok bool) {
	text, ok := map[string]string{
		"mainnet": "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
		"testnet": "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
		"regtest": "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
	}[network]
	if !ok {
		return hash, false
	}
	decoded, err := hex.DecodeString(text)
	if err != nil {
		panic(err) // the table above is invalid
	}
	slices.Reverse(decoded) // hashes are displayed in reverse
	return [32]byte(decoded), true
}
