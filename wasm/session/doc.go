// Package session runs a node on a store in the file system that JavaScript provides, for
// the programs of a page and of the edge. It depends on neither of them: Settings contains everything that
// they provide.
//
// Invariant: Close or Discard closes an open store, and no part of a session
// continues afterwards.
package session
