package cometbft

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	cfg "github.com/cometbft/cometbft/config"
	cmtpubsub "github.com/cometbft/cometbft/libs/pubsub"
	"github.com/cometbft/cometbft/node"
	rpccore "github.com/cometbft/cometbft/rpc/core"
	rpcserver "github.com/cometbft/cometbft/rpc/jsonrpc/server"
)

// serveRPC serves CometBFT's own interface on an address, behind a guard. CometBFT's node would
// serve it to any web page: it looks at neither Host nor Origin, and methods with effects take
// GET requests and websockets [node/node.go, startRPC, which this follows].
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
	go func() { _ = rpcserver.Serve(listener, guard(mux), log, config) }() // ends with the listener
	return listener, nil
}

// serverConfig is CometBFT's, with the limits of its config.
func serverConfig(limits *cfg.RPCConfig) *rpcserver.Config {
	c := rpcserver.DefaultConfig()
	c.MaxRequestBatchSize, c.MaxBodyBytes, c.MaxHeaderBytes = limits.MaxRequestBatchSize, limits.MaxBodyBytes, limits.MaxHeaderBytes
	c.MaxOpenConnections = limits.MaxOpenConnections
	c.WriteTimeout = max(c.WriteTimeout, limits.TimeoutBroadcastTxCommit+time.Second)
	return c
}
