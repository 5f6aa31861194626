package walletnode

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
	"obverse/core/wallet/evm/eip1193"
	"obverse/core/wallet/nft"
	"obverse/core/wallet/tendermint"
	"obverse/core/wallet/tendermint/keplr"
)

// activator makes coins of the Cosmos family.
func (n *Node) activator() *tendermint.Activator {
	a := &tendermint.Activator{
		Active: n.active, Registry: n.coins, Keepers: key.Keepers{n.c.Keys, key.WatchOnly{}}, HD: n.c.Keys != nil && n.c.Keys.IsHD(),
		Fetcher: n.c.Fetch, Dialer: n.c.Dial, Identity: n.identity, Store: n.c.Store, Now: n.c.Now, Turns: coin.NewTurns(n.c.Now),
		LeftOut: func(ticker, url, reason string) {
			n.c.Log.Warn("a coin goes without one of its nodes", "coin", ticker, "url", url, "reason", reason)
		},
	}
	if n.c.Wallets != nil {
		a.Keepers = append(a.Keepers, keplr.Keeper{Wallets: n.c.Wallets})
	}
	if a.Fetcher == nil {
		a.Fetcher = fetch.Func(func(context.Context, fetch.Request) (fetch.Response, error) { return fetch.Response{}, errNoRequests })
	}
	return a
}

// ethActivator makes coins of EVM networks, with what those of Cosmos chains are made of.
func (n *Node) ethActivator(a *tendermint.Activator) *evm.Activator {
	own := slices.DeleteFunc(slices.Clone(a.Keepers), func(k key.Keeper) bool { return k.Keeps() == key.NameBrowserWallet })
	if n.c.Wallets != nil {
		own = append(own, eip1193.Keeper{Wallets: n.c.Wallets})
	}
	return &evm.Activator{Active: a.Active, Registry: a.Registry, Keepers: own, HD: a.HD, Fetcher: a.Fetcher, Identity: a.Identity,
		Now: a.Now, Turns: a.Turns, LeftOut: a.LeftOut}
}

var errNoRequests = fmt.Errorf("%w: this platform sends none", fetch.ErrRequest)

// restoring brings back what was active when the node last ran.
func (n *Node) restoring(a *tendermint.Activator, eth *evm.Activator) *coin.Restorer {
	return &coin.Restorer{
		Active: n.active, Registry: n.coins,
		Kinds: map[coin.ProtocolType]func(context.Context, coin.SavedCoin) error{
			coin.TypeTendermint: a.Restore, coin.TypeTendermintToken: a.Restore,
			coin.TypeETH: eth.Restore, coin.TypeERC20: eth.Restore,
		},
		Begun: func(tickers []string) {
			n.c.Log.Info("restoring the coins that were active", "count", len(tickers), "coins", strings.Join(tickers, ","))
		},
		Restored: func(ticker string) { n.c.Log.Info("restored a coin", "coin", ticker) },
		Failed: func(ticker string, err error) {
			n.c.Log.Warn("a coin that was active could not be restored yet", "coin", ticker, "reason", err.Error())
		},
	}
}

// gallery keeps the NFTs of the wallet, with what coins of Cosmos chains are made of.
func (n *Node) gallery(a *tendermint.Activator) *nft.Gallery {
	return nft.New(nft.Config{
		Active: a.Active, Registry: a.Registry, Store: a.Store, Fetcher: a.Fetcher, Identity: a.Identity, Now: a.Now,
		Settings: nft.Settings{PrivateHosts: n.c.Settings.NFT.PrivateHosts, Gateways: n.c.Settings.NFT.IPFSGateways}, Warn: n.c.Log.Warn,
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
