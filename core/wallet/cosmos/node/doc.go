// Package node is the JSON-RPC client for the nodes of one Cosmos chain: a Pool behaves like
// one node that is always available, see core/net/nodepool. Events reports an address's
// transactions as they happen.
//
// It decodes only the parts of results that it needs, with the protobuf messages of
// core/wallet/cosmos/wire. It uses no coins and no accounts.
//
// Sources: CometBFT's RPC (rpc/core, rpc/jsonrpc) 0.34 to 1.0; Komodo DeFi Framework
// coins/tendermint/rpc and tendermint_coin.rs; spec, enable_tendermint_with_assets.
//
// Invariant: every answer comes from a node that passed the health check since its last
// failure.
package node
