// Package metrics defines the node's gauges and counters, independent of the collector:
// Prometheus in the native node, and none in a page. It has no state and does not depend on a
// collector.
//
// Source: the exposition format of Prometheus, for the meaning of a gauge.
//
// Invariant: no name or label comes from a request; a method that is not in a table is counted
// as Unknown.
package metrics

import "context"

// Unknown is the method label of calls to methods that do not exist.
const Unknown = "unknown"

// Outcome labels of calls without an error code.
const (
	OK    = "ok"
	Panic = "panic"
)

// Calls receives every RPC call. It must be safe for concurrent use.
type Calls interface {
	// Begin is called when a method starts, with the context of its request. The api is
	// "daemon" or "node". The returned function is called once with the outcome: OK, Panic, an
	// error code or an error type.
	Begin(ctx context.Context, api, method string) func(outcome string)
}

// Discard is a Calls that counts nothing.
type Discard struct{}

// Begin implements Calls.
func (Discard) Begin(context.Context, string, string) func(string) { return func(string) {} }

// Gauge is a number that goes up and down, such as the height of the chain, or that only grows
// while the program runs.
type Gauge struct {
	// Name consists of lower-case words joined by underscores, with the unit last. The
	// collector prepends the program's name.
	Name string
	// Help is a sentence that describes the gauge.
	Help string
	// Read returns the current value. It must be safe for concurrent use, and must not wait for
	// a disk or a network.
	Read func() float64
	// Grows reports whether the number only grows, which makes it a counter for collectors. In
	// this case, its name ends in _total.
	Grows bool
}
