// Package tx makes transactions of EVM networks, has them signed, sends them and waits
// for them; and it signs and verifies texts. It knows what to ask of nodes and of an
// account, and none of both.
//
// Sources: EIP-1559 for fees; EIP-191 for texts; Komodo DeFi Framework coins/eth.rs and
// coins/eth/eth_withdraw.rs.
//
// Invariant: an account signs nothing that costs more than its coins, as far as the nodes
// tell them, and nothing for another network than its own; no fee above a coin is paid
// that neither the user nor a wallet has seen.
package tx
