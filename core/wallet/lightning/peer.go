package lightning

import (
	"context"
	"encoding/hex"
	"errors"
	"net/netip"
	"slices"
	"time"
)

// Bounds of a connection's time.
const (
	DefaultTimeout = 10 * time.Second // as in Komodo DeFi Framework
	MaxTimeout     = 10 * time.Minute
)

// Reasons for which there is no connection, found with errors.Is.
var (
	// ErrTimeout: it took too long to connect, or to answer the handshake.
	ErrTimeout = errors.New("timed out")
	// ErrUnreachable: no connection to the address. The text has the reason.
	ErrUnreachable = errors.New("unreachable")
	// ErrHandshake: there was a connection, and not to this node, or it ended before
	// both had said what they are.
	ErrHandshake = errors.New("disconnected before finishing the handshake")
	// ErrNotConnected: there is no connection to the node, and none is attempted.
	ErrNotConnected = errors.New("the node is not connected")
	// ErrDisconnected: the user has ended the connection, or the attempt.
	ErrDisconnected = errors.New("disconnected by the user")
	// ErrTooMany: there are as many peers as there may be.
	ErrTooMany = errors.New("too many Lightning peers")
	// ErrSelf: the address is that of this node.
	ErrSelf = errors.New("this is the node's own id")
	// ErrStopped: the node is stopping.
	ErrStopped = errors.New("the Lightning node has stopped")
	// ErrNoDialer: this platform cannot connect.
	ErrNoDialer = errors.New("this platform has no TCP connections")
)

// Network is the peers of one Lightning node. Its methods may be called by many.
type Network interface {
	// Connect connects to the node, and reports whether it was already connected, from any
	// address. It returns when the connection can be used. The connection is then maintained, and
	// reopened when it breaks, until Disconnect. Calls for one node share one connection. A
	// timeout of 0 means DefaultTimeout; longer ones than MaxTimeout are shortened.
	//
	// Errors: ErrTimeout, ErrUnreachable, ErrHandshake, ErrSelf, ErrTooMany, ErrDisconnected,
	// ErrStopped, ErrNoDialer, and ctx's error if it ends first.
	Connect(ctx context.Context, a Address, timeout time.Duration) (already bool, err error)
	// Disconnect ends the connection to the node, or the attempts to make one. The
	// error is ErrNotConnected.
	Disconnect(NodeID) error
	// List returns all peers, ordered by id.
	List() []Peer
}

// State says how it stands with a peer.
type State string

// The states.
const (
	Connected  State = "connected"
	Connecting State = "connecting" // for the first time
	Waiting    State = "waiting"    // to connect again, or trying to
	// Disconnected reports the end of a connection; List never returns such a peer.
	Disconnected State = "disconnected"
)

// Peer describes a node: its address and the state of the connection.
type Peer struct {
	Node       NodeID
	Address    string // host:port that the user entered, or that it connects from; "" if unknown
	State      State
	Inbound    bool           // it has connected to this node
	Persistent bool           // the user wants the connection, which is reopened when it breaks
	Since      time.Time      // of the state
	Next       time.Time      // the next attempt of a Waiting one; zero: it is under way
	Reason     error          // why a Waiting one is not connected
	Seen       netip.AddrPort // where the peer sees this node, if it says so
}

// ChainHash is the hash of the first block of a Bitcoin network, by the name that coins
// files have for it: mainnet, testnet or regtest. That is how nodes say which chains
// they have to do with.
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
		panic(err) // the table above is wrong
	}
	slices.Reverse(decoded) // hashes are shown backwards
	return [32]byte(decoded), true
}
