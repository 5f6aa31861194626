// Package evm makes coins of networks with Ethereum's virtual machine: native coins and the
// ERC-20 tokens on them, for core/wallet/coin. It checks activation requests, probes the nodes,
// and implements balances, sending and signed messages with the packages in its subdirectories.
// It does not depend on the daemon API, and depends on NFTs only through the interface NFTs.
//
// Sources: spec; Komodo DeFi Framework coins/eth.rs, coins/eth/v2_activation.rs and
// coins_activation/src/eth_with_token_activation.rs for parameters, the order of checks
// and the texts of errors.
//
// Invariant: An activation succeeds as requested, with nodes that are on the network, or
// changes nothing.
package evm
