package apitest

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/rpc"
)

// maxWay limits the number of functions between the node's and a method's. Together with the
// node's function and two of a transport, there are eight between a socket and the method.
const maxWay = 5

// TestWayToAMethod counts the functions that a call passes through, so that no function is
// added that only forwards it.
func TestWayToAMethod(t *testing.T) {
	var way []string
	n := newNode(t, settingsOf(""), core.Platform{Stop: func() { way = functions() }})
	between := func(first, last string) []string {
		from := slices.IndexFunc(way, func(name string) bool { return strings.HasSuffix(name, last) })
		to := slices.IndexFunc(way, func(name string) bool { return strings.HasSuffix(name, first) })
		require.Positive(t, from, "%v", way)
		require.Greater(t, to, from, "%v", way)
		return way[from+1 : to]
	}
	owner := rpc.Caller{Local: true, Authorized: true}
	for name, c := range map[string]struct {
		ask         func()
		first, last string
	}{
		"node":   {func() { n.RPC(t.Context(), owner, []byte(`{"method":"stop"}`)) }, "core.(*Node).RPC", "mmrpc.Control.stop"},
		"daemon": {func() { n.Daemon(t.Context(), owner, []byte(`{"method":"stop"}`)) }, "core.(*Node).Daemon", "daemon.(*Backend).stop"},
	} {
		t.Run(name, func(t *testing.T) {
			c.ask()
			names := between(c.first, c.last)
			t.Log(names)
			require.LessOrEqual(t, len(names), maxWay)
		})
	}
}

// functions returns the names of the functions on the stack, innermost first.
func functions() (names []string) {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for {
		frame, more := frames.Next()
		names = append(names, frame.Function)
		if !more {
			return names
		}
	}
}
