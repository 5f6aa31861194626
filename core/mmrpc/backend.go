package mmrpc

import (
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/nft"
	"obverse/core/mmrpc/peers"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/trading"
)

// Backend is everything that the methods of the node API work on, an area for each
// part of the node. A new area gets a field here and a line below.
type Backend struct {
	Control      Control
	Keys         keys.Keys
	PrivateKeys  keys.PrivateKeys
	Wallets      keys.Wallets
	Coins        activate.Coins
	NodeTrials   activate.NodeTrials
	Addresses    keys.Addresses
	Cosmos       activate.Cosmos
	Eth          activate.Eth
	Tokens       send.Tokens
	HD           keys.HD
	EnableNFT    activate.EnableNFT
	NFTs         nft.NFTs
	Swaps        trading.Swaps
	Volumes      trading.Volumes
	Sending      send.Sending
	RawTx        send.RawTransactions
	Names        send.Names
	Replacing    send.Replacing
	FeeEstimates events.FeeEstimates
	Staking      send.Staking
	Messages     keys.Messages
	History      events.History
	Prices       trading.Prices
	Streams      events.Streams
	CoinStreams  events.CoinStreams
	Enabling     activate.EnableLightning
	Lightning    peers.Lightning
	VersionStats peers.VersionStats
	Sessions     keys.Sessions
	Trezor       keys.Trezor
	Trading      trading.Trading
	Utxo         trading.Utxo
}

// Areas lists the areas in the order in which documents show them.
func (b Backend) Areas() []Area {
	return []Area{
		b.Control, b.Keys, b.PrivateKeys, b.Wallets,
		b.Coins, b.NodeTrials, b.Addresses,
		b.Cosmos, b.Staking,
		b.Eth, b.HD, b.Tokens,
		b.EnableNFT, b.NFTs,
		b.Swaps, b.Volumes,
		b.Sending, b.Replacing, b.Names, b.RawTx, b.FeeEstimates, b.Messages,
		b.History, b.Prices,
		b.Streams, b.CoinStreams,
		b.Enabling, b.Lightning,
		b.VersionStats,
		b.Sessions,
		b.Trezor,
		b.Trading, b.Utxo,
	}
}
