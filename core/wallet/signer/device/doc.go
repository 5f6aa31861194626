// Package device has the common parts of hardware wallets of all vendors: listing, connections,
// faults, requests to the user, and a queue for each device, which handles one request at a
// time. The packages below it speak the vendors' protocols.
//
// It holds no keys or connections; a platform provides devices as a Bus.
//
// Invariant: whatever a device or its transport does, a caller gets an *Error, whose fault
// it can act upon, or the error of its own context.
package device
