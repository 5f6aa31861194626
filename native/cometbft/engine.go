package cometbft

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/proxy"
	"github.com/cometbft/cometbft/types"

	"obverse/core/chain/engine"
	"obverse/core/daemon"
)

// Engine is a node of CometBFT in this process.
type Engine struct {
	*Health
	log       *slog.Logger
	announcer *Announcer
	wrap      func(abci.Application) abci.Application       // nil, but in tests of what a validator does wrong
	clock     func(types.PrivValidator) types.PrivValidator // nil except in tests with a wrong clock
	ended     chan error                                    // why it cannot go on
	stopping  atomic.Bool

	mu   sync.Mutex
	node *node.Node   // nil: not running
	rpc  net.Listener // of CometBFT's own interface; nil: not served
	look func() (height, waiting int)
}

// NewEngine makes an engine that does nothing yet.
func NewEngine(log *slog.Logger, a *Announcer) *Engine {
	return &Engine{Health: newHealth(log), log: log, announcer: a, ended: make(chan error, 1)}
}

// failed keeps the first reason to end.
func (e *Engine) failed(err error) {
	select {
	case e.ended <- err:
	default:
	}
}

// Open starts CometBFT on a chain: it brings the chain to CometBFT's last block first. It waits
// while the clock is before the genesis' time.
func (e *Engine) Open(ctx context.Context, s Settings, shared *engine.Shared) (err error) {
	defer func() {
		if r := recover(); r != nil { // CometBFT panics where its data contradict each other
			err = fmt.Errorf("start CometBFT on %s: %v; %s", s.Home, r, unfit)
		}
		err = errors.Join(err, e.reason())
	}()
	genesis, err := ReadGenesis(s.Home)
	if err != nil {
		return err
	}
	if err := e.awaitGenesis(ctx, genesis.Time); err != nil {
		return err
	}
	if s.Trust.Height > 0 { // CometBFT's data are new after a change of the validators, the store is not
		none, err := shared.NeedsNone(ctx)
		if err != nil {
			return err
		}
		if none {
			e.log.Info("the store has the blocks that the genesis continues, joining without a snapshot")
			s.Trust = Trust{}
		}
	}
	config := s.config()
	if err := config.ValidateBasic(); err != nil {
		return fmt.Errorf("settings of CometBFT: %w", err)
	}
	var app abci.Application = NewApp(e.log, s.ChainID, shared, e.failed)
	if e.wrap != nil {
		app = e.wrap(app)
	}
	n, err := open(config, app, logger{e.log, e.failed, &e.stopping}, e.clock)
	if err != nil {
		return s.explain(err)
	}
	if err := n.Start(); err != nil {
		return fmt.Errorf("start CometBFT: %w", errors.Join(named(err), closed(n)))
	}
	rpc, err := e.serve(n, &s)
	if err != nil {
		return fmt.Errorf("start CometBFT: %w", errors.Join(err, closed(n)))
	}
	e.stopping.Store(false)
	e.mu.Lock()
	e.node, e.rpc, e.look = n, rpc, looking(shared)
	e.mu.Unlock()
	e.announcer.to(into(n.Mempool()))
	return nil
}

// serve gives Health the votes to look at, and serves CometBFT's own interface if the settings
// name an address.
func (e *Engine) serve(n *node.Node, s *Settings) (net.Listener, error) {
	env, err := n.ConfigureRPC()
	if err != nil {
		return nil, err
	}
	e.detail = func() string { return missingVotes(env) }
	if s.RPC == "" {
		return nil, nil
	}
	if s.Guard == nil {
		return nil, errors.New("validator.rpc: no guard is set")
	}
	return serveRPC(n, env, s.RPC, s.Guard, logger{e.log, e.failed, &e.stopping})
}

// looking counts what Health observes of a chain.
func looking(shared *engine.Shared) func() (height, waiting int) {
	return func() (height, waiting int) { return shared.Progress(context.Background()) }
}

// reason is why the engine cannot go on, if there is a reason.
func (e *Engine) reason() error {
	select {
	case err := <-e.ended:
		e.ended <- err
		return err
	default:
		return nil
	}
}

func open(config *cfg.Config, app abci.Application, log logger, clock func(types.PrivValidator) types.PrivValidator) (*node.Node, error) {
	var signer types.PrivValidator
	if config.PrivValidatorListenAddr == "" {
		file, err := loadSigner(config.RootDir)
		if err != nil {
			return nil, err
		}
		signer = file
		if clock != nil {
			signer = clock(file)
		}
	}
	nodeKey, err := p2p.LoadNodeKey(config.NodeKeyFile())
	if err != nil {
		return nil, err
	}
	if err := checkGenesis(config); err != nil {
		return nil, err
	}
	if err := checkAddressBook(config); err != nil {
		return nil, err
	}
	if err := resumeJoin(config); err != nil {
		return nil, err
	}
	// CometBFT accepts as many connections as it takes peers, and counts those before the handshake:
	// with a few idle ones it would accept no validator. Its switch counts the peers by the same
	// setting, which it reads for each.
	peers := config.P2P.MaxNumInboundPeers
	config.P2P.MaxNumInboundPeers = maxConnections
	defer func() { config.P2P.MaxNumInboundPeers = peers }()
	return node.NewNode(config, signer, nodeKey, proxy.NewConnSyncLocalClientCreator(app),
		node.DefaultGenesisDocProviderFunc(config), reporting(log.to), node.DefaultMetricsProvider(config.Instrumentation), log)
}

// maxConnections limits the connections of other nodes. One without a handshake ends after 3 s.
const maxConnections = 4096

// Run runs until ctx ends or the chain fails.
func (e *Engine) Run(ctx context.Context) error {
	e.mu.Lock()
	look := e.look
	e.mu.Unlock()
	err := e.during(ctx, e.announcer, e.ended, look)
	e.stopping.Store(true)
	return errors.Join(err, e.Close())
}

// Close stops CometBFT. Nothing of it is at work afterwards.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	n, rpc := e.node, e.rpc
	e.node, e.rpc = nil, nil
	var err error
	if rpc != nil {
		err = rpc.Close()
	}
	if n != nil {
		err = errors.Join(err, closed(n))
	}
	return err
}

func closed(n *node.Node) error {
	if n.IsRunning() {
		if err := n.Stop(); err != nil {
			return fmt.Errorf("stop CometBFT: %w", err)
		}
		n.Wait()
	}
	return nil
}

// errNoNode says that CometBFT does not run.
var errNoNode = errors.New("CometBFT is starting or stopping")

// Network implements Driver.
func (e *Engine) Network(context.Context) (daemon.Network, error) {
	n := e.Node()
	if n == nil {
		return daemon.Network{}, errNoNode
	}
	return daemon.Network{Connections: n.Switch().Peers().Size(), Port: portOf(n.Config().P2P.ListenAddress), CatchingUp: n.ConsensusReactor().WaitSync()}, nil
}

// portOf returns the port of a CometBFT address, or 0.
func portOf(address string) uint16 {
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(address, "tcp://"))
	n, _ := strconv.ParseUint(port, 10, 16)
	return uint16(n)
}

// Node returns CometBFT's node, nil before Open and after Close.
func (e *Engine) Node() *node.Node {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.node
}

// ErrStalled says that the validators make no blocks.
var ErrStalled = errors.New("stalled")

// stallTime is for how long transactions may wait without a block before the chain is taken
// for stalled. A proposer that is gone costs less than 2 s, a second one 3 s.
const stallTime = 15 * time.Second

// Health reports whether the validators make blocks. The zero value is healthy. It is safe for
// concurrent use.
type Health struct {
	log    *slog.Logger
	now    func() time.Time
	detail func() string // describes the votes, or returns ""

	mu     sync.Mutex
	err    error
	height int
	quiet  time.Time // since when transactions wait without a block; zero: none wait
}

func newHealth(log *slog.Logger) *Health {
	return &Health{log: log, now: time.Now, detail: func() string { return "" }}
}

// Stalled returns why no blocks are made, with ErrStalled; nil while they are.
func (h *Health) Stalled() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// Quiet is for how long transactions wait without a block.
func (h *Health) Quiet() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.quiet.IsZero() {
		return 0
	}
	return h.now().Sub(h.quiet)
}

// observe looks at the chain's height and at how many transactions wait for a block.
func (h *Health) observe(height, waiting int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	switch {
	case waiting == 0:
		h.height, h.quiet = height, time.Time{}
	case height != h.height || h.quiet.IsZero():
		h.height, h.quiet = height, now
	}
	if h.quiet.IsZero() || now.Sub(h.quiet) < stallTime {
		if h.err != nil {
			h.log.Info("the validators make blocks again", "height", height)
		}
		h.err = nil
		return
	}
	first := h.err == nil
	h.err = fmt.Errorf("%w: no block after block %d for %d s, waiting transactions: %d%s",
		ErrStalled, height, int(now.Sub(h.quiet).Seconds()), waiting, h.detail())
	if first {
		h.log.Warn("the validators make no blocks", "error", h.err.Error())
	}
}

// during watches the chain and announces transactions, until ctx ends or there is a reason to
// end, which it returns.
func (h *Health) during(ctx context.Context, a *Announcer, ended <-chan error, look func() (height, waiting int)) error {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); h.watch(ctx, look) }()
	err := a.during(ctx, ended)
	cancel()
	<-done
	return err
}

// watch observes until ctx ends.
func (h *Health) watch(ctx context.Context, look func() (height, waiting int)) {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		h.observe(look())
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

// clockTime is the interval between checks of a clock that is behind, and logTime that between
// log lines about it.
const (
	clockTime = time.Second
	logTime   = time.Minute
)

// awaitGenesis waits until the clock has reached the genesis' time, before which CometBFT
// starts nothing. CometBFT itself sleeps for the difference without a word, whatever becomes of
// the clock meanwhile and of the process.
func (h *Health) awaitGenesis(ctx context.Context, genesis time.Time) error {
	var logged time.Time
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.err = nil
	}()
	for {
		now := h.now()
		ahead := genesis.Sub(now.Round(0)) // by the wall clock, which may be set meanwhile
		if ahead <= 0 {
			return nil
		}
		err := fmt.Errorf("%w: this machine's clock says %s, before the genesis of %s: set the clock",
			ErrStalled, now.UTC().Format(time.RFC3339), genesis.UTC().Format(time.RFC3339))
		h.mu.Lock()
		h.err = err
		h.mu.Unlock()
		if since := now.Sub(logged); since >= logTime || since < 0 {
			h.log.Warn("waiting for the genesis' time", "error", err.Error())
			logged = now
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(ahead, clockTime)):
		}
	}
}
