// Package route lists the paths of a node's HTTP port that are not calls of the node API, and
// the callers for which each path is intended. The native server and the edge use the same
// table, so that no path is open on one of them by omission. Origins determines which web
// origins may read the responses.
//
// Invariant: a server registers a Route, never a path alone. A new path therefore specifies its
// callers, and tests that iterate over All find it.
package route

import (
	"errors"
	"fmt"
)

// ErrLocal is wrapped by errors for callers that a route excludes.
var ErrLocal = errors.New("from localhost only")

// Access specifies the callers of a route. The handler of the route also checks credentials.
type Access int

const (
	// Anyone means that the response contains no secret, or that the handler requires the
	// password from other callers.
	Anyone Access = iota
	// Private means the same callers as for methods of the node API that are not public: while
	// rpc_local_only is set, only local callers.
	Private
	// Local means only local callers.
	Local
)

// Route is a path, exactly as sent by clients, with its callers.
type Route struct {
	Path   string
	Access Access
	does   string // completes the error for excluded callers
}

// The routes of a node. POST requests with any other path are calls of the node API, which
// checks the caller of each method.
var (
	Daemon  = Route{"/daemon", Private, "the daemon API can be called"}
	Link    = Route{"/link", Local, "one-time links work"} // native only
	Events  = Route{Path: "/event-stream"}
	Live    = Route{Path: "/livez"}
	Ready   = Route{Path: "/readyz"}
	Metrics = Route{Path: "/metrics"}
	Backup  = Route{"/backup", Private, "the store can be copied and replaced"} // on the edge only
)

// All returns all routes.
func All() []Route { return []Route{Daemon, Link, Events, Live, Ready, Metrics, Backup} }

// Check returns an error if a caller may not use the route, whatever its credential. The
// argument local reports whether the caller is a program on this machine that is not a proxy,
// and localOnly is the setting rpc_local_only.
func (r Route) Check(local, localOnly bool) error {
	switch {
	case local:
	case r.Access == Local:
		return fmt.Errorf("%s %w: enter rpc_password", r.does, ErrLocal)
	case r.Access == Private && localOnly:
		return fmt.Errorf("%s %w: rpc_local_only=false allows other callers that have the password", r.does, ErrLocal)
	}
	return nil
}
