package core

import (
	"context"
	"io"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/engine"
	"obverse/core/chain/script"
	"obverse/core/daemon"
	"obverse/core/key"
	"obverse/core/metrics"
	"obverse/core/mmrpc/devices"
	"obverse/core/mmrpc/wallets"
	"obverse/core/net/fetch"
	"obverse/core/rpc/auth"
	"obverse/core/store"
	"obverse/core/store/owner"
	"obverse/core/versionstat"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/lightning/node"
	"obverse/core/wallet/signer/hardware"
	"obverse/core/wallet/signer/ledger"
)

// Platform holds the ports through which a node reaches its environment. Every port is declared
// here and nowhere else.
type Platform struct {
	Store store.KV
	// Owner decides how a node treats rows in the store that another node wrote.
	Owner  owner.Policy
	Now    func() time.Time
	Random io.Reader // source of unpredictable bytes
	Log    Logger
	Calls  metrics.Calls // nil if calls are not counted
	// Guesses limits guesses at the RPC password, in calls and in other requests. If it is nil,
	// only calls are limited.
	Guesses *auth.Limiter
	Stop    func() // ends the process at a client's request; nil if the process cannot be ended
	// ECDSA verifies the signatures of the token chain. If it is nil, btcec verifies them.
	ECDSA script.ECDSA
	// Validators describes this node's role among the validators that make the token chain's
	// blocks. It is nil if the chain has a single producer.
	Validators *Validators
	// ChainOnDemand leaves the token chain closed until the first call of the daemon API,
	// unless transactions wait for a block. It cannot be combined with Validators.
	ChainOnDemand bool
	// DaemonPort returns the port on which the daemon API listens. If it is nil, the API has no
	// port, and getinfo returns the port that komodod would derive from the chain.
	DaemonPort func() int
	// Probe returns a prober that queries the versions of other nodes, using the given
	// identity. It is nil if the platform cannot reach other nodes.
	Probe func(*key.Identity) (versionstat.Probe, error)
	// Fetch sends requests to the nodes of coins; it is nil if the platform cannot send any.
	// Dial opens websockets to these nodes; if it is nil, they are polled instead.
	Fetch fetch.Fetcher
	Dial  fetch.Dialer
	// Lightning connects a Lightning node to its peers. It is nil if the platform does not
	// support Lightning.
	Lightning node.Open
	// Wallets are the browser wallets of the pages that use the node. It is nil if the node has
	// no such pages.
	Wallets key.Wallets
	// NamedWallets stores wallets by name. It is nil if the platform cannot store any.
	NamedWallets wallets.NamedWallets
	// Ledgers reaches hardware wallets made by Ledger. It is nil if the platform cannot reach
	// any.
	Ledgers ledger.Port
	// Trezors reaches hardware wallets made by Trezor. It is nil if the platform cannot reach
	// any.
	Trezors Trezors
	// Directory contains public nodes and additional tokens. If it is nil, clients must name
	// the nodes of a coin themselves.
	Directory Directory
	Version   string
	Built     string // build time in RFC 3339 format; may be empty
}

// Validators describes a node's role among several validators that make blocks together.
type Validators struct {
	Role   *engine.Role
	State  chain.StateTree
	Prover func(*chain.Manager) daemon.Prover // nil if the node cannot prove answers
	// Stalled returns the reason why no blocks are made, or nil while blocks are made.
	Stalled func() error
	// Network returns the state of the node's connections to the other validators.
	Network func(context.Context) (daemon.Network, error)
}

// Trezors reaches hardware wallets made by Trezor. *trezor.Client implements it. Platforms that
// cannot reach any do not link that client.
type Trezors interface {
	hardware.Trezors
	devices.Trezors
}

// Directory contains coins that need not be listed in the coins file. *directory.Directory
// implements it.
type Directory interface {
	// PriceID returns the CoinGecko id of a coin's price, or "" if it is unknown.
	PriceID(ticker string) string
	// Entries returns the additional tokens.
	Entries() []*coin.Entry
}

// noDirectory is a Directory without any coins.
type noDirectory struct{}

func (noDirectory) PriceID(string) string  { return "" }
func (noDirectory) Entries() []*coin.Entry { return nil }

// Logger logs events for operators. The pairs are alternating keys and values, and never
// contain parameters or results of calls. *slog.Logger implements Logger. It must be safe for
// concurrent use.
type Logger interface {
	Error(message string, pairs ...any)
	Info(message string, pairs ...any)
	Warn(message string, pairs ...any)
}
