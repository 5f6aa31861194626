// Package session runs a node on a store in the file system that JavaScript offers, for
// the programs of a page and of the edge. It knows neither of them: what they have of the
// world is in Settings.
//
// Invariant: a store that is open is closed by Close or Discard, and nothing of a session
// goes on after them.
package session
