package cometbft

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/types"
	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/statetree"
	"obverse/core/daemon"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/native/ecdsa"
	"obverse/native/httpd"
	"obverse/native/test/porttest"
)

// soon is the maximum time to wait on a loaded machine.
const soon = 2 * time.Minute

// validator is a node of a network in this process.
type validator struct {
	*daemon.Backend
	home   string
	kv     store.KV
	keeper *statetree.Keeper
	shared *engine.Shared
	server *daemon.Server
	engine *Engine
	stop   func() // ends the engine; nil if it does not run
	ended  chan error
	wrap   func(abci.Application) abci.Application
	skew   time.Duration // difference between its clock and the real time
}

// now returns the time of the node's clock.
func (v *validator) now() time.Time { return time.Now().Add(v.skew) }

// network is a network of validators on loopback. While it is held, no transactions are added to
// blocks.
type network struct {
	nodes    []*validator
	genesis  *Genesis
	settings []Settings
	held     atomic.Bool
}

func freeAddress(t testing.TB) string { return fmt.Sprintf("127.0.0.1:%d", porttest.Free(t)) }

// serve serves CometBFT's RPC, as a node does.
func (s *Settings) serve(address string) {
	s.RPC, s.Guard = address, func(next http.Handler) http.Handler { return httpd.Guard(next, address, nil) }
}

// newNetwork creates the chains of n nodes, before the genesis of the validators.
func newNetwork(t testing.TB, options params.Options, n int) *network {
	w := &network{genesis: &Genesis{ChainID: ChainIDOf(options, 1, time.Now()), Time: time.Now(), Options: options}}
	w.genesis.Terms = engine.Terms{Payee: chaintest.Key(t, 3).Token(), From: 1}
	for range n {
		v := &validator{home: Home(t.TempDir())}
		t.Cleanup(func() { // CometBFT may still be writing its address book
			require.Eventually(t, func() bool { return os.RemoveAll(v.home) == nil }, soon, 5*time.Millisecond)
		})
		id, err := Prepare(v.home)
		require.NoError(t, err)
		w.genesis.Validators = append(w.genesis.Validators, id.Validator)
		w.settings = append(w.settings, Settings{Home: v.home, Listen: freeAddress(t)})
		w.nodes = append(w.nodes, v)
		for i := range w.settings {
			if address := id.NodeID + "@" + w.settings[len(w.settings)-1].Listen; i < len(w.settings)-1 {
				w.settings[i].Peers = append(w.settings[i].Peers, address)
			}
		}
	}
	return w
}

// begin opens the nodes and starts CometBFT on all of them.
func (w *network) begin(t testing.TB) {
	for i, v := range w.nodes {
		require.NoError(t, w.genesis.Save(v.home))
		v.open(t, w)
		v.start(t, w.settings[i])
	}
	t.Cleanup(func() { // runs before the stores are closed, since they were opened first
		for _, v := range w.nodes {
			v.end(t)
		}
	})
}

// inMemory sets a store in memory.
func (v *validator) inMemory(t testing.TB) {
	db, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	v.kv = db
}

// open opens a node's chain in its store.
func (v *validator) open(t testing.TB, w *network) {
	var err error
	if v.kv == nil {
		db, err := bunt.Open(filepath.Join(v.home, "..", "obverse.db"))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		v.kv = db
	}
	p, err := params.New(w.genesis.Options)
	require.NoError(t, err)
	v.Backend = newBackend(nil)
	v.Now = v.now
	v.keeper = statetree.New()
	v.Manager, err = chain.Open(context.Background(), chain.Config{Store: v.kv, Params: p, Now: v.now, State: v.keeper,
		HeaderRules: engine.Validators{From: w.genesis.Terms.From}, Cache: script.NewSigCache(1<<17, ecdsa.New().Verify)})
	require.NoError(t, err)
	v.Pool, err = mempool.New(context.Background(), mempool.Config{Manager: v.Manager, Store: v.kv, Now: v.now, MaxCount: PoolSize})
	require.NoError(t, err)
	announcer := NewAnnouncer()
	v.shared = engine.NewShared(v.Manager, v.Pool, v.kv, &engine.Role{Terms: w.genesis.Terms, Hash: statetree.AppHash})
	announcer.Waiting(func() [][]byte { return v.shared.Waiting(context.Background()) })
	v.Announce = announcer.Announce
	v.server = daemon.New(daemon.Options{}, v.Methods()...)
	v.engine = NewEngine(slog.New(slog.NewTextHandler(logWriter{t}, nil)), announcer)
	if v.skew != 0 {
		v.engine.clock = func(signer types.PrivValidator) types.PrivValidator { return skewed{signer, v.skew} }
	}
	v.engine.wrap = func(app abci.Application) abci.Application {
		if v.wrap != nil {
			app = v.wrap(app)
		}
		return holding{app, w}
	}
}

func newBackend(m *chain.Manager) *daemon.Backend {
	return &daemon.Backend{Manager: m, Now: time.Now, Version: "1.2.3"}
}

// start starts CometBFT on a node.
func (v *validator) start(t testing.TB, s Settings) {
	require.NoError(t, v.engine.Open(t.Context(), s, v.shared))
	ctx, cancel := context.WithCancel(context.Background())
	v.stop, v.ended = cancel, make(chan error, 1)
	go func() { v.ended <- v.engine.Run(ctx) }()
}

// end stops CometBFT on a node.
func (v *validator) end(t testing.TB) {
	if v.stop == nil {
		return
	}
	v.stop()
	v.stop = nil
	require.ErrorIs(t, <-v.ended, context.Canceled)
}

// holding is an application that proposes no transactions while the network is held.
type holding struct {
	abci.Application
	w *network
}

func (h holding) PrepareProposal(ctx context.Context, r *abci.RequestPrepareProposal) (*abci.ResponsePrepareProposal, error) {
	if h.w.held.Load() {
		r.Txs = nil
	}
	return h.Application.PrepareProposal(ctx, r)
}

type logWriter struct{ t testing.TB }

func (l logWriter) Write(b []byte) (int, error) {
	if testing.Verbose() && !strings.Contains(string(b), "level=INFO") {
		fmt.Print(string(b))
	}
	return len(b), nil
}

func (v *validator) tip(t testing.TB) (tip chain.Tip) {
	require.NoError(t, v.Manager.Read(context.Background(), func(view *chain.View) error {
		tip = view.Tip()
		return nil
	}))
	return tip
}

func (v *validator) appHash(t testing.TB) (hash [32]byte) {
	require.NoError(t, v.Manager.Read(context.Background(), func(view *chain.View) error {
		hash = statetree.AppHash(view.Tip().Hash, view.Tip().Height, view.StateRoot())
		return nil
	}))
	return hash
}

func (v *validator) waiting(t testing.TB) (n int) {
	require.NoError(t, v.Manager.Read(context.Background(), func(*chain.View) error {
		n = v.Pool.Size()
		return nil
	}))
	return n
}

// all waits until a condition is true for every running node.
func (w *network) all(t testing.TB, what string, holds func(*validator) bool) {
	t.Helper()
	for i, v := range w.nodes {
		require.Eventually(t, func() bool { return v.stop == nil || holds(v) }, soon, 5*time.Millisecond, "%s on node %d", what, i)
	}
}

// agree waits until all nodes have a height, and compares their chains.
func (w *network) agree(t testing.TB, height int) {
	t.Helper()
	w.all(t, fmt.Sprintf("block %d", height), func(v *validator) bool { return v.tip(t).Height >= height })
	want := w.nodes[0].appHash(t)
	for _, v := range w.nodes {
		require.Equal(t, want, v.appHash(t))
		_, hash, err := v.shared.Standing(t.Context())
		require.NoError(t, err)
		if hash != nil { // nil before CometBFT has passed a block to the node
			require.Equal(t, want, [32]byte(hash))
		}
	}
}

func (v *validator) serve(body []byte) (int, []byte) {
	return v.server.Serve(context.Background(), rpc.Caller{Authorized: true}, body)
}
