// Package ledger signs with Ledger's devices. It implements their reports over USB, the
// detection of the open app, and the commands of the apps Cosmos and Ethereum. It never has a
// private key, and only returns signatures that match the request.
//
// It was tested with an emulator that Ledger's own client libraries accept, but not with a
// physical device.
//
// Sources: cosmos/ledger-cosmos docs/APDUSPEC.md, docs/TXSPEC.md and app/src (2.38.13);
// LedgerHQ/app-ethereum doc/ethapp.adoc and src (1.23.0); LedgerHQ/ledger-live
// libs/ledgerjs: devices/hid-framing, hw-app-cosmos 6.36.2, hw-app-eth 7.9.0, errors.
//
// The package does not contain the descriptors with which a device shows tokens, plugins and
// typed data in words. Ledger signs them, and its crypto-assets service provides them. A
// platform may provide the descriptors of ERC-20 tokens with the interface Tokens. Without it,
// a token's transfer is contract data, which the device signs only if its user allows blind
// signing.
//
// Invariant: A returned signature is valid for the public key and the message of the caller.
package ledger
