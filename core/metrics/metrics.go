// Package metrics defines the node's gauges and counters, independent of the collector:
// Prometheus in the native node, none in a page. It has no client of a collector and no state.
//
// Source: the exposition format of Prometheus, for the meaning of a gauge.
//
// Invariant: no name or label comes from a request; a method that is not in a table is counted
// as Unknown.
package metrics

import "context"

// Unknown is the method label of calls to methods that do not exist.
const Unknown = "unknown"

// Outcome labels of calls that reached no error code of their own.
const (
	OK    = "ok"
	Panic = "panic"
)

// Calls receives every RPC call. It is called from many goroutines.
type Calls interface {
	// Begin is called when a method starts, with the context of its request; api is
	// "daemon" or "node". The function
	// it returns is called once with the outcome: OK, Panic, an error code or an
	// error type.
	Begin(ctx context.Context, api, method string) func(outcome string)
}

// Discard counts nothing.
type Discard struct{}

// Begin implements Calls.
func (Discard) Begin(context.Context, string, string) func(string) { return func(string) {} }

// Gauge is one number that goes up and down, such as the height of the chain, or that
// only grows while the program runs.
type Gauge struct {
	// Name in lower-case words joined by underscores, with the unit last; the
	// collector puts the program's name in front.
	Name string
	// Help is one sentence.
	Help string
	// Read gives the value now. It is called from many goroutines and must not wait
	// for a disk or a network.
	Read func() float64
	// Grows marks a number that only grows: collectors know those as counters. Its name
	// ends in _total.
	Grows bool
}
