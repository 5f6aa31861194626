// Package node is the process of a native node: it opens the store, fills the core's ports with
// files, sockets and the clock, and serves both APIs. It contains no rule of the domain.
//
// Invariant: after Run no part of the node is left, unless a call is still running.
package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/julienschmidt/httprouter"
	"golang.org/x/sync/errgroup"

	"obverse/core"
	"obverse/core/clock"
	"obverse/core/config"
	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/metrics"
	"obverse/core/mmrpc"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
	"obverse/core/store/bunt"
	"obverse/core/versionstat"
	"obverse/core/wallet/directory"
	peer "obverse/core/wallet/lightning"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/trezor"
	"obverse/native/ecdsa"
	"obverse/native/fetch"
	"obverse/native/hidraw"
	"obverse/native/httpd"
	"obverse/native/lightning"
	"obverse/native/settings"
	"obverse/native/speculos"
	"obverse/native/trezorudp"
	"obverse/native/versionprobe"
	"obverse/native/webpage"
)

// Version and the commit that it was built from. The linker sets them; see the Makefile.
var (
	Version = "devel"
	Commit  = "unknown"
	built   = "" // time of the commit, not of the build, so that builds are reproducible
)

// StoreFile is the store's file in the data folder.
const StoreFile = "obverse.db"

// Run runs a node until ctx ends or a client asks it to stop, and returns when no part of the node is
// left. It calls ready once, with the addresses of both APIs, when both answer. v is nil for a node that
// makes the blocks alone. Run first serves both ports, so that an operator sees that the node
// is starting, and then opens the store and the node.
func Run(ctx context.Context, s *settings.Settings, log *slog.Logger, ready func(node, daemon string) error, v *Validator) error {
	figures := httpd.NewMetrics(httpd.Build{Version: Version, Commit: Commit})
	outer := ctx
	ctx, stop := context.WithCancel(guard.With(context.WithoutCancel(ctx), figures.Panicked(log)))
	defer stop()
	b := &backend{settings: s, log: log, client: fetch.New("obverse/" + Version), metrics: figures, guesses: guessesOf(&s.Config), validator: v}
	context.AfterFunc(outer, func() { // clients receive the reason before their streams end
		b.announceEnd(context.Cause(outer))
		stop()
	})
	v.measure(figures)
	page, err := walletPage(&s.Config)
	if err != nil {
		return err
	}
	b.page = page
	server := httpd.New(serverConfig(b))
	if err := server.Listen(ctx); err != nil {
		return listenError(&s.Config, err)
	}
	b.daemonPort = listeningPort(server.DaemonAddress())
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return server.Run(ctx) })
	group.Go(func() error {
		if err := b.open(ctx, stop); err != nil {
			return err
		}
		drive, err := b.drive(ctx)
		if err != nil {
			return err
		}
		group.Go(func() error { return drive(ctx) })
		group.Go(func() error { return b.node.Load().Run(ctx) })
		group.Go(func() error { compaction(log, b.lockAgain).Run(ctx, b.db); return nil })
		group.Go(func() error { return reportFailure(ctx, b.db, log) })
		group.Go(func() error { return b.takeCoins(ctx) })
		return ready(server.NodeAddress(), server.DaemonAddress())
	})
	return b.closeAfter(group.Wait())
}

// Ending is the reason why a node ends, as the cause of a context: a signal's name as Komodo
// DeFi Framework writes it, or stop.
type Ending string

func (e Ending) Error() string { return string(e) }

// announceEnd reports to clients why the node ends.
func (b *backend) announceEnd(cause error) {
	var by Ending
	if node := b.node.Load(); node != nil && errors.As(cause, &by) {
		node.Ending(by.Error())
	}
}

func serverConfig(b *backend) httpd.Config {
	c, a := &b.settings.Config, b.settings.Credential()
	return httpd.Config{
		Daemon: httpd.Daemon{
			Address:     address(c.Daemon.RPCIP, c.Daemon.RPCPort),
			Serve:       b.serve,
			Credentials: daemon.NewAuthorizer(a.User, a.Password, clock.Wall(time.Now)),
		},
		Node: httpd.Node{
			Address:     address(c.RPCIP, c.RPCPort),
			Serve:       b.serveNode,
			LocalOnly:   c.RPCLocalOnly,
			RetryAfter:  b.retryAfter,
			Credentials: daemon.NewPasswordAuthorizer(c.RPCPassword.Reveal(), b.guesses),
			Events:      httpd.Events{Hub: b.events, Origin: c.EventOrigin()},
			Origin:      c.CallOrigin(),
			Link:        b.link(),
			Mount:       b.mount,
		},
		BehindProxy: c.BehindProxy,
		Hosts:       c.AllowedHosts,
		Limits:      httpd.Limits{Body: c.MaxRequestBytes},
		Ready:       b.ready,
		Metrics:     b.metrics,
		Log:         b.log,
	}
}

// guessesOf returns the limiter of wrong RPC passwords, for calls and for other requests.
func guessesOf(c *config.Config) *auth.Limiter {
	return auth.New(auth.Strong(c.RPCPassword.Reveal()), clock.Wall(time.Now))
}

func address(ip string, port int) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }

// walletPage returns the page to serve; nil if the config disables it.
func walletPage(c *config.Config) (*webpage.Page, error) {
	if !c.WalletPage {
		return nil, nil
	}
	return webpage.Built()
}

// link returns the one-time link of this start; nil if the start has no link.
func (b *backend) link() httpd.Link {
	if b.settings.Link == nil {
		return nil
	}
	return b.settings.Link
}

func (b *backend) mount(router *httprouter.Router) {
	if b.page != nil {
		b.page.Mount(router)
	}
}

// errStarting is the error until the node can answer.
var errStarting = errors.New("the node is starting")

// backend holds the store and the node that the ports serve, once they are open.
type backend struct {
	settings   *settings.Settings
	log        *slog.Logger
	metrics    *httpd.Metrics
	client     *fetch.Client             // for requests to other servers
	guesses    *auth.Limiter             // of the RPC password
	page       *webpage.Page             // nil: none is served
	validator  *Validator                // nil: this node makes the blocks alone
	daemonPort int                       // that the daemon API listens on
	db         *bunt.DB                  // set before node is
	lock       *StoreLock                // of the store's file
	node       atomic.Pointer[core.Node] // nil while starting
}

func (b *backend) open(ctx context.Context, stop func()) (err error) {
	if err := checkStore(b.settings, b.validator != nil); err != nil {
		return err
	}
	path := bunt.File(storePath(b.settings))
	if b.settings.NewChain && IsStore(path) {
		b.log.Warn("--new-chain has no effect, since the store exists; to begin a new chain, move the file out of the data folder", "file", path)
	}
	policy, err := b.ownerPolicy(path)
	if err != nil {
		return err
	}
	if b.lock, err = LockStore(b.settings.DataDir, path); err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	tighten(b.log, path)
	if b.db, err = bunt.Open(path); err != nil {
		return ExplainStore(err)
	}
	if err := b.lock.file.Take(path); err != nil { // Open may have created the file
		return err
	}
	logFindings(b.log, path, b.db.Findings())
	config := b.settings.Config
	node, err := core.New(ctx, config, core.Platform{
		Store: b.db, Owner: policy, Now: time.Now, Random: rand.Reader, Log: b.log, Calls: b.metrics, Guesses: b.guesses, NamedWallets: b.settings.Wallets,
		Probe: b.probe, Fetch: b.client, Dial: b.client, Lightning: b.peers().Open, Ledgers: b.ledgers(), Trezors: b.trezors(), Version: Version, Built: built,
		ECDSA: ecdsa.New().Verify, DaemonPort: func() int { return b.daemonPort }, Validators: b.validators(), Directory: directory.Default{},
		Stop: func() { b.log.Info("stopping, requested by a client"); stop() },
	})
	if err != nil {
		return ExplainStore(err)
	}
	if err := RecordStore(b.settings); err != nil {
		node.Close()
		return err
	}
	b.metrics.Watch(node.Gauges()...)
	b.metrics.Watch(storeGauges(b.db)...)
	b.node.Store(node)
	if !config.Passphrase.IsSet() {
		b.log.Warn("no passphrase is set (keys passphrase or wallet_name, or OBVERSE_PASSPHRASE): the node answers queries, but has no wallet and makes no blocks")
	}
	return nil
}

// lockAgain locks the new file of the store after a compaction.
func (b *backend) lockAgain() {
	if err := b.lock.file.Take(bunt.File(storePath(b.settings))); err != nil {
		b.log.Error("locking the store's file failed", "error", err.Error())
	}
}

// takeCoins passes each new list of coins to the node. Active coins keep their entries.
func (b *backend) takeCoins(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case list := <-b.settings.NewCoins:
			if err := b.node.Load().SetCoins(list); err != nil {
				b.log.Error("rejected the new coins file", "error", err.Error())
				continue
			}
			b.log.Info("reloaded the coins file", "bytes", len(list))
		}
	}
}

func storeGauges(db *bunt.DB) []metrics.Gauge {
	return []metrics.Gauge{
		{Name: "store_bytes", Help: "Size of the store's file.", Read: func() float64 { return float64(db.Size()) }},
		{Name: "store_failed", Help: "1 once the disk has refused a write: nothing more is taken.", Read: func() float64 {
			if db.Healthy() != nil {
				return 1
			}
			return 0
		}},
	}
}

// serve answers the daemon API. While the node starts, it answers as komodod does while it loads.
func (b *backend) serve(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	if node := b.node.Load(); node != nil {
		return node.Daemon(ctx, caller, body)
	}
	if !caller.Authorized {
		return daemon.StatusUnauthorized, nil
	}
	return daemon.StatusError, daemon.Refusal(daemon.CodeWarmUp, errStarting.Error())
}

// serveNode answers the node API.
func (b *backend) serveNode(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	if node := b.node.Load(); node != nil {
		return node.RPC(ctx, caller, body)
	}
	return http.StatusServiceUnavailable, mmrpc.Refusal(errStarting.Error())
}

func (b *backend) retryAfter(caller rpc.Caller) time.Duration {
	if node := b.node.Load(); node != nil {
		return node.RetryAfter(caller)
	}
	return 0
}

func (b *backend) events() *event.Hub {
	if node := b.node.Load(); node != nil {
		return node.Events()
	}
	return nil
}

// probe returns a client that queries other nodes for their version over libp2p.
func (b *backend) probe(identity *key.Identity) (versionstat.Probe, error) {
	return versionprobe.New(versionprobe.Config{
		Identity: identity.Private(), NetID: int(b.settings.Config.NetID), Version: Version, Now: time.Now,
	})
}

// peers returns the constructor of Lightning peers.
func (b *backend) peers() lightning.Opener {
	return lightning.Opener{IP: b.settings.Config.LightningIP, Random: rand.Reader, Now: time.Now, Changed: b.reportPeer}
}

// reportPeer logs that a Lightning node has connected or disconnected, with the node's reason.
// Any node can connect, so the lines appear only at level debug.
func (b *backend) reportPeer(p peer.Peer) {
	id := p.Node.String()
	if p.State == peer.Connected {
		b.log.Debug("connected to Lightning peer", "node", id, "address", p.Address, "inbound", p.Inbound)
		return
	}
	b.log.Debug("disconnected from Lightning peer", "node", id, "reason", p.Reason, "retry", p.Persistent)
}

// ready returns the reason why requests cannot be answered or changes not stored; nil if they can.
func (b *backend) ready() error {
	if b.node.Load() == nil {
		return errStarting
	}
	return cmp.Or(b.db.Healthy(), b.validator.stalled())
}

// closeAfter closes the backend after the parts of the node have ended with err. If a call is still running, it
// closes nothing, because the call would sign with a wiped key, or report
// a closed store for a change that it has made. The end of the process frees all resources.
func (b *backend) closeAfter(err error) error {
	if errors.Is(err, httpd.ErrAtWork) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, b.close())
}

// close closes everything that open has opened.
func (b *backend) close() error {
	if node := b.node.Load(); node != nil {
		node.Close()
	}
	b.client.Close()
	var err error
	if b.db != nil {
		err = b.db.Close()
	}
	if b.lock != nil {
		err = errors.Join(err, b.lock.Release())
	}
	return err
}

// failing reports the state of a store's disk.
type failing interface {
	Failed() <-chan struct{}
	Healthy() error
}

// reportFailure logs once that the store has become read-only, because callers only learn that their own
// changes were refused.
func reportFailure(ctx context.Context, db failing, log *slog.Logger) error {
	select {
	case <-ctx.Done():
	case <-db.Failed():
		log.Error("store write failed, the store is read-only until a restart: check the disk's free space and health",
			"error", db.Healthy().Error())
	}
	return nil
}

// ErrPortTaken means that another program uses the port.
var ErrPortTaken = errors.New("is in use by another program")

// listenError names the key of the config with the address or port that cannot be used.
func listenError(c *config.Config, err error) error {
	section, ip, port := "", c.RPCIP, c.RPCPort
	if isDaemonAddress(c, err) {
		section, ip, port = "daemon.", c.Daemon.RPCIP, c.Daemon.RPCPort
	}
	switch {
	case errors.Is(err, context.Canceled): // a signal ended the start
		return nil
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return settings.ConfigError{Err: fmt.Errorf("%srpcip %s is not an address of this machine: 127.0.0.1 accepts connections from this machine, 0.0.0.0 from everywhere", section, ip)}
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%srpcport %d %w (%s): choose another port, or 0 for any free one", section, port, ErrPortTaken, ip)
	}
	return fmt.Errorf("%w (rpcport and daemon.rpcport set the ports, 0 is any free one)", err)
}

// isDaemonAddress reports whether the daemon API's address, which is tried first, is the one that failed.
func isDaemonAddress(c *config.Config, err error) bool {
	failed := new(net.OpError)
	if !errors.As(err, &failed) {
		return false
	}
	at, ok := failed.Addr.(*net.TCPAddr)
	ip, bad := netip.ParseAddr(c.Daemon.RPCIP)
	return ok && bad == nil && at.Port == c.Daemon.RPCPort && at.AddrPort().Addr().Unmap() == ip.Unmap()
}

// listeningPort returns the port of a listener's address.
func listeningPort(address string) int {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(port) // the address is a listener's own text
	return n
}

// ledgers returns the port for Ledger's devices: those on USB, or the emulator that the config
// names.
func (b *backend) ledgers() ledger.Port {
	emulator := b.settings.Config.LedgerEmulator
	switch {
	case emulator != "":
		return speculos.Port{Address: emulator}
	case runtime.GOOS == "linux":
		return ledger.Over(hidraw.New())
	}
	return nil
}

// trezors returns the client for Trezor's devices: those of Trezor Suite or Bridge and those of the
// first model on USB, or the emulator that the config names.
func (b *backend) trezors() *trezor.Client {
	return &trezor.Client{Port: b.trezorPort(), Timeout: device.DefaultTimeout}
}

func (b *backend) trezorPort() trezor.Port {
	if emulator := b.settings.Config.TrezorEmulator; emulator != "" {
		return trezor.Over(trezorudp.Bus{Address: emulator})
	}
	const confirming = 11 * time.Minute // time for the user to answer on the device
	bridge := &trezor.Bridge{Fetch: fetch.ToLocalPort(b.client.Patient(confirming), trezor.BridgePort), URL: trezor.BridgeURL}
	if runtime.GOOS == "linux" {
		return trezor.Either(bridge, trezor.Over(hidraw.New()))
	}
	return bridge
}
