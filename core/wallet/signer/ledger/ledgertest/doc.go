// Package ledgertest emulates a Ledger device for tests: its dashboard, the apps Cosmos and
// Ethereum, reports over USB and Speculos' protocol. It holds a key of its own, shows what
// it would sign, and does what a test's script has its user do.
//
// It follows the sources that package ledger names, and not that package's code: documents,
// transactions and signatures are read and made here again. Ledger's npm libraries check it
// in native/speculos.
//
// Invariant: it signs nothing that was not shown and approved.
package ledgertest
