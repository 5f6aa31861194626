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

// Engine runs a node of CometBFT in this process.
type Engine struct {
	*Health
	log       *slog.Logger
	announcer *Announcer
	wrap      func(abci.Application) abci.Application       // nil except in tests of misbehaving validators
	clock     func(types.PrivValidator) types.PrivValidator // nil except in tests with a wrong clock
	ended     chan error                                    // reason why the engine cannot continue
	stopping  atomic.Bool

	mu   sync.Mutex
	node *node.Node   // nil: not running
	rpc  net.Listener // of CometBFT's own interface; nil: not served
	look func() (height, waiting int)
}

// NewEngine returns an engine, which does nothing before Open.
func NewEngine(log *slog.Logger, a *Announcer) *Engine {
	return &Engine{Health: newHealth(log), log: log, announcer: a, ended: make(chan error, 1)}
}

// failed stores the first reason to end.
func (e *Engine) failed(err error) {
	select {
	case e.ended <- err:
	default:
	}
}

// Open starts CometBFT on a chain, and first executes the blocks that CometBFT has and the chain lacks. It waits
// while the clock is before the time of the genesis.
func (e *Engine) Open(ctx context.Context, s Settings, shared *engine.Shared) (err error) {
	defer func() {
		if r := recover(); r != nil { // CometBFT panics if its data are inconsistent
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
	if s.Trust.Height > 0 { // after a change of the validators CometBFT's data are new, but the store is not
		none, err := shared.NeedsNone(ctx)
		if err != nil {
			return err
		}
		if none {
			e.log.Info("the store contains the blocks before the genesis, joining without a snapshot")
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

// serve gives Health access to the votes, and serves CometBFT's own interface if the settings
// contain an address for it.
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

// looking returns a function that returns the height and the number of waiting transactions of a chain.
func looking(shared *engine.Shared) func() (height, waiting int) {
	return func() (height, waiting int) { return shared.Progress(context.Background()) }
}

// reason returns why the engine cannot continue; nil if it can.
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
	// CometBFT accepts as many connections as it may have peers, and counts connections before the handshake, so
	// that a few idle ones would exclude all validators. CometBFT's switch limits the peers by the same
	// setting, which it reads for each peer.
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

// Close stops CometBFT. No goroutine of CometBFT runs afterwards.
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

// errNoNode means that CometBFT does not run.
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

// ErrStalled means that the validators make no blocks.
var ErrStalled = errors.New("stalled")

// stallTime is the time for which transactions may wait without a block before the chain counts as
// stalled. A missing proposer delays a block by less than 2 s, and a second one by 3 s.
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
	quiet  time.Time // since when transactions have waited without a block; zero: none wait
}

func newHealth(log *slog.Logger) *Health {
	return &Health{log: log, now: time.Now, detail: func() string { return "" }}
}

// Stalled returns the reason why no blocks are made, wrapping ErrStalled; nil while blocks are made.
func (h *Health) Stalled() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// Quiet returns for how long transactions have waited without a block.
func (h *Health) Quiet() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.quiet.IsZero() {
		return 0
	}
	return h.now().Sub(h.quiet)
}

// observe records the height of the chain and the number of transactions that wait for a block.
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

// during observes the chain and announces transactions until ctx ends, or until ended has a reason,
// which it returns.
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

// clockTime is the interval between checks of a clock that is behind, and logTime the interval between
// log lines about it.
const (
	clockTime = time.Second
	logTime   = time.Minute
)

// awaitGenesis waits until the clock has reached the time of the genesis, before which CometBFT
// does not start. CometBFT would sleep for the difference without a log line, even if the clock
// is set or the process has to end in the meantime.
func (h *Health) awaitGenesis(ctx context.Context, genesis time.Time) error {
	var logged time.Time
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.err = nil
	}()
	for {
		now := h.now()
		ahead := genesis.Sub(now.Round(0)) // by the wall clock, which may be set in the meantime
		if ahead <= 0 {
			return nil
		}
		err := fmt.Errorf("%w: this machine's clock says %s, before the genesis of %s: set the clock",
			ErrStalled, now.UTC().Format(time.RFC3339), genesis.UTC().Format(time.RFC3339))
		h.mu.Lock()
		h.err = err
		h.mu.Unlock()
		if since := now.Sub(logged); since >= logTime || since < 0 {
			h.log.Warn("waiting for the time in the genesis", "error", err.Error())
			logged = now
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(ahead, clockTime)):
		}
	}
}
