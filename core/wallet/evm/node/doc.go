// Package node implements a JSON-RPC client for the nodes of one EVM network. A Pool behaves
// like one node that is always available, see core/net/nodepool. The package defines the
// methods with their parameters and results, and parses 256-bit quantities. It does not depend
// on coins or keys. What only histories and NFTs need is in the packages history and nft,
// which use Ask and Past.
//
// Sources: the Ethereum JSON-RPC specification (ethereum/execution-apis), EIP-1474 for
// codes of errors, EIP-1559 for fees.
//
// Invariant: Every number from a node is in the range of its method: not negative, and within
// the bits of its type.
package node
