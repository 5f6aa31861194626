// Package node implements a JSON-RPC client for the nodes of one Cosmos chain. A Pool behaves
// like one node that is always available, see core/net/nodepool. Events reports new
// transactions of an address.
//
// It decodes only the parts of results that it needs, with the protobuf messages of
// core/wallet/cosmos/wire. It does not depend on coins or accounts.
//
// Sources: CometBFT's RPC (rpc/core, rpc/jsonrpc) 0.34 to 1.0; Komodo DeFi Framework
// coins/tendermint/rpc and tendermint_coin.rs; spec, enable_tendermint_with_assets.
//
// Invariant: Every answer is from a node that has passed the health check since its last
// failure.
package node
