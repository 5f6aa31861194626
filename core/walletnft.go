package core

import (
	"context"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
	"obverse/core/wallet/nft"
	"obverse/core/wallet/tendermint"
)

// gallery keeps the NFTs of the wallet, with what coins of Cosmos chains are made of.
func (w *walletNode) gallery(c *Config, p Platform, a *tendermint.Activator) *nft.Gallery {
	return nft.New(nft.Config{
		Active: a.Active, Registry: a.Registry, Store: a.Store, Fetcher: a.Fetcher, Identity: a.Identity, Now: a.Now,
		Settings: nft.Settings{PrivateHosts: c.NFT.PrivateHosts, Gateways: c.NFT.IPFSGateways}, Warn: p.Log.Warn,
	})
}

// nftNetworks is a gallery for platforms that are activated with their NFTs.
type nftNetworks struct{ *nft.Gallery }

// Network implements evm.NFTNetworks.
func (n nftNetworks) Network(ctx context.Context, platform evm.NFTPlatform, p evm.NFTProvider) (coin.Item, []evm.NFT, error) {
	item, held, err := n.Join(ctx, platform, nft.Provider{Indexer: nft.Server{URL: p.URL, Gateway: p.GatewayProxy}})
	var list []evm.NFT
	for _, of := range held {
		list = append(list, evm.NFT{TokenAddress: of.Address, TokenID: of.ID, Chain: string(of.Chain), ContractType: of.Type, Amount: of.Amount})
	}
	return item, list, err
}
