// Package jsval is the only door to JavaScript: values with checked types, functions
// that are released, promises that are awaited without stopping the event loop, and
// errors that are real Error objects with `kind` and `data`. It knows nothing of what
// the values mean.
//
// Sources: syscall/js; the ECMAScript specification for promises and errors.
//
// Invariant: nothing that JavaScript throws or passes makes a function here panic, and
// no function of Go is called after it was released.
package jsval
