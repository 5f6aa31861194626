// Package mmrpctest compares the node API with its documentation, in process or over HTTP. It
// replays sequences of requests with their expected answers, and examples documented or
// recorded by others. It is neither a client nor a node: a test provides the node. Only tests
// use it.
//
// Sources: Komodo DeFi Framework's documentation and dispatcher for the texts. The vectors are
// in the testdata of core/mmrpc.
//
// Invariant: the comparisons do not depend on the platform of the node, so the same vectors are
// used for every target.
package mmrpctest

import "testing"

// Node is the node API as used by tests. Its methods fail the test that created the node if
// there is no answer.
type Node interface {
	// Call sends a body. If away is set, the caller is on another machine than the node.
	Call(away bool, body []byte) Answer
	// Open opens the event stream of a client on the node's machine, and returns once the node
	// knows the client.
	Open(client uint64) Stream
	// Fill inserts the values of this node into a vector's text.
	Fill(text string) string
	// Probed waits until the node has requested the version of the peer at Silent.
	Probed()
	// Ended waits until the node has ended, or has been requested to end.
	Ended()
}

// Answer is the answer to a call.
type Answer struct {
	Status     int
	Body       []byte
	RetryAfter int // in whole seconds; 0 if the header is absent
}

// Stream is an open event stream.
type Stream interface {
	// Next waits for the next event.
	Next() string
	Close()
}

// Placeholders in the texts of vectors, for Fill.
const (
	Password = "<PASSWORD>" // correct userpass
	Dead     = "<DEAD>"     // address without a listener
	Silent   = "<SILENT>"   // address of a peer that does not answer
	HubNode  = "<HUB>"      // URL of a node of the chain cosmoshub-4
	IrisNode = "<IRIS>"     // URL of a node of the chain irishub-1
	EthNode  = "<ETH>"      // URL of a node of Ethereum, network 1
	PolyNode = "<POLYGON>"  // URL of a node of Polygon, network 137
	Indexer  = "<INDEXER>"  // URL of an NFT indexer and anti-spam service
	DeadNode = "<NOBODY>"   // URL without a server
	Peer     = "<PEER>"     // id of a Lightning node
	Place    = "<PLACE>"    // address of that node
)

// Backstage is a Node that a test can also bring into states that cannot be reached with its
// own methods.
type Backstage interface {
	Node
	Activate(tickers ...string)
	// Lock begins a swap that pays an amount of a coin, and a fee in the same coin.
	Lock(id, ticker, amount, fee string)
	// Lightning activates a Lightning coin whose node accepts every address.
	Lightning(ticker string)
	// Publish subscribes a client to a streamer that sends no events.
	Publish(client uint64, streamer string)
}

// must makes a call that prepares a test and must succeed.
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
