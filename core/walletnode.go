package core

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"obverse/core/event"
	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/net/fetch"
	"obverse/core/rpc"
	"obverse/core/swap"
	"obverse/core/task"
	"obverse/core/task/guard"
	"obverse/core/versionstat"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
	"obverse/core/wallet/evm/eip1193"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/node"
	"obverse/core/wallet/tendermint"
	"obverse/core/wallet/tendermint/keplr"
)

// walletNode is the half of the node that interface B shows: who the node is, the
// coins, and what goes on with them and around them.
type walletNode struct {
	identity *key.Identity
	coins    *coin.Registry
	active   *coin.Active
	restorer *coin.Restorer
	swaps    *swap.Ledger
	stats    *versionstat.Collector
	tasks    *task.Manager
	events   *event.Hub
	server   *mmrpc.Server
}

func openWalletNode(ctx context.Context, c *Config, p Platform, keys *key.Ring) (*walletNode, error) {
	w := &walletNode{events: event.New(event.Config{Now: p.Now, Random: p.Random}), tasks: task.New()}
	if err := w.open(ctx, c, p); err != nil {
		return nil, err
	}
	activator := w.activator(p, keys)
	eth := w.ethActivator(p, activator)
	gallery := w.gallery(c, p, activator)
	eth.NFTs = nftNetworks{gallery}
	peers := &node.Activator{Active: w.active, Registry: w.coins, Ring: keys, Open: p.Lightning}
	w.restorer = w.restoring(activator, eth, p.Log)
	w.restorer.Kinds[coin.TypeLightning] = peers.Restore
	w.restorer.Kinds[coin.TypeNFT] = gallery.Restore
	backend := mmrpc.Backend{
		Control:      mmrpc.Control{Version: p.Version, Built: p.Built, Stop: p.Stop},
		Keys:         mmrpc.Keys{Ring: keys, Identity: w.identity},
		Coins:        mmrpc.Coins{Active: w.active, Swaps: w.swaps},
		Tendermint:   mmrpc.Tendermint{Activator: activator},
		Eth:          mmrpc.Eth{Activator: eth},
		NFTs:         mmrpc.NFTs{Gallery: gallery},
		Swaps:        mmrpc.Swaps{Active: w.active, Ledger: w.swaps},
		Volumes:      mmrpc.Volumes{Active: w.active, Ledger: w.swaps},
		Sending:      mmrpc.Sending{Active: w.active},
		Messages:     mmrpc.Messages{Active: w.active},
		History:      mmrpc.History{Active: w.active},
		Streams:      mmrpc.Streams{Hub: w.events},
		Balances:     mmrpc.BalanceStreams{Hub: w.events, Active: w.active},
		Enabling:     mmrpc.EnableLightning{Activator: peers, Tasks: w.tasks},
		Lightning:    mmrpc.Lightning{Active: w.active, Trusted: lightning.NewTrusted(p.Store), Supported: peers.Supported()},
		VersionStats: mmrpc.VersionStats{Collector: w.stats},
	}
	w.server = mmrpc.New(mmrpc.Options{
		Info:      rpc.Info{Title: "Obverse node", Version: p.Version},
		Password:  mmrpc.NewPassword(c.RPCPassword.Reveal()),
		Guesses:   p.Guesses,
		LocalOnly: c.RPCLocalOnly, StrictParams: c.StrictParams,
		Log: p.Log, Calls: p.Calls, Now: p.Now,
	}, backend.Areas()...)
	return w, nil
}

// open reads what the store keeps of this half, and the coins file.
func (w *walletNode) open(ctx context.Context, c *Config, p Platform) (err error) {
	if w.identity, err = key.OpenIdentity(ctx, p.Store, p.Random); err != nil {
		return err
	}
	entries, err := readCoins(c.CoinList, p.Log)
	if err != nil {
		return err
	}
	w.coins = coin.NewRegistry(entries)
	w.active, err = coin.Open(ctx, coin.Config{
		Registry: w.coins,
		Store:    p.Store, Restore: c.RestoreCoins,
		Failed: func(ticker string, err error) { p.Log.Error("a coin failed", "coin", ticker, "error", err.Error()) },
	})
	if err != nil {
		return err
	}
	if w.swaps, err = swap.Open(ctx, p.Store, p.Now); err != nil {
		return err
	}
	stats := versionstat.Config{Store: p.Store, Now: p.Now, Failed: func(err error) {
		p.Log.Error("a round of version statistics failed, trying again", "error", err.Error())
	}}
	if p.Probe != nil {
		if stats.Probe, err = p.Probe(w.identity); err != nil {
			return fmt.Errorf("version statistics: %w", err)
		}
	}
	w.stats = versionstat.New(stats)
	return nil
}

// activator makes coins of the Cosmos family.
func (w *walletNode) activator(p Platform, keys *key.Ring) *tendermint.Activator {
	a := &tendermint.Activator{
		Active: w.active, Registry: w.coins, Keepers: key.Keepers{keys, key.WatchOnly{}}, HD: keys != nil && keys.IsHD(),
		Fetcher: p.Fetch, Dialer: p.Dial, Identity: w.identity, Store: p.Store, Now: p.Now, Turns: coin.NewTurns(p.Now),
		LeftOut: func(ticker, url, reason string) {
			p.Log.Warn("a coin goes without one of its nodes", "coin", ticker, "url", url, "reason", reason)
		},
	}
	if p.Wallets != nil {
		a.Keepers = append(a.Keepers, keplr.Keeper{Wallets: p.Wallets})
	}
	if a.Fetcher == nil {
		a.Fetcher = fetch.Func(func(context.Context, fetch.Request) (fetch.Response, error) { return fetch.Response{}, errNoRequests })
	}
	return a
}

// ethActivator makes coins of EVM networks, with what those of Cosmos chains are made of.
func (w *walletNode) ethActivator(p Platform, a *tendermint.Activator) *evm.Activator {
	own := slices.DeleteFunc(slices.Clone(a.Keepers), func(k key.Keeper) bool { return k.Keeps() == key.NameBrowserWallet })
	if p.Wallets != nil {
		own = append(own, eip1193.Keeper{Wallets: p.Wallets})
	}
	return &evm.Activator{Active: a.Active, Registry: a.Registry, Keepers: own, HD: a.HD, Fetcher: a.Fetcher, Identity: a.Identity,
		Now: a.Now, Turns: a.Turns, LeftOut: a.LeftOut}
}

var errNoRequests = fmt.Errorf("%w: this platform sends none", fetch.ErrRequest)

// restoring brings back what was active when the node last ran.
func (w *walletNode) restoring(a *tendermint.Activator, eth *evm.Activator, log Logger) *coin.Restorer {
	return &coin.Restorer{
		Active: w.active, Registry: w.coins,
		Kinds: map[coin.ProtocolType]func(context.Context, coin.SavedCoin) error{
			coin.TypeTendermint: a.Restore, coin.TypeTendermintToken: a.Restore,
			coin.TypeETH: eth.Restore, coin.TypeERC20: eth.Restore,
		},
		Begun: func(tickers []string) {
			log.Info("restoring the coins that were active", "count", len(tickers), "coins", strings.Join(tickers, ","))
		},
		Restored: func(ticker string) { log.Info("restored a coin", "coin", ticker) },
		Failed: func(ticker string, err error) {
			log.Warn("a coin that was active could not be restored yet", "coin", ticker, "reason", err.Error())
		},
	}
}

// readCoins reads the user's list. What cannot be read in it is left out, and the
// operator is told.
func readCoins(list json.RawMessage, log Logger) ([]*coin.Entry, error) {
	if len(list) == 0 {
		return nil, nil
	}
	entries, problems, err := coin.ParseList(list)
	if err != nil {
		return nil, fmt.Errorf("coins: %w", err)
	}
	for n, problem := range problems {
		if n == maxProblems {
			log.Warn("more entries of the coins file cannot be read", "count", len(problems)-n)
			break
		}
		log.Warn("an entry of the coins file is left out", "entry", problem.Index, "coin", problem.Ticker, "reason", problem.Err.Error())
	}
	warnOfBare(entries, log)
	return entries, nil
}

// warnOfBare tells the operator of coins that no call can activate.
func warnOfBare(entries []*coin.Entry, log Logger) {
	bare := 0
	for _, entry := range entries {
		_, err := entry.Protocol()
		if err == nil {
			continue
		}
		reason := err.Error()
		if entry.Bare() {
			reason = `"protocol" is missing, an object with "type" and "protocol_data"`
		}
		if bare++; bare <= maxProblems {
			log.Warn("a coin of the coins file cannot be activated", "coin", entry.Ticker, "reason", reason)
		}
	}
	if bare > maxProblems {
		log.Warn("more coins of the coins file cannot be activated", "count", bare-maxProblems)
	}
}

// maxProblems keeps a file of another kind from filling the log.
const maxProblems = 20

func (w *walletNode) run(ctx context.Context, group *errgroup.Group) {
	for _, part := range []interface{ Run(context.Context) error }{w.events, w.active, w.restorer, w.tasks, w.stats} {
		group.Go(guard.Func(ctx, "a part of the node", func() error { return part.Run(ctx) }))
	}
}
