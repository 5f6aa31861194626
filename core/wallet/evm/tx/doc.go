// Package tx builds transactions of EVM networks, has them signed, sends them and waits for
// their confirmation; it also signs and verifies texts. It reaches nodes and accounts
// through interfaces.
//
// A transaction is made in steps, each a function of the results of those before: the request is
// checked (transfer), the sender opened, the state of the account read, a price and the gas found,
// the amount and the fee compared with the balance (afford), the fee compared with the usual one,
// and the draft signed. coin.SendQueue.Execute does so in the account's turn and submits it.
//
// Sources: EIP-1559 for fees; EIP-191 for texts; Komodo DeFi Framework coins/eth.rs and
// coins/eth/eth_withdraw.rs.
//
// Invariant: an account signs only transactions for its own network that its balance, as
// reported by the nodes, covers; no fee above one coin is paid without the user or a wallet
// having seen it.
package tx
