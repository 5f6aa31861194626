package core

import (
	"cmp"
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
	"obverse/core/wallet/signer/walletconnect"
	cosmossession "obverse/core/wallet/signer/walletconnect/cosmos"
	evmsession "obverse/core/wallet/signer/walletconnect/evm"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// accounts returns the configuration that the activators of all coin families share. Each
// family adds the browser wallets, wallet sessions and hardware wallets that it supports.
func (w *walletHalf) accounts() account.Config {
	c := account.Config{
		Active: w.active, Registry: w.coins, Providers: key.Providers{w.keys, key.WatchOnly{}}, HD: w.keys != nil && w.keys.IsHD(),
		Store: w.p.Store, Fetcher: w.p.Fetch, Identity: w.identity, Now: w.p.Now, Queue: coin.OpenSendQueue(w.p.Now, w.p.Store),
		Excluded: func(ticker, url, reason string) {
			w.p.Log.Warn("excluded a node of a coin", "coin", ticker, "url", url, "reason", reason)
		},
	}
	if c.Fetcher == nil {
		c.Fetcher = fetch.Func(func(context.Context, fetch.Request) (fetch.Response, error) { return fetch.Response{}, errNoRequests })
	}
	return c
}

// devices returns the client for Ledger devices, or nil if the platform cannot reach any.
func (w *walletHalf) devices() *ledger.Client {
	if w.p.Ledgers == nil {
		return nil
	}
	return &ledger.Client{Port: w.p.Ledgers, Timeout: device.DefaultTimeout}
}

// activator returns the activator of Cosmos coins.
func (w *walletHalf) activator(c account.Config, devices *ledger.Client) *cosmos.Activator {
	c.Providers = slices.Clip(c.Providers)
	if w.p.Dial != nil {
		c.Providers = append(c.Providers, cosmossession.Provider{Sessions: w.asker()})
	}
	if w.p.Wallets != nil {
		c.Providers = append(c.Providers, keplr.Provider{Wallets: w.p.Wallets})
	}
	if devices != nil {
		c.Providers = append(c.Providers, hardware.Cosmos{Ledger: devices})
	}
	return &cosmos.Activator{Config: c, Dialer: w.p.Dial}
}

// ethActivator returns the activator of EVM coins.
func (w *walletHalf) ethActivator(c account.Config, devices hardware.EVM, nfts *nft.Gallery) *evm.Activator {
	c.Providers = slices.Clip(c.Providers)
	if w.p.Dial != nil {
		c.Providers = append(c.Providers, evmsession.Provider{Sessions: w.asker()})
	}
	if w.p.Wallets != nil {
		c.Providers = append(c.Providers, eip1193.Provider{Wallets: w.p.Wallets})
	}
	if devices.Ledger != nil || devices.Trezor != nil {
		c.Providers = append(c.Providers, devices)
	}
	return &evm.Activator{Config: c, Dialer: w.p.Dial, Store: w.p.Store, NFTs: nfts}
}

var errNoRequests = fmt.Errorf("%w: this platform sends none", fetch.ErrRequest)

// restoring returns the restorer of the coins that were active when the node last ran.
func (w *walletHalf) restoring(a *cosmos.Activator, eth *evm.Activator) *coin.Restorer {
	return &coin.Restorer{
		Active: w.active, Registry: w.coins,
		Kinds: map[coin.ProtocolType]func(context.Context, coin.SavedCoin) error{
			coin.TypeTendermint: a.Restore, coin.TypeTendermintToken: a.Restore,
			coin.TypeETH: eth.Restore, coin.TypeERC20: eth.Restore,
		},
		Started: func(tickers []string) {
			w.p.Log.Info("restoring active coins", "count", len(tickers), "coins", strings.Join(tickers, ","))
		},
		Restored: func(ticker string) { w.p.Log.Info("restored a coin", "coin", ticker) },
		Failed: func(ticker string, err error) {
			w.p.Log.Warn("restoring a coin failed, retrying", "coin", ticker, "reason", err.Error())
		},
	}
}

// prices returns a client for the configured price service.
func (w *walletHalf) prices(fetcher fetch.Fetcher) *price.Client {
	s := w.c.Prices
	return price.New(price.Config{Service: price.Service(s.Service), URL: s.URL, Fetcher: fetcher, Now: w.p.Now})
}

// gallery returns the NFT gallery of the wallet.
func (w *walletHalf) gallery(c account.Config) *nft.Gallery {
	return nft.New(nft.Config{
		Active: c.Active, Registry: c.Registry, Store: w.p.Store, Fetcher: c.Fetcher, Identity: c.Identity, Now: c.Now,
		Settings: nft.Settings{PrivateHosts: w.c.NFT.PrivateHosts, Gateways: w.c.NFT.IPFSGateways}, Warn: w.p.Log.Warn,
	})
}

// Reasons why a node cannot have sessions with wallets.
const (
	noProject    = "the node has no project id at the relay: set walletconnect.project_id in the config, then restart the node"
	noWebsockets = "this platform has no websockets, which sessions with wallets need"
)

// localApp is the app URL that wallets display for a node that has no page.
const localApp = "http://localhost"

// openSessions reads the stored WalletConnect sessions, if the platform and the settings allow
// sessions.
func (w *walletHalf) openSessions(ctx context.Context) error {
	settings := w.c.WalletConnect
	switch {
	case w.p.Dial == nil:
		w.noSessions = noWebsockets
		return nil
	case settings.ProjectID == "":
		w.noSessions = noProject
		return nil
	}
	var err error
	w.sessions, err = walletconnect.New(ctx, walletconnect.Config{
		RelayURL: settings.RelayURL, ProjectID: settings.ProjectID, Secret: w.sessionSecret(),
		Metadata: wire.Metadata{Name: "Obverse", Description: "Obverse wallet node", URL: cmp.Or(settings.AppURL, localApp), Icons: []string{}},
		Store:    w.p.Store, Dial: w.p.Dial, Now: w.p.Now, Random: w.p.Random, Log: w.p.Log, Notify: w.logSession,
	})
	return err
}

// sessionSecret returns the secret from which session keys are derived: the private key of the
// passphrase or, without a passphrase, the private key of the node's identity.
func (w *walletHalf) sessionSecret() [32]byte {
	if private := w.keys.Node(); private != nil {
		return private.Secret()
	}
	return [32]byte(w.identity.Private())
}

// logSession logs session events.
func (w *walletHalf) logSession(e walletconnect.Event) {
	pairs := []any{"event", string(e.Kind), "topic", e.Topic}
	if e.Reason != nil {
		pairs = append(pairs, "reason", e.Reason.Error())
	}
	if e.Kind == walletconnect.Emitted {
		pairs = append(pairs, "chain", e.Chain, "name", e.Name)
	}
	w.p.Log.Info("wallet session changed", pairs...)
}

// asker returns the Asker that accounts of wallet sessions send their requests to.
func (w *walletHalf) asker() walletconnect.Asker {
	if w.sessions == nil {
		return walletconnect.None(w.noSessions)
	}
	return w.sessions
}
