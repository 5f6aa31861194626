package cometbft

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cometbft/cometbft/abci/server"
	cfg "github.com/cometbft/cometbft/config"
	cmtpubsub "github.com/cometbft/cometbft/libs/pubsub"
	"github.com/cometbft/cometbft/libs/service"
	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/node"
	rpchttp "github.com/cometbft/cometbft/rpc/client/http"
	rpccore "github.com/cometbft/cometbft/rpc/core"
	rpcserver "github.com/cometbft/cometbft/rpc/jsonrpc/server"

	"obverse/core/chain/engine"
	"obverse/core/daemon"
	"obverse/core/daemon/proof"
	"obverse/core/store"
)

// Driver runs the consensus of a chain: CometBFT in this process, or a separate one.
type Driver interface {
	// Open starts the driver.
	Open(context.Context, Settings, *engine.Shared) error
	// Run runs until ctx ends or the chain fails, and then stops the driver.
	Run(ctx context.Context) error
	// Stalled returns the reason why no blocks are made; nil while blocks are made.
	Stalled() error
	// Quiet returns for how long transactions have waited without a block.
	Quiet() time.Duration
	// Network returns the node's connections to other nodes.
	Network(context.Context) (daemon.Network, error)
	// Commits returns the headers that the validators have signed. The store is that of the chain.
	Commits(store.KV) proof.Commits
}

var (
	_ Driver = (*Engine)(nil)
	_ Driver = (*Server)(nil)
)

// Commits implements Driver.
func (e *Engine) Commits(kv store.KV) proof.Commits { return &Commits{&inside{engine: e}, kv} }

// Server accepts the connection of a separate CometBFT that the operator runs.
type Server struct {
	*Health
	log       *slog.Logger
	announcer *Announcer
	address   string                       // on which it listens
	rpc       string                       // address of CometBFT's RPC, to which transactions of the node's clients are sent
	client    atomic.Pointer[rpchttp.HTTP] // of rpc, once open
	ended     chan error
	server    service.Service
	look      func() (height, waiting int)
	stopping  atomic.Bool
}

// NewServer returns a server, which does not listen before Open.
func NewServer(log *slog.Logger, a *Announcer, address, rpc string) *Server {
	return &Server{Health: newHealth(log), log: log, announcer: a, address: address, rpc: rpc, ended: make(chan error, 1)}
}

func (s *Server) failed(err error) {
	select {
	case s.ended <- err:
	default:
	}
}

// Open listens for CometBFT.
func (s *Server) Open(_ context.Context, settings Settings, shared *engine.Shared) error {
	s.look = looking(shared)
	if s.rpc == "" {
		return errors.New("validator.rpc is missing: with validator.abci it is the address of the CometBFT's RPC, to which transactions go")
	}
	client, err := rpchttp.New("http://"+s.rpc, "/websocket")
	if err != nil {
		return fmt.Errorf("validator.rpc: %w", err)
	}
	s.client.Store(client)
	s.server = server.NewSocketServer("tcp://"+s.address, NewApp(s.log, settings.ChainID, shared, s.failed))
	s.server.SetLogger(logger{s.log, s.failed, &s.stopping})
	if err := s.server.Start(); err != nil {
		return fmt.Errorf("listen for CometBFT on %s: %w", s.address, err)
	}
	s.announcer.to(func(raw []byte) bool {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, err := client.BroadcastTxAsync(ctx, raw)
		return err == nil || strings.Contains(err.Error(), mempool.ErrTxInCache.Error())
	})
	return nil
}

// Run implements Driver.
func (s *Server) Run(ctx context.Context) error {
	err := s.during(ctx, s.announcer, s.ended, s.look)
	s.stopping.Store(true)
	return errors.Join(err, s.server.Stop())
}

// askTime limits the time for a separate CometBFT to describe its network.
const askTime = 2 * time.Second

// Network implements Driver.
func (s *Server) Network(ctx context.Context) (n daemon.Network, err error) {
	client := s.client.Load()
	if client == nil {
		return n, errNoNode
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	status, err := client.Status(ctx)
	if err != nil {
		return n, fmt.Errorf("query CometBFT at %s: %w", s.rpc, err)
	}
	peers, err := client.NetInfo(ctx)
	if err != nil {
		return n, fmt.Errorf("query CometBFT at %s: %w", s.rpc, err)
	}
	return daemon.Network{Connections: peers.NPeers, Port: portOf(status.NodeInfo.ListenAddr), CatchingUp: status.SyncInfo.CatchingUp}, nil
}

// Commits implements Driver.
func (s *Server) Commits(kv store.KV) proof.Commits { return &Commits{newOutside(s.rpc), kv} }

// serveRPC serves CometBFT's own interface on an address, behind a guard. CometBFT's node would
// serve it to any web page, because it checks neither Host nor Origin, and methods with effects accept
// GET requests and websockets. It follows startRPC in node/node.go.
func serveRPC(n *node.Node, env *rpccore.Environment, address string, guard func(http.Handler) http.Handler, log logger) (net.Listener, error) {
	limits := n.Config().RPC
	config := serverConfig(limits)
	routes := env.GetRoutes()
	sockets := rpcserver.NewWebsocketManager(routes,
		rpcserver.OnDisconnect(func(remote string) {
			if err := n.EventBus().UnsubscribeAll(context.Background(), remote); err != nil && !errors.Is(err, cmtpubsub.ErrSubscriptionNotFound) {
				log.Error("unsubscribing a client from events failed", "addr", remote, "err", err)
			}
		}),
		rpcserver.ReadLimit(config.MaxBodyBytes), rpcserver.WriteChanCapacity(limits.WebSocketWriteBufferSize),
	)
	sockets.SetLogger(log.With("module", "rpc-server"))
	mux := http.NewServeMux()
	mux.HandleFunc("/websocket", sockets.WebsocketHandler)
	rpcserver.RegisterRPCFuncs(mux, routes, log)
	listener, err := rpcserver.Listen("tcp://"+address, config.MaxOpenConnections)
	if err != nil {
		return nil, fmt.Errorf("validator.rpc: %w", err)
	}
	go func() { _ = rpcserver.Serve(listener, guard(mux), log, config) }() // ends when the listener is closed
	return listener, nil
}

// serverConfig returns the config of CometBFT's RPC server, with CometBFT's limits.
func serverConfig(limits *cfg.RPCConfig) *rpcserver.Config {
	c := rpcserver.DefaultConfig()
	c.MaxRequestBatchSize, c.MaxBodyBytes, c.MaxHeaderBytes = limits.MaxRequestBatchSize, limits.MaxBodyBytes, limits.MaxHeaderBytes
	c.MaxOpenConnections = limits.MaxOpenConnections
	c.WriteTimeout = max(c.WriteTimeout, limits.TimeoutBroadcastTxCommit+time.Second)
	return c
}
