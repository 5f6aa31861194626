// Package evm makes coins of networks with Ethereum's virtual machine: a network's own
// coin and the ERC-20 tokens on it, which core/wallet/coin keeps as active. It checks what a
// user asks to be activated, finds out which nodes can be used, and gives the coins what
// they do: balances, sending, signed messages. The parts are in the packages below; this
// one puts them together. It knows no method and no error kind of the node interface, and
// of NFTs only that somebody makes networks of them on its platforms.
//
// Sources: spec; Komodo DeFi Framework coins/eth.rs, coins/eth/v2_activation.rs and
// coins_activation/src/eth_with_token_activation.rs for parameters, the order of checks
// and the texts of errors.
//
// Invariant: a coin is active with all that was asked for, and its nodes were on its
// network when it was activated, or nothing has changed.
package evm
