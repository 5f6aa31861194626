// Package ledger signs with Ledger's devices: their reports over USB, what is open on
// them, and the commands of the apps Cosmos and Ethereum. It never sees a private key, and
// hands no signature out that does not belong to what was asked for.
//
// It was tested with an emulator that Ledger's own client libraries accept, and with no
// physical device.
//
// Sources: cosmos/ledger-cosmos docs/APDUSPEC.md, docs/TXSPEC.md and app/src (2.38.13);
// LedgerHQ/app-ethereum doc/ethapp.adoc and src (1.23.0); LedgerHQ/ledger-live
// libs/ledgerjs: devices/hid-framing, hw-app-cosmos 6.36.2, hw-app-eth 7.9.0, errors.
//
// Not had here: the descriptors that let a device show tokens, plugins and typed data in
// words are signed by Ledger and served by its crypto-assets service. Tokens is the port
// through which a platform may bring those of ERC-20 tokens; without it a token's transfer
// is contract data, which the device signs when its user allows blind signing.
//
// Invariant: a signature that is handed out verifies under the public key and over the
// message that the caller gave.
package ledger
