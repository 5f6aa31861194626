// Package device is what hardware wallets of all vendors have in common: how they are
// listed and reached, why they fail, what they want from their user, and that one device
// has one conversation at a time. The packages below it speak the vendors' protocols.
//
// It holds no key and no connection of its own: a platform brings devices in as a Bus.
//
// Invariant: whatever a device or its transport does, a caller gets an *Error, whose fault
// it can act upon, or the error of its own context.
package device
