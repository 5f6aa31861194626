package core

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"obverse/core/config"
	"obverse/core/event"
	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/metrics"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/devices"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/hd"
	"obverse/core/mmrpc/history"
	"obverse/core/mmrpc/keys"
	nftmethods "obverse/core/mmrpc/nft"
	"obverse/core/mmrpc/peers"
	"obverse/core/mmrpc/prices"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/sessions"
	"obverse/core/mmrpc/trading"
	"obverse/core/mmrpc/wallets"
	"obverse/core/rpc"
	"obverse/core/swap"
	"obverse/core/task"
	"obverse/core/versionstat"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/export"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/node"
	"obverse/core/wallet/signer/hardware"
	"obverse/core/wallet/signer/walletconnect"
)

// walletHalf is the half of a node that serves the node API: the node's identity, the coins,
// the accounts and tasks that belong to them, and the mmrpc server.
type walletHalf struct {
	p        *Platform
	c        *config.Config
	keys     *key.Ring // nil without a passphrase
	identity *key.Identity
	coins    *coin.Registry
	active   *coin.Active
	restorer *coin.Restorer
	swaps    *swap.Ledger
	stats    *versionstat.Collector // nil if this platform cannot probe nodes
	tasks    *task.Manager
	events   *event.Hub
	server   *mmrpc.Server

	sessions   *walletconnect.Manager // nil for the reason in noSessions
	noSessions string
}

// openWallet reads the wallet's data from the store and creates the wallet. It starts no
// background work.
func openWallet(ctx context.Context, p *Platform, c *config.Config, ring *key.Ring) (*walletHalf, error) {
	w := &walletHalf{p: p, c: c, keys: ring, events: event.New(event.Config{Now: p.Now, Random: p.Random}), tasks: task.New()}
	if err := w.read(ctx); err != nil {
		return nil, err
	}
	accounts := w.accounts()
	gallery := w.gallery(accounts)
	ledgers := w.devices()
	activator, eth := w.activator(accounts, ledgers), w.ethActivator(accounts, hardware.EVM{Ledger: ledgers, Trezor: w.p.Trezors}, gallery)
	lightningPeers := &node.Activator{Active: w.active, Registry: w.coins, Ring: w.keys, Open: w.p.Lightning}
	w.restorer = w.restoring(activator, eth)
	w.restorer.Kinds[coin.TypeLightning] = lightningPeers.Restore
	w.restorer.Kinds[coin.TypeNFT] = gallery.Restore
	backend := mmrpc.Backend{
		Control:      mmrpc.Control{Version: w.p.Version, Built: w.p.Built, Stop: w.p.Stop},
		Keys:         keys.Keys{Ring: w.keys, Identity: w.identity},
		PrivateKeys:  keys.PrivateKeys{Exporter: export.Exporter{Ring: w.keys, Registry: w.coins}, Active: w.active},
		Wallets:      wallets.Wallets{Wallets: w.p.NamedWallets, Weak: w.c.AllowWeakPassword},
		Coins:        activate.Coins{Active: w.active, Swaps: w.swaps},
		NodeTrials:   activate.NodeTrials{Registry: w.coins, Eth: eth, Cosmos: activator},
		Addresses:    keys.Addresses{Active: w.active, Registry: w.coins},
		Staking:      send.Staking{Active: w.active},
		Cosmos:       activate.Cosmos{Activator: activator, Tasks: w.tasks},
		Eth:          activate.Eth{Activator: eth, Tasks: w.tasks},
		Tokens:       send.Tokens{Active: w.active, Registry: w.coins},
		HD:           hd.HD{Active: w.active, Tasks: w.tasks},
		EnableNFT:    activate.EnableNFT{Gallery: gallery},
		NFTs:         nftmethods.NFTs{Gallery: gallery},
		Swaps:        trading.Swaps{Active: w.active, Ledger: w.swaps},
		Volumes:      trading.Volumes{Active: w.active, Ledger: w.swaps},
		Sending:      send.Sending{Active: w.active, Tasks: w.tasks},
		Names:        send.Names{Active: w.active},
		Replacing:    send.Replacing{Active: w.active},
		RawTx:        send.RawTransactions{Active: w.active},
		FeeEstimates: events.FeeEstimates{Active: w.active},
		Messages:     keys.Messages{Active: w.active},
		History:      history.History{Active: w.active},
		Prices:       prices.Prices{Client: w.prices(accounts.Fetcher), Registry: w.coins, ID: w.p.Directory.PriceID},
		Streams:      events.Streams{Hub: w.events, Ends: w.p.Stop != nil},
		CoinStreams:  events.CoinStreams{Hub: w.events, Active: w.active},
		Enabling:     activate.EnableLightning{Activator: lightningPeers, Tasks: w.tasks},
		Lightning:    peers.Lightning{Active: w.active, Trusted: lightning.NewTrusted(w.p.Store), Supported: lightningPeers.Supported()},
		VersionStats: peers.VersionStats{Collector: w.stats},
		Trezor:       devices.Trezor{Client: w.p.Trezors, Tasks: w.tasks, Last: &devices.TrezorConnection{}},
		Sessions:     sessions.Sessions{Manager: w.sessions, None: w.noSessions},
	}
	w.server = mmrpc.New(mmrpc.Options{
		Info:      rpc.Info{Title: "Obverse node", Version: w.p.Version},
		Password:  mmrpc.NewPassword(w.c.RPCPassword.Reveal()),
		Guesses:   w.p.Guesses,
		LocalOnly: w.c.RPCLocalOnly, StrictParams: w.c.StrictParams,
		Log: w.p.Log, Calls: w.p.Calls, Now: w.p.Now,
	}, backend)
	return w, nil
}

// read reads the wallet's data from the store, and the coins file.
func (w *walletHalf) read(ctx context.Context) (err error) {
	if w.identity, err = key.OpenIdentity(ctx, w.p.Store, w.p.Random); err != nil {
		return err
	}
	if err := w.openSessions(ctx); err != nil {
		return err
	}
	entries, err := coin.ReadList(w.c.CoinList, w.p.Log.Warn)
	if err != nil {
		return err
	}
	w.coins = coin.NewRegistry(entries, w.p.Directory.Entries)
	w.active, err = coin.Open(ctx, coin.Config{
		Registry: w.coins,
		Store:    w.p.Store, Restore: w.c.RestoreCoins,
		Failed: func(ticker string, err error) { w.p.Log.Error("coin failed", "coin", ticker, "error", err.Error()) },
	})
	if err != nil {
		return err
	}
	if w.swaps, err = swap.Open(ctx, w.p.Store, w.p.Now); err != nil {
		return err
	}
	if w.p.Probe == nil {
		return nil
	}
	probe, err := w.p.Probe(w.identity)
	if err != nil {
		return fmt.Errorf("version statistics: %w", err)
	}
	w.stats = versionstat.New(versionstat.Config{Store: w.p.Store, Now: w.p.Now, Probe: probe, Failed: func(err error) {
		w.p.Log.Error("collecting version statistics failed, retrying", "error", err.Error())
	}})
	return nil
}

// run starts the background work in goroutines of the group. The work continues until ctx ends.
func (w *walletHalf) run(ctx context.Context, group *errgroup.Group) {
	parts := []interface{ Run(context.Context) error }{w.events, w.active, w.restorer, w.tasks}
	if w.sessions != nil {
		parts = append(parts, w.sessions)
	}
	if w.stats != nil {
		parts = append(parts, w.stats)
	}
	for _, part := range parts {
		group.Go(guard.Func(ctx, "a part of the node", func() error { return part.Run(ctx) }))
	}
}

// busy reports whether clients are subscribed to events or versions are being collected.
func (w *walletHalf) busy() bool {
	return w.events.Subscribed() > 0 || w.collects()
}

// collects reports whether versions of other nodes are being collected.
func (w *walletHalf) collects() bool {
	return w.stats != nil && w.stats.State() != versionstat.Stopped
}

// setCoins replaces the user's coins list.
func (w *walletHalf) setCoins(list json.RawMessage) error {
	entries, err := coin.ReadList(list, w.p.Log.Warn)
	if err == nil {
		w.coins.Replace(entries)
	}
	return err
}

// gauges returns the gauges of this half for metrics.
func (w *walletHalf) gauges() []metrics.Gauge {
	return slices.Concat(w.events.Gauges(), []metrics.Gauge{
		{Name: "coins_active", Help: "Coins that are activated.",
			Read: func() float64 { return float64(len(w.active.List())) }},
		{Name: "version_stat_running", Help: "1 while versions of other nodes are collected.",
			Read: func() float64 { return truth(w.collects()) }},
		{Name: "rpc_unknown_params_total", Help: "Parameters of the node API that no method reads.", Grows: true,
			Read: func() float64 { return float64(w.server.UnknownParams()) }},
		{Name: "swaps_running", Help: "Swaps in progress.",
			Read: func() float64 { return float64(len(w.swaps.Running())) }},
	})
}

func truth(value bool) float64 {
	if value {
		return 1
	}
	return 0
}
