// Package nft manages the NFTs of the wallet's EVM addresses. It lists the NFTs of an address
// with an indexer, stores them with their metadata, and checks contracts and domains with an
// anti-spam service. It makes the NFT networks that core/wallet/coin holds as active coins.
//
// Without an indexer, a Reader finds the NFTs. It searches the logs of the chain's contracts
// for transfers to the address, range by range from the newest block down, and then checks
// which of the tokens the address still has. The package itself calls no node, and has no
// methods and no error kinds of the node API.
//
// Sources: spec, enable_nft and refresh_nft_metadata; Komodo DeFi Framework coins/nft (nft.rs,
// nft_structs.rs, nft_errors.rs) for the calls of both services, the order of steps and the
// rules about spam; Moralis, Web3 Data API, for the form of the indexer's answers.
//
// Invariant: texts of an indexer and of the author of an NFT are limited in size, and none is
// passed on as a document that a page could run, such as SVG or HTML. Requests for their URLs
// go to the public internet, or to hosts that the config names.
package nft
