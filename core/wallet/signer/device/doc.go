// Package device contains the common parts of hardware wallets of all vendors: listing,
// connections, faults, requests to the user, and a queue for each device, which handles one
// request at a time. Other packages implement the protocols of the vendors.
//
// The package holds no keys or connections. A platform provides devices as a Bus.
//
// Invariant: Every failure of a device or its transport is returned as an *Error with a fault,
// or as the error of the caller's context.
package device
