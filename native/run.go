package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"obverse/core"
	"obverse/core/daemon"
	"obverse/core/store/bunt"
	"obverse/native/httpd"
	"obverse/native/settings"
)

// storeName is the store's file in the data folder.
const storeName = "obverse.db"

// run opens the store and the node and serves both interfaces until ctx ends or a
// client asks to stop.
func run(ctx context.Context, s *settings.Settings, log *slog.Logger, ready func(node, daemon string) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	db, err := bunt.Open(filepath.Join(s.DataDir, storeName))
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	err = serveStore(ctx, stop, db, s, log, ready)
	return errors.Join(err, db.Close())
}

func serveStore(ctx context.Context, stop func(), db *bunt.DB, s *settings.Settings, log *slog.Logger,
	ready func(node, daemon string) error) error {
	metrics := httpd.NewMetrics(httpd.Build{Version: version, Commit: commit})
	node, err := core.New(ctx, s.Config, core.Platform{
		Store: db, Now: time.Now, Log: log, Calls: metrics, Version: version, Commit: commit,
		Stop: func() { log.Info("stopping, as a client asked"); stop() },
	})
	if err != nil {
		return err
	}
	defer node.Close()
	metrics.Watch(node.Gauges()...)
	server := httpd.New(serverConfig(&s.Config, node, db, metrics, log))
	if err := server.Listen(ctx); err != nil {
		return fmt.Errorf("%w (rpcport and daemon.rpcport set the ports, 0 is any free one)", err)
	}
	if !s.Config.Passphrase.IsSet() {
		log.Warn("no passphrase is set: the node answers queries, but has no wallet and makes no blocks")
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return server.Run(ctx) })
	group.Go(func() error { return node.Run(ctx) })
	group.Go(func() error { return shrinkWhenGrown(ctx, db, log) })
	group.Go(func() error { return ready(server.NodeAddress(), server.DaemonAddress()) })
	if err := group.Wait(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func serverConfig(c *core.Config, node *core.Node, db *bunt.DB, metrics *httpd.Metrics, log *slog.Logger) httpd.Config {
	return httpd.Config{
		Daemon: httpd.Daemon{
			Address:     address(c.Daemon.RPCIP, c.Daemon.RPCPort),
			Serve:       node.Daemon,
			Credentials: daemon.NewAuthorizer(c.Daemon.RPCUser, c.DaemonPassword().Reveal(), clock{}),
		},
		Node: httpd.Node{
			Address:     address(c.RPCIP, c.RPCPort),
			Credentials: daemon.NewPasswordAuthorizer(c.RPCPassword.Reveal(), clock{}),
			Origin:      c.RPCCORS,
		},
		Hosts:   c.AllowedHosts,
		Limits:  httpd.Limits{Body: c.MaxRequestBytes},
		Ready:   db.Healthy,
		Metrics: metrics,
		Log:     log,
	}
}

func address(ip string, port int) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }

// clock is the machine's.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Shrinking rewrites the store's log without what was overwritten since: when it
// has doubled and grown by shrinkStep, looked at every shrinkCheck.
const (
	shrinkCheck = 10 * time.Minute
	shrinkStep  = 64 << 20
)

func shrinkWhenGrown(ctx context.Context, db *bunt.DB, log *slog.Logger) error {
	last := db.Size()
	for (clock{}).Sleep(ctx, shrinkCheck) == nil {
		before := db.Size()
		if before < 2*last+shrinkStep {
			continue
		}
		if err := db.Shrink(ctx); err != nil {
			log.Error("the store's log could not be shrunk", "error", err)
		}
		last = db.Size()
		log.Info("shrank the store's log", "before", before, "after", last)
	}
	return nil
}
