// Package ledgertest emulates a Ledger device for tests: its dashboard, the apps Cosmos and
// Ethereum, reports over USB and the protocol of Speculos. The device has keys of its own,
// shows the data before it signs, and has a user whose decisions the test determines.
//
// It is implemented from the sources of package ledger and does not use its code: it parses
// documents and transactions and makes signatures itself. In native/speculos it is checked with
// Ledger's npm libraries.
//
// Invariant: The device only signs data that was shown and approved.
package ledgertest
