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

// Platform provides a node with everything it needs from its machine. Each port is declared here
// and nowhere else.
type Platform struct {
	Store store.KV
	// Owner says what becomes of a node's rows in the store that another node wrote.
	Owner  owner.Policy
	Now    func() time.Time
	Random io.Reader // unpredictable
	Log    Logger
	Calls  metrics.Calls // nil: calls are not counted
	// Guesses limits guesses at the RPC password across calls and other requests; nil: only calls ask for it.
	Guesses *auth.Limiter
	Stop    func() // ends the process when a client asks; nil: it cannot
	// ECDSA verifies the signatures of the token chain; nil: btcec does.
	ECDSA script.ECDSA
	// Validators is this node's part among several that make the token chain's blocks; nil:
	// the chain has one producer.
	Validators *Validators
	// ChainOnDemand leaves the token chain closed until the first call of the daemon API, unless
	// transactions wait for a block; not with Validators.
	ChainOnDemand bool
	// DaemonPort is the port that the daemon API listens on; nil: it listens on none, and getinfo
	// shows what komodod would derive from the chain.
	DaemonPort func() int
	// Probe makes what asks other nodes for their version, in the name of the identity;
	// nil where that is impossible.
	Probe func(*key.Identity) (versionstat.Probe, error)
	// Fetch sends requests to the nodes of coins; nil: this platform can send none. Dial
	// opens websockets to them; nil: they are asked from time to time instead.
	Fetch fetch.Fetcher
	Dial  fetch.Dialer
	// Lightning makes the peers of a Lightning node; nil: no Lightning.
	Lightning node.Open
	// Wallets are the browser wallets of the pages that use the node; nil: it serves none.
	Wallets key.Wallets
	// NamedWallets are the wallets that are stored here by their names; nil: none can be.
	NamedWallets wallets.NamedWallets
	// Ledgers reaches hardware wallets of Ledger; nil if the platform reaches none.
	Ledgers ledger.Port
	// Trezors reaches hardware wallets of Trezor; nil if the platform reaches none.
	Trezors Trezors
	// Directory knows public nodes and further tokens; nil: clients name nodes themselves.
	Directory Directory
	Version   string
	Built     string // when: RFC 3339; may be empty
}

// Validators is a node's part among several that make blocks together.
type Validators struct {
	Role   *engine.Role
	State  chain.StateTree
	Prover func(*chain.Manager) daemon.Prover // nil: nothing can be proven
	// Stalled returns why no blocks are made; nil while they are.
	Stalled func() error
	// Network is the node's place among the others.
	Network func(context.Context) (daemon.Network, error)
}

// Trezors reaches Trezor's devices; *trezor.Client implements it. Platforms that reach none do
// without its code.
type Trezors interface {
	hardware.Trezors
	devices.Trezors
}

// Directory knows coins that no coins file has to name; *directory.Directory implements it.
type Directory interface {
	// PriceID returns the id of a coin's price at CoinGecko; "": it is not known.
	PriceID(ticker string) string
	// Entries returns further tokens.
	Entries() []*coin.Entry
}

// noDirectory is an empty one.
type noDirectory struct{}

func (noDirectory) PriceID(string) string  { return "" }
func (noDirectory) Entries() []*coin.Entry { return nil }

// Logger logs events for operators. Pairs are keys and values, never parameters or results.
// *slog.Logger implements it. It is called from many goroutines.
type Logger interface {
	Error(message string, pairs ...any)
	Info(message string, pairs ...any)
	Warn(message string, pairs ...any)
}
