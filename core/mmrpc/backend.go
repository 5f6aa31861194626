package mmrpc

import (
	"slices"

	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/devices"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/hd"
	"obverse/core/mmrpc/history"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/nft"
	"obverse/core/mmrpc/peers"
	"obverse/core/mmrpc/prices"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/sessions"
	"obverse/core/mmrpc/trading"
	"obverse/core/mmrpc/wallets"
	"obverse/core/rpc"
)

// Backend holds the areas of the node API's methods. A new area needs a field here and a line
// in Methods.
type Backend struct {
	Control      Control
	Keys         keys.Keys
	PrivateKeys  keys.PrivateKeys
	Wallets      wallets.Wallets
	Coins        activate.Coins
	NodeTrials   activate.NodeTrials
	Addresses    keys.Addresses
	Cosmos       activate.Cosmos
	Eth          activate.Eth
	Tokens       send.Tokens
	HD           hd.HD
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
	History      history.History
	Prices       prices.Prices
	Streams      events.Streams
	CoinStreams  events.CoinStreams
	Enabling     activate.EnableLightning
	Lightning    peers.Lightning
	VersionStats peers.VersionStats
	Sessions     sessions.Sessions
	Trezor       devices.Trezor
	Trading      trading.Trading
	Utxo         trading.Utxo
}

// Methods implements Area. It returns the methods of all areas, in the order of the
// documentation.
func (b Backend) Methods() []rpc.Method {
	return slices.Concat(
		b.Control.Methods(), b.Keys.Methods(), b.PrivateKeys.Methods(), b.Wallets.Methods(),
		b.Coins.Methods(), b.NodeTrials.Methods(), b.Addresses.Methods(),
		b.Cosmos.Methods(), b.Staking.Methods(),
		b.Eth.Methods(), b.HD.Methods(), b.Tokens.Methods(),
		b.EnableNFT.Methods(), b.NFTs.Methods(),
		b.Swaps.Methods(), b.Volumes.Methods(),
		b.Sending.Methods(), b.Replacing.Methods(), b.Names.Methods(), b.RawTx.Methods(), b.FeeEstimates.Methods(), b.Messages.Methods(),
		b.History.Methods(), b.Prices.Methods(),
		b.Streams.Methods(), b.CoinStreams.Methods(),
		b.Enabling.Methods(), b.Lightning.Methods(),
		b.VersionStats.Methods(),
		b.Sessions.Methods(),
		b.Trezor.Methods(),
		b.Trading.Methods(), b.Utxo.Methods(),
	)
}
