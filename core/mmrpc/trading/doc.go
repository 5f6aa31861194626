// Package trading has the methods of the node API about swaps, orders and prices, and the
// ones that are refused because this node has no orders and no UTXO coins.
//
// Source: Komodo DeFi Framework's lp_swap and lp_ordermatch.
package trading
