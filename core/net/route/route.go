// Package route lists the paths of a node's HTTP port that are not calls of the node API, and
// says which callers each path is for. The native server and the edge serve the same table, so
// that no path is open on one of them by omission. Origins decides which web origins may read
// the answers.
//
// Invariant: a server registers a Route, never a bare path. A new path therefore names its
// callers, and tests that walk All find it.
package route

import (
	"errors"
	"fmt"
)

// ErrLocal is wrapped by the refusals of callers that a route excludes.
var ErrLocal = errors.New("from localhost only")

// Access says which callers a route is for. Credentials are checked in addition, by the
// route's handler.
type Access int

const (
	// Anyone: the response contains no secret, or the handler asks other callers for the password.
	Anyone Access = iota
	// Private: as methods of the node API that are not public. While rpc_local_only is set,
	// local callers alone may use it.
	Private
	// Local: local callers alone may use it.
	Local
)

// Route is a path, exactly as clients send it, and the callers that it is for.
type Route struct {
	Path   string
	Access Access
	does   string // what excluded callers cannot do
}

// The routes of a node. Requests with POST on any other path are calls of the node API, which
// asks about its callers for each method.
var (
	Daemon  = Route{"/daemon", Private, "the daemon API can be called"}
	Link    = Route{"/link", Local, "one-time links work"} // native
	Events  = Route{Path: "/event-stream"}
	Live    = Route{Path: "/livez"}
	Ready   = Route{Path: "/readyz"}
	Metrics = Route{Path: "/metrics"}
	Backup  = Route{"/backup", Private, "the store can be copied and replaced"} // at the edge
)

// All returns all routes.
func All() []Route { return []Route{Daemon, Link, Events, Live, Ready, Metrics, Backup} }

// Check returns an error if a caller may not use the route, whatever its credential. local is
// whether the caller is a program on this machine that asks for itself, and localOnly is the
// setting rpc_local_only.
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
