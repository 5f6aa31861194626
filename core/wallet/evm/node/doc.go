// Package node is the JSON-RPC client for the nodes of one EVM network: a Pool behaves like
// one node that is always available, see core/net/nodepool. It has the methods, their
// parameters and results, and reads 256-bit quantities. It uses no coins and no keys.
//
// Sources: the Ethereum JSON-RPC specification (ethereum/execution-apis), EIP-1474 for
// codes of errors, EIP-1559 for fees.
//
// Invariant: every number used from a node is in its method's range: not negative, and
// within the bits of its type.
package node
