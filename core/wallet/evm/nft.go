package evm

import (
	"context"

	"obverse/core/wallet/coin"
)

// NFTPrefix begins the tickers of networks of NFTs: NFT_ETH is that of the platform ETH.
const NFTPrefix = "NFT_"

// NFTPlatform is what a network of NFTs needs of its platform, which is active or about to
// be. *Platform is one.
type NFTPlatform interface {
	coin.Coin
	coin.Addresser // with the checksum of EIP-55
	ChainID() uint64
	// Height is the number of the newest block. Its error is coin.ErrTransport.
	Height(ctx context.Context) (uint64, error)
}

// NFTProvider says who lists the NFTs of an address.
type NFTProvider struct {
	URL          string // of an indexer
	GatewayProxy bool   // requests are signed with the node's identity, for a gateway
}

// NFT is one that an address holds, in the words of the node interface.
type NFT struct {
	TokenAddress string // of the contract, in small letters
	TokenID      string // a decimal number of 256 bits
	Chain        string // POLYGON
	ContractType string // ERC721 or ERC1155
	Amount       string // a decimal number of 256 bits
}

// NFTNetworks makes networks of NFTs for platforms that are activated with one.
type NFTNetworks interface {
	// Network makes the network of a platform and lists what its address holds. The item
	// is a coin.Token with the platform's ticker behind NFTPrefix; whoever asks commits it,
	// and nothing of it is active before. Errors are those of the network's entry, and
	// coin.ErrTransport if the provider does not answer.
	Network(ctx context.Context, platform NFTPlatform, provider NFTProvider) (coin.Item, []NFT, error)
}
