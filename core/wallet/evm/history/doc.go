// Package history finds the transactions of an address of an EVM network and keeps what they
// meant, see core/wallet/account/txlog. Nodes have no list of an address's transactions. They
// are found in three ways: transfers of active tokens in the logs of blocks, as far back as
// nodes serve them; what was sent from here; and all of them from an indexer, if there is one.
//
// The stored data of a transaction come from nodes, whatever its source: the transaction, its
// receipt and its block. A block that another one has replaced takes its transactions along.
//
// Sources: ERC-20 (Transfer); Ethereum JSON-RPC (eth_getLogs, receipts); Blockscout's API v2;
// Etherscan's API.
//
// Invariant: over the entries of a transaction, received less spent equals what the transaction
// and its fee changed of the address's balance, but for coins that contracts send, which
// receipts do not show.
package history
