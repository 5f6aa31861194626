// Package parts loads the parts of a program that web/slim/split.js has removed from its
// module. A call of a function in a part waits until the part is loaded. In a program that
// is not split, the package does nothing.
//
// Invariant: a goroutine waits for a part at the first instruction of the called function,
// where the runtime can scan and move its stack, see enter.
package parts
