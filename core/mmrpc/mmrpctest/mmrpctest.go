// Package mmrpctest holds the node API to what is written down of it, in process or
// over HTTP: sequences of requests with the answers that they must get, and examples
// that others documented or recorded. It is neither a client nor a node: a test hands
// it one. Only tests use it.
//
// Sources: spec, "States and transitions" and Errors; Komodo DeFi Framework's
// documentation and dispatcher for the texts. The vectors themselves lie in the
// testdata of core/mmrpc.
//
// Invariant: what is compared does not depend on where the node runs, so one table
// serves every target.
package mmrpctest

import "testing"

// Node is the node API as a test reaches it. Its methods fail the test that it was
// made for when there is no answer.
type Node interface {
	// Call sends a body. The caller is a program on the node's machine or, if away, one
	// on another.
	Call(away bool, body []byte) Answer
	// Open opens the event stream of a client on the node's machine, and returns when
	// the node knows the client.
	Open(client uint64) Stream
	// Fill puts this node's own values into a text of a vector.
	Fill(text string) string
	// Probed waits until the node has asked the peer at Silent for its version.
	Probed()
	// Ended waits until the node has ended, or was asked to end.
	Ended()
}

// Answer is the answer to a call.
type Answer struct {
	Status     int
	Body       []byte
	RetryAfter int // whole seconds; 0: none
}

// Stream is an open event stream.
type Stream interface {
	// Next waits for the next event.
	Next() string
	Close()
}

// Places of a node's own values in the texts of vectors, for Fill.
const (
	Password = "<PASSWORD>" // the right userpass
	Dead     = "<DEAD>"     // an address without a listener
	Silent   = "<SILENT>"   // an address where a peer listens and says nothing
	HubNode  = "<HUB>"      // the URL of a node of the chain cosmoshub-4
	IrisNode = "<IRIS>"     // the URL of a node of the chain irishub-1
	EthNode  = "<ETH>"      // the URL of a node of Ethereum, the network 1
	PolyNode = "<POLYGON>"  // the URL of a node of Polygon, the network 137
	Indexer  = "<INDEXER>"  // the URL of an indexer of NFTs, and of a service against spam
	DeadNode = "<NOBODY>"   // a URL without a server
	Peer     = "<PEER>"     // the id of a Lightning node
	Place    = "<PLACE>"    // where it can be connected to
)

// Backstage is a Node that a test can also bring into states that need more than its
// own methods.
type Backstage interface {
	Node
	Activate(tickers ...string)
	// Lock begins a swap that pays an amount of a coin and a fee of the same.
	Lock(id, ticker, amount, fee string)
	// Lightning activates a Lightning coin whose node can connect to every address.
	Lightning(ticker string)
	// Publish subscribes a client to a streamer that sends nothing.
	Publish(client uint64, streamer string)
}

// must is for calls that only prepare a test.
func must(t testing.TB, n Node, method, params string) {
	t.Helper()
	a := call(n, method, params)
	if a.Status != 200 {
		t.Fatalf("%s is answered with %d: %s", method, a.Status, a.Body)
	}
}

func call(n Node, method, params string) Answer {
	v := Vector{Method: method, Params: []byte(params)}
	return n.Call(false, []byte(n.Fill(string(v.body()))))
}
