package walletnode

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos"
	"obverse/core/wallet/evm"
	"obverse/core/wallet/nft"
	"obverse/core/wallet/price"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/eip1193"
	"obverse/core/wallet/signer/hardware"
	"obverse/core/wallet/signer/keplr"
	"obverse/core/wallet/signer/ledger"
	cosmossession "obverse/core/wallet/signer/walletconnect/cosmos"
	evmsession "obverse/core/wallet/signer/walletconnect/evm"
)

// accounts is what the activations of all families need. Each has its own wallets of a
// browser, of sessions and of hardware beside it.
func (n *Node) accounts() account.Config {
	c := account.Config{
		Active: n.active, Registry: n.coins, Providers: key.Providers{n.c.Keys, key.WatchOnly{}}, HD: n.c.Keys != nil && n.c.Keys.IsHD(),
		Store: n.c.Store, Fetcher: n.c.Fetch, Identity: n.identity, Now: n.c.Now, Queue: coin.OpenSendQueue(n.c.Now, n.c.Store),
		Excluded: func(ticker, url, reason string) {
			n.c.Log.Warn("excluded a node of a coin", "coin", ticker, "url", url, "reason", reason)
		},
	}
	if c.Fetcher == nil {
		c.Fetcher = fetch.Func(func(context.Context, fetch.Request) (fetch.Response, error) { return fetch.Response{}, errNoRequests })
	}
	return c
}

// devices talks to hardware wallets; nil if this platform reaches none.
func (n *Node) devices() *ledger.Client {
	if n.c.Ledgers == nil {
		return nil
	}
	return &ledger.Client{Port: n.c.Ledgers, Patience: device.Patience}
}

// activator makes coins of the Cosmos family.
func (n *Node) activator(c account.Config, devices *ledger.Client) *cosmos.Activator {
	c.Providers = slices.Clip(c.Providers)
	if n.c.Dial != nil {
		c.Providers = append(c.Providers, cosmossession.Provider{Sessions: n.asker()})
	}
	if n.c.Wallets != nil {
		c.Providers = append(c.Providers, keplr.Provider{Wallets: n.c.Wallets})
	}
	if devices != nil {
		c.Providers = append(c.Providers, hardware.Cosmos{Ledger: devices})
	}
	return &cosmos.Activator{Config: c, Dialer: n.c.Dial}
}

// ethActivator makes coins of EVM networks.
func (n *Node) ethActivator(c account.Config, devices hardware.EVM, nfts *nft.Gallery) *evm.Activator {
	c.Providers = slices.Clip(c.Providers)
	if n.c.Dial != nil {
		c.Providers = append(c.Providers, evmsession.Provider{Sessions: n.asker()})
	}
	if n.c.Wallets != nil {
		c.Providers = append(c.Providers, eip1193.Provider{Wallets: n.c.Wallets})
	}
	if devices.Ledger != nil || devices.Trezor != nil {
		c.Providers = append(c.Providers, devices)
	}
	return &evm.Activator{Config: c, Dialer: n.c.Dial, Store: n.c.Store, NFTs: nfts}
}

var errNoRequests = fmt.Errorf("%w: this platform sends none", fetch.ErrRequest)

// restoring brings back what was active when the node last ran.
func (n *Node) restoring(a *cosmos.Activator, eth *evm.Activator) *coin.Restorer {
	return &coin.Restorer{
		Active: n.active, Registry: n.coins,
		Kinds: map[coin.ProtocolType]func(context.Context, coin.SavedCoin) error{
			coin.TypeTendermint: a.Restore, coin.TypeTendermintToken: a.Restore,
			coin.TypeETH: eth.Restore, coin.TypeERC20: eth.Restore,
		},
		Started: func(tickers []string) {
			n.c.Log.Info("restoring active coins", "count", len(tickers), "coins", strings.Join(tickers, ","))
		},
		Restored: func(ticker string) { n.c.Log.Info("restored a coin", "coin", ticker) },
		Failed: func(ticker string, err error) {
			n.c.Log.Warn("restoring a coin failed, retrying", "coin", ticker, "reason", err.Error())
		},
	}
}

// prices asks the price service of the settings.
func (n *Node) prices(fetcher fetch.Fetcher) *price.Client {
	s := n.c.Settings.Prices
	return price.New(price.Config{Service: price.Service(s.Service), URL: s.URL, Fetcher: fetcher, Now: n.c.Now})
}

// gallery keeps the NFTs of the wallet.
func (n *Node) gallery(c account.Config) *nft.Gallery {
	return nft.New(nft.Config{
		Active: c.Active, Registry: c.Registry, Store: n.c.Store, Fetcher: c.Fetcher, Identity: c.Identity, Now: c.Now,
		Settings: nft.Settings{PrivateHosts: n.c.Settings.NFT.PrivateHosts, Gateways: n.c.Settings.NFT.IPFSGateways}, Warn: n.c.Log.Warn,
	})
}
