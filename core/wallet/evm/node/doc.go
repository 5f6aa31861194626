// Package node asks the nodes of one EVM network: a Pool of them behaves like one node
// that is always there, see core/net/nodepool. It knows the methods, their parameters and
// results, and reads quantities of 256 bits. It knows no coin and no key.
//
// Sources: the Ethereum JSON-RPC specification (ethereum/execution-apis), EIP-1474 for
// codes of errors, EIP-1559 for fees.
//
// Invariant: no number of a node is used that is not what its method gives: a quantity
// within its bits, not below 0.
package node
