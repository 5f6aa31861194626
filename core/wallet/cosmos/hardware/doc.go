// Package hardware has the accounts of hardware wallets on chains of the Cosmos family: it
// asks a device for the key at a path, and to show and sign documents of amino JSON, which
// is all that devices sign. Ledger's devices are asked through their app Cosmos.
//
// Sources: those of package ledger; ADR-036 for texts.
//
// Invariant: an account whose key is known is not asked for it again, and a document that
// no device can show reaches none.
package hardware
