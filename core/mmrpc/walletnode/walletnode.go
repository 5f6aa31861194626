// Package walletnode is the half of a node that the node API shows: who the node is, the
// coins, and what goes on with them and around them. It puts the packages of core/wallet
// and its services together with the methods of mmrpc, and has no rule of its own.
package walletnode

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"obverse/core/config"
	"obverse/core/event"
	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/metrics"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/keys"
	nftmethods "obverse/core/mmrpc/nft"
	"obverse/core/mmrpc/peers"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/trading"
	"obverse/core/net/fetch"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
	"obverse/core/store"
	"obverse/core/swap"
	"obverse/core/task"
	"obverse/core/versionstat"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/dapp"
	"obverse/core/wallet/export"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/node"
	"obverse/core/wallet/signer/hardware"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/walletconnect"
)

// Config is what a Node is made of; core.Platform tells of the ports.
type Config struct {
	Settings     *config.Config
	Keys         *key.Ring // nil: no passphrase
	Store        store.KV
	Now          func() time.Time
	Random       io.Reader
	Log          Logger
	Calls        metrics.Calls
	Guesses      *auth.Limiter
	Stop         func()
	Probe        func(*key.Identity) (versionstat.Probe, error)
	Fetch        fetch.Fetcher
	Dial         fetch.Dialer
	Lightning    node.Open
	Wallets      key.Wallets
	NamedWallets keys.NamedWallets // nil: none can be stored here
	Ledgers      ledger.Port
	Trezors      Trezors
	Directory    Directory // nil: none
	Version      string
	Built        string
}

// Trezors are Trezor's devices; *trezor.Client has them. Platforms that reach none do without
// its code.
type Trezors interface {
	hardware.Trezors
	keys.Trezors
}

// Directory knows coins that no coins file has to name; *directory.Directory is one.
type Directory interface {
	// PriceID is the id of a coin's price at CoinGecko; "": it is not known.
	PriceID(ticker string) string
	// Entries are further tokens.
	Entries() []*coin.Entry
}

// noDirectory is an empty one.
type noDirectory struct{}

func (noDirectory) PriceID(string) string  { return "" }
func (noDirectory) Entries() []*coin.Entry { return nil }

// Logger is told of what an operator must know.
type Logger interface {
	Error(message string, pairs ...any)
	Info(message string, pairs ...any)
	Warn(message string, pairs ...any)
}

// Node is the wallet at work. Its methods may be called by several goroutines.
type Node struct {
	c        Config
	identity *key.Identity
	coins    *coin.Registry
	active   *coin.Active
	restorer *coin.Restorer
	swaps    *swap.Ledger
	stats    *versionstat.Collector
	tasks    *task.Manager
	events   *event.Hub
	server   *mmrpc.Server

	sessions   *walletconnect.Manager // nil: for the reason in noSessions
	noSessions string
}

// Open reads what the store keeps of this half. Nothing runs yet.
func Open(ctx context.Context, c Config) (*Node, error) {
	if c.Directory == nil {
		c.Directory = noDirectory{}
	}
	n := &Node{c: c, events: event.New(event.Config{Now: c.Now, Random: c.Random}), tasks: task.New()}
	if err := n.open(ctx); err != nil {
		return nil, err
	}
	accounts := n.accounts()
	gallery := n.gallery(accounts)
	devices := n.devices()
	activator, eth := n.activator(accounts, devices), n.ethActivator(accounts, hardware.EVM{Ledger: devices, Trezor: n.c.Trezors}, gallery)
	lightningPeers := &node.Activator{Active: n.active, Registry: n.coins, Ring: n.c.Keys, Open: n.c.Lightning}
	n.restorer = n.restoring(activator, eth)
	n.restorer.Kinds[coin.TypeLightning] = lightningPeers.Restore
	n.restorer.Kinds[coin.TypeNFT] = gallery.Restore
	backend := mmrpc.Backend{
		Control:      mmrpc.Control{Version: n.c.Version, Built: n.c.Built, Stop: n.c.Stop},
		Keys:         keys.Keys{Ring: n.c.Keys, Identity: n.identity},
		PrivateKeys:  keys.PrivateKeys{Exporter: export.Exporter{Ring: n.c.Keys, Registry: n.coins}, Active: n.active},
		Wallets:      keys.Wallets{Wallets: n.c.NamedWallets, Weak: n.c.Settings.AllowWeakPassword},
		Coins:        activate.Coins{Active: n.active, Swaps: n.swaps},
		NodeTrials:   activate.NodeTrials{Registry: n.coins, Eth: eth, Cosmos: activator},
		Addresses:    keys.Addresses{Active: n.active, Registry: n.coins},
		Staking:      send.Staking{Active: n.active},
		Cosmos:       activate.Cosmos{Activator: activator, Tasks: n.tasks},
		Eth:          activate.Eth{Activator: eth, Tasks: n.tasks},
		Tokens:       send.Tokens{Active: n.active, Registry: n.coins},
		HD:           keys.HD{Active: n.active, Tasks: n.tasks},
		EnableNFT:    activate.EnableNFT{Gallery: gallery},
		NFTs:         nftmethods.NFTs{Gallery: gallery},
		Swaps:        trading.Swaps{Active: n.active, Ledger: n.swaps},
		Volumes:      trading.Volumes{Active: n.active, Ledger: n.swaps},
		Sending:      send.Sending{Active: n.active, Tasks: n.tasks},
		Names:        send.Names{Active: n.active},
		Replacing:    send.Replacing{Active: n.active},
		RawTx:        send.RawTransactions{Active: n.active},
		FeeEstimates: events.FeeEstimates{Active: n.active},
		Messages:     keys.Messages{Active: n.active},
		History:      events.History{Active: n.active},
		Prices:       trading.Prices{Client: n.prices(accounts.Fetcher), Registry: n.coins, ID: n.c.Directory.PriceID},
		Streams:      events.Streams{Hub: n.events, Ends: n.c.Stop != nil},
		CoinStreams:  events.CoinStreams{Hub: n.events, Active: n.active},
		Enabling:     activate.EnableLightning{Activator: lightningPeers, Tasks: n.tasks},
		Lightning:    peers.Lightning{Active: n.active, Trusted: lightning.NewTrusted(n.c.Store), Supported: lightningPeers.Supported()},
		VersionStats: peers.VersionStats{Collector: n.stats},
		Trezor:       keys.Trezor{Client: n.c.Trezors, Tasks: n.tasks, Last: &keys.TrezorConnection{}},
		Sessions:     keys.Sessions{Manager: n.sessions, None: n.noSessions},
	}
	n.server = mmrpc.New(mmrpc.Options{
		Info:      rpc.Info{Title: "Obverse node", Version: n.c.Version},
		Password:  mmrpc.NewPassword(n.c.Settings.RPCPassword.Reveal()),
		Guesses:   n.c.Guesses,
		LocalOnly: n.c.Settings.RPCLocalOnly, StrictParams: n.c.Settings.StrictParams,
		Log: n.c.Log, Calls: n.c.Calls, Now: n.c.Now,
	}, backend.Areas()...)
	return n, nil
}

// open reads what the store keeps of this half, and the coins file.
func (n *Node) open(ctx context.Context) (err error) {
	if n.identity, err = key.OpenIdentity(ctx, n.c.Store, n.c.Random); err != nil {
		return err
	}
	if err := n.openSessions(ctx); err != nil {
		return err
	}
	entries, err := readCoins(n.c.Settings.CoinList, n.c.Log)
	if err != nil {
		return err
	}
	n.coins = coin.NewRegistry(entries, n.c.Directory.Entries)
	n.active, err = coin.Open(ctx, coin.Config{
		Registry: n.coins,
		Store:    n.c.Store, Restore: n.c.Settings.RestoreCoins,
		Failed: func(ticker string, err error) { n.c.Log.Error("coin failed", "coin", ticker, "error", err.Error()) },
	})
	if err != nil {
		return err
	}
	if n.swaps, err = swap.Open(ctx, n.c.Store, n.c.Now); err != nil {
		return err
	}
	stats := versionstat.Config{Store: n.c.Store, Now: n.c.Now, Failed: func(err error) {
		n.c.Log.Error("collecting version statistics failed, retrying", "error", err.Error())
	}}
	if n.c.Probe != nil {
		if stats.Probe, err = n.c.Probe(n.identity); err != nil {
			return fmt.Errorf("version statistics: %w", err)
		}
	}
	n.stats = versionstat.New(stats)
	return nil
}

// Run does the work that goes on between calls, in goroutines of the group, until ctx ends.
func (n *Node) Run(ctx context.Context, group *errgroup.Group) {
	parts := []interface{ Run(context.Context) error }{n.events, n.active, n.restorer, n.tasks, n.stats}
	if n.sessions != nil {
		parts = append(parts, n.sessions)
	}
	for _, part := range parts {
		group.Go(guard.Func(ctx, "a part of the node", func() error { return part.Run(ctx) }))
	}
}

// Serve answers one request body of the node API; see mmrpc.Server.
func (n *Node) Serve(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	return n.server.Serve(ctx, caller, body)
}

// DApps answers a request for a program of others; see dapp.Front.
func (n *Node) DApps(ctx context.Context, request []byte) []byte {
	return dapp.Front{Active: n.active}.Answer(ctx, request)
}

// RetryAfter says for how long a caller is refused; see mmrpc.Server.
func (n *Node) RetryAfter(caller rpc.Caller) time.Duration { return n.server.RetryAfter(caller) }

// Events is where clients read what they subscribed to.
func (n *Node) Events() *event.Hub { return n.events }

// Busy reports whether clients listen, or versions are collected.
func (n *Node) Busy() bool {
	return n.events.Subscribed() > 0 || n.stats.State() != versionstat.Stopped
}

// Close wipes the identity. Nothing else may be called after it.
func (n *Node) Close() { n.identity.Wipe() }

// SetCoins replaces the user's coins list, as config.Config.CoinList has it. Coins that are
// active keep the entries that they were activated with.
func (n *Node) SetCoins(list json.RawMessage) error {
	entries, err := readCoins(list, n.c.Log)
	if err == nil {
		n.coins.Replace(entries)
	}
	return err
}

// Gauges are what an operator may watch of this half.
func (n *Node) Gauges() []metrics.Gauge {
	return slices.Concat(n.events.Gauges(), []metrics.Gauge{
		{Name: "coins_active", Help: "Coins that are activated.",
			Read: func() float64 { return float64(len(n.active.List())) }},
		{Name: "version_stat_running", Help: "1 while versions of other nodes are collected.",
			Read: func() float64 { return truth(n.stats.State() != versionstat.Stopped) }},
		{Name: "rpc_unknown_params_total", Help: "Parameters of the node API that no method reads.", Grows: true,
			Read: func() float64 { return float64(n.server.UnknownParams()) }},
		{Name: "swaps_running", Help: "Swaps in progress.",
			Read: func() float64 { return float64(len(n.swaps.Running())) }},
	})
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// readCoins reads the user's list. Entries that cannot be read are left out with
// a warning.
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
			log.Warn("skipped more invalid entries of the coins file", "count", len(problems)-n)
			break
		}
		log.Warn("skipped an invalid entry of the coins file", "entry", problem.Index, "coin", problem.Ticker, "reason", problem.Err.Error())
	}
	warnOfBare(entries, log)
	return entries, nil
}

// warnOfBare warns the operator of coins that no call can activate.
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
			log.Warn("coin of the coins file cannot be activated", "coin", entry.Ticker, "reason", reason)
		}
	}
	if bare > maxProblems {
		log.Warn("more coins of the coins file cannot be activated", "count", bare-maxProblems)
	}
}

// maxProblems keeps a file of another kind from filling the log.
const maxProblems = 20
