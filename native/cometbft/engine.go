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

// portOf is the port of an address of CometBFT's; 0 if it has none.
func portOf(address string) uint16 {
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(address, "tcp://"))
	n, _ := strconv.ParseUint(port, 10, 16)
	return uint16(n)
}

// Node is CometBFT's node, nil before Open and after Close.
func (e *Engine) Node() *node.Node {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.node
}
