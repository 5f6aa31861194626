// Package parts loads the parts of a program that web/slim/split.js leaves out of its
// module: a call of one of their functions waits until the part is there. In a program that
// is not split it does nothing.
//
// Invariant: a goroutine waits for a part in the place of the function's first operator,
// where the runtime can scan its stack and move it: see enter.
package parts
