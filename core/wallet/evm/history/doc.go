// Package history finds the transactions of an address of an EVM network and stores their
// effects, see core/wallet/account/txlog. Since nodes have no list of an address's
// transactions, it finds them in three ways. It searches the logs of blocks, as far back as
// nodes have them, for transfers of active tokens. It remembers the transactions that this node
// sent. If there is an indexer, it loads all transactions from it.
//
// The stored data of a transaction always come from nodes: the transaction, its receipt and its
// block. When a block is replaced by another one, its transactions are removed.
//
// Sources: ERC-20 (Transfer); Ethereum JSON-RPC (eth_getLogs, receipts); Blockscout's API v2;
// Etherscan's API.
//
// Invariant: The sum of received minus spent over the entries of a transaction is the change of
// the address's balance by the transaction and its fee, except for coins that contracts send,
// which receipts do not show.
package history
