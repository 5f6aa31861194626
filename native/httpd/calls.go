package httpd

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"obverse/core/metrics"
)

// maxLoggedMethods limits the methods in the log line of a batch.
const maxLoggedMethods = 3

// calls holds the data about calls in the log line of a request. Those of a batch may run
// concurrently.
type calls struct {
	mu      sync.Mutex
	count   int
	failed  int
	methods []string // distinct methods, at most one more than maxLoggedMethods
	outcome string   // the first that is not OK
}

type callsKey struct{}

// callsOf returns the calls of a request; nil if ctx belongs to no request.
func callsOf(ctx context.Context) *calls {
	c, _ := ctx.Value(callsKey{}).(*calls)
	return c
}

// add records a call that has ended. The names of methods come from the method table,
// so that a client cannot write text of its own into the log.
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

// maxCallAttrs is the maximum number of attributes that appendTo adds.
const maxCallAttrs = 4

// appendTo adds the attributes of a request's calls; a batch also has the number of its calls.
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
