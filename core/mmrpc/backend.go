package mmrpc

// Backend is everything that the methods of the node API work on, an area for each
// part of the node. A new area gets a field here and a line below.
type Backend struct {
	Control      Control
	Keys         Keys
	PrivateKeys  PrivateKeys
	Wallets      Wallets
	Coins        Coins
	NodeTrials   NodeTrials
	Addresses    Addresses
	Cosmos       Cosmos
	Eth          Eth
	Tokens       Tokens
	HD           HD
	EnableNFT    EnableNFT
	NFTs         NFTs
	Swaps        Swaps
	Volumes      Volumes
	Sending      Sending
	RawTx        RawTransactions
	Names        Names
	Replacing    Replacing
	FeeEstimates FeeEstimates
	Staking      Staking
	Messages     Messages
	History      History
	Prices       Prices
	Streams      Streams
	CoinStreams  CoinStreams
	Enabling     EnableLightning
	Lightning    Lightning
	VersionStats VersionStats
	Sessions     Sessions
	Trezor       Trezor
	Trading      Trading
	Utxo         Utxo
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
