// Package nft has the methods of the node API about NFTs: lists, transfers, metadata and
// images. core/wallet/nft does the work; package activate activates the networks, and
// package send sends NFTs.
//
// Source: Komodo DeFi Framework's nft.
package nft
