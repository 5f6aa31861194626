// Package node asks the nodes of one Cosmos chain: a Pool of them behaves like one node
// that is always there, see core/net/nodepool. Events tells of an address's transactions as
// they happen.
//
// It decodes the results and no more of what is inside than it needs: protobuf messages
// are core/wallet/tendermint/wire's. It knows no coin and no account.
//
// Sources: CometBFT's RPC (rpc/core, rpc/jsonrpc) 0.34 to 1.0; Komodo DeFi Framework
// coins/tendermint/rpc and tendermint_coin.rs; spec, enable_tendermint_with_assets.
//
// Invariant: no answer comes from a node that has not said, since it last failed, that
// it is on the chain.
package node
