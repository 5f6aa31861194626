// Package cosmos asks wallets over WalletConnect for accounts on chains of the Cosmos family
// and for signatures. It believes them nothing that can be checked: an address is that of
// its key, and a signature is of the document that the wallet says it signed, by the key
// that was asked. Whether that document does what was asked for is the caller's to judge,
// since wallets change fees.
//
// Sources: WalletConnect's JSON-RPC methods for Cosmos (cosmos_getAccounts, cosmos_signDirect,
// cosmos_signAmino), Cosmos SDK (SignDoc, StdSignDoc). Bytes are base64, as Keplr, Leap and
// cosmos-kit have them; wallets answer in other forms too.
//
// Invariant: no signature is returned that was not verified.
package cosmos
