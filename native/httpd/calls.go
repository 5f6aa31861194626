package httpd

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"obverse/core/metrics"
)

// maxLoggedMethods is how many methods of a batch its log line names.
const maxLoggedMethods = 3

// calls holds the data about calls in the log line of a request. Those of a batch may run
// concurrently.
type calls struct {
	mu      sync.Mutex
	count   int
	failed  int
	methods []string // different ones, at most one more than are named
	outcome string   // the first that is not OK
}

type callsKey struct{}

// callsOf returns the place for the calls of a request, nil outside one.
func callsOf(ctx context.Context) *calls {
	c, _ := ctx.Value(callsKey{}).(*calls)
	return c
}

// add notes a call that ended. The names of methods come from the table of methods,
// so that no client writes into the log.
func (c *calls) add(method, outcome string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	if outcome != metrics.OK {
		c.failed++
		if c.outcome == "" {
			c.outcome = outcome
		}
	}
	if len(c.methods) <= maxLoggedMethods && !slices.Contains(c.methods, method) {
		c.methods = append(c.methods, method)
	}
}

// maxCallAttrs is how many attributes appendTo adds at most.
const maxCallAttrs = 4

// appendTo adds the call of a request, with numbers when there are several.
func (c *calls) appendTo(attrs []slog.Attr) []slog.Attr {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count == 0 {
		return attrs
	}
	outcome := c.outcome
	if outcome == "" {
		outcome = metrics.OK
	}
	methods := c.methods
	if len(methods) > maxLoggedMethods {
		methods = append(methods[:maxLoggedMethods:maxLoggedMethods], "…")
	}
	attrs = append(attrs, slog.String("method", strings.Join(methods, ",")), slog.String("outcome", outcome))
	if c.count > 1 {
		attrs = append(attrs, slog.Int("calls", c.count), slog.Int("failed", c.failed))
	}
	return attrs
}
