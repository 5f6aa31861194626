// Package nft keeps the NFTs of the wallet's EVM addresses: it asks an indexer what an
// address holds, keeps that in the store with what is known of each, and asks an
// anti-spam service which contracts and domains are bad. It makes the networks of NFTs
// that core/wallet/coin keeps as active. Without an indexer a Reader finds the NFTs: what came to
// the address by the logs of the chain's contracts, range by range, newest blocks first, and of
// that what it still has. It speaks to no node itself, and knows no method and no error kind of
// the node interface.
//
// Sources: spec, enable_nft and refresh_nft_metadata; Komodo DeFi Framework coins/nft
// (nft.rs, nft_structs.rs, nft_errors.rs) for the calls of both services, the order of
// steps and the rules about spam; Moralis, Web3 Data API, for the form of the indexer's
// answers.
//
// Invariant: what an indexer or the author of an NFT writes is bounded in size, and none
// of it is passed on as a document that a page could run: no SVG, no HTML. Requests that
// their URLs ask for go to the public internet, or to hosts that the config names.
package nft
