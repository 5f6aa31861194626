// Package jsval is the only package that calls JavaScript. It has values with checked types, functions
// that can be released, promises that are awaited without blocking the event loop, and
// errors that are real Error objects with `kind` and `data`. It does not interpret
// the values.
//
// Sources: syscall/js; the ECMAScript specification for promises and errors.
//
// Invariant: no value or exception of JavaScript makes a function here panic, and
// no function of Go is called after it was released.
package jsval
