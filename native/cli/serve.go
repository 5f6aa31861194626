package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"obverse/native/datalock"
	"obverse/native/logging"
	"obverse/native/node"
	"obverse/native/onetime"
	"obverse/native/settings"
	"obverse/native/walletdir"
	"obverse/native/webpage"
)

// stopTime is the maximum time for which a node may take to stop. The rest of the process's exit
// fits into the documented 5 s.
const stopTime = 4500 * time.Millisecond

// errStop reports a node that did not stop within stopTime.
var errStop = errors.New("the node did not stop in time")

// runner runs a node until ctx ends or the node is stopped, and returns when the node has released
// all resources. It calls ready once, when both APIs accept requests at the given addresses.
type runner func(ctx context.Context, s *settings.Settings, log *slog.Logger, ready func(node, daemon string) error) error

// runAlone runs a node that is the only producer of the token chain's blocks.
func runAlone(ctx context.Context, s *settings.Settings, log *slog.Logger, ready func(node, daemon string) error) error {
	return node.Run(ctx, s, log, ready, nil)
}

func (p *program) serve(args []string) error { return p.start(args, takesServe, helpServe, p.run) }

// start starts a node with a runner.
func (p *program) start(args []string, takes accepts, help string, run runner) error {
	a, err := p.parse(args, takes)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(help)
	}
	a.sources.NewChain = a.flags[newChainFlag]
	password := p.forWallet
	if takes.command == takesServe.command {
		password = p.forNewWallet
	}
	return p.serveFrom(a.sources, password, run)
}

// serveFrom runs a node until a signal or a client ends it.
func (p *program) serveFrom(src settings.Sources, password passwords, run runner) error {
	ctx, stop := untilSignal()
	defer stop()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // a hangup never ends the process
	return p.serveUntil(ctx, hangup, src, password, run)
}

// serveUntil runs a node until ctx or a client ends it. It reloads the config at each hangup.
func (p *program) serveUntil(ctx context.Context, hangup <-chan os.Signal, src settings.Sources, password passwords, run runner) error {
	s, err := load(ctx, src, password)
	if err != nil {
		return err
	}
	if err := drawCookie(s, rand.Reader); err != nil {
		return err
	}
	if _, seen := p.findTerminal(); seen && s.Config.WalletPage {
		s.Link = onetime.New(s.Config.RPCPassword.Reveal(), time.Now)
	}
	secrets := secretsOf(s)
	p.stderr = logging.Redact(p.stderr, secrets...)
	out := output{logging.NewFile(p.stderr), logging.NewLevel(s.Config.LogLevel)}
	defer func() { _ = out.file.Flush() }()
	log := logging.NewAt(logging.Redact(out.file, secrets...), out.level)
	lock, err := claim(s, log, out)
	if err != nil {
		return err
	}
	defer lock.Release()
	defer removeCookie(s)
	defer removeCurl(s)
	reloader := newReloader(src, s, out, log)
	if err := openWallet(ctx, s); err != nil {
		return err
	}
	secrets = secretsOf(s) // includes the recovery phrase of a wallet
	p.stderr, log = logging.Redact(p.stderr, secrets...), logging.NewAt(logging.Redact(out.file, secrets...), out.level)
	announce(log, s, lock.Warnings())
	done := make(chan struct{})
	defer close(done)
	go reloader.run(hangup, done)
	return p.runUntil(ctx, s, log, lock, run)
}

// load returns the validated settings of a node.
func load(ctx context.Context, src settings.Sources, password passwords) (*settings.Settings, error) {
	s, err := settings.Load(src, rand.Reader)
	if err != nil {
		return nil, settings.ConfigError{Err: err}
	}
	err = s.Validate(src)
	if err != nil && !isUnasked(s, err) {
		return nil, settings.ConfigError{Err: err}
	}
	if err := password(ctx, s); err != nil {
		return nil, err
	}
	if err = s.Validate(src); isUnasked(s, err) {
		err = fmt.Errorf("%w; set OBVERSE_WALLET_PASSWORD_FILE to the path of a file that holds it, or start at a terminal, which asks for it", err)
	}
	if err != nil {
		return nil, settings.ConfigError{Err: err}
	}
	return s, nil
}

// claim locks the data folder before it writes the config of a first start, so that a refused start
// does not change the files of a running node.
func claim(s *settings.Settings, log *slog.Logger, out output) (*datalock.Lock, error) {
	lock, err := datalock.Acquire(s.DataDir)
	if err != nil {
		return nil, err
	}
	if err := prepare(s, log, out); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return lock, nil
}

// prepare opens the log and writes the config of a first start.
func prepare(s *settings.Settings, log *slog.Logger, out output) error {
	if err := refuseOrphan(s); err != nil {
		return err
	}
	if err := out.open(s); err != nil {
		return settings.ConfigError{Err: err}
	}
	isNew := s.IsNew()
	if err := node.SaveNew(s); err != nil {
		return err
	}
	if err := writeCookie(s); err != nil {
		return err
	}
	if isNew {
		log.Info("wrote a config with new secrets", "file", s.ConfigFile)
		if s.Config.WalletName != "" {
			log.Info("the recovery phrase is encrypted in a wallet, keep a copy of its file", "wallet", s.Config.WalletName, "folder", s.DataDir)
		}
	}
	return nil
}

// refuseOrphan returns an error for a new config if there is or was a store. The new secrets would
// not open the store, and would begin another chain.
func refuseOrphan(s *settings.Settings) error {
	if !s.IsNew() {
		return nil
	}
	_, err := walletFile(context.Background(), s, newWallet)
	hasWallet := err == nil
	if hasWallet && s.Config.WalletName == "" {
		return settings.ConfigError{Err: fmt.Errorf("the config %s is missing, and the data folder has the wallet %q: restore the config from a copy, set "+
			"OBVERSE_WALLET_PASSWORD_FILE to the path of a file with its password, or start at a terminal, which asks for it", s.ConfigFile, newWallet)}
	}
	if store := filepath.Join(s.DataDir, node.StoreFile); node.IsStore(store) {
		return settings.ConfigError{Err: fmt.Errorf("the config %s is missing, and only its passphrase opens %s: restore the config from a copy, "+
			"name it with --config FILE, or set OBVERSE_PASSPHRASE to that passphrase and run `obverse init`", s.ConfigFile, store)}
	}
	if hasWallet { // the key of the wallet determines its store
		return nil
	}
	if folders := walletdir.StoreFolders(s.DataDir, node.StoreFile); len(folders) > 0 {
		store := filepath.Join(folders[0], node.StoreFile)
		return settings.ConfigError{Err: fmt.Errorf("the config %s is missing, and only the key of its wallet opens %s: restore the config and the wallet's file NAME.json from copies, "+
			"or set OBVERSE_PASSPHRASE to the wallet's recovery phrase, and run `obverse init` and `obverse store restore %s`", s.ConfigFile, store, store)}
	}
	m, err := node.ReadStores(s.DataDir)
	if err == nil && len(m.Made) > 0 && !s.NewChain {
		return settings.ConfigError{Err: fmt.Errorf("the config %s and the store %s are missing: restore both from a backup, mount their disk if they are on another one, "+
			"or start with --new-chain, which begins an empty chain with a new key: without a backup, what the old key held and the tokens and the history of the store are lost", s.ConfigFile, filepath.Join(s.DataDir, m.Made[0]))}
	}
	return err
}

// announce prints the addresses of the node.
func announce(log *slog.Logger, s *settings.Settings, warnings []string) {
	log.Info("starting", "version", node.Version, "commit", node.Commit, "config", s.ConfigFile, "data", s.DataDir)
	if s.CoinsFile != "" {
		log.Info("read the coins file", "file", s.CoinsFile, "bytes", len(s.Config.CoinList))
	}
	for _, warning := range append(warnings, s.Warnings...) {
		log.Warn(warning)
	}
}

// repeatTime is the time after a signal within which another one counts as the same. Programs such
// as timeout and npm send a signal both to the process and to its group.
const repeatTime = 500 * time.Millisecond

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. A second one kills
// the process.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			cancel(endingBy(s))
			time.Sleep(repeatTime)
			signal.Stop(signals)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

func endingBy(s os.Signal) node.Ending {
	if s == os.Interrupt {
		return "SIGINT"
	}
	return "SIGTERM"
}

// runUntil runs the node until ctx ends.
func (p *program) runUntil(ctx context.Context, s *settings.Settings, log *slog.Logger, lock *datalock.Lock, run runner) error {
	if ctx.Err() != nil {
		return nil
	}
	ready := func(node, daemon string) error {
		where := datalock.Running{PID: os.Getpid(), Node: baseURL(node), Daemon: baseURL(daemon)}
		curl, curlErr := writeCurl(s) // written before `obverse call` finds the node and reads it
		if err := lock.Publish(where); err != nil {
			return err
		}
		log.Info("ready", "node", where.Node, "daemon", where.Daemon)
		if err := p.printPage(s, log, where); err != nil {
			return err
		}
		p.publishKomodoConf(s, log, where)
		if curlErr != nil {
			log.Warn("writing the curl file failed, continuing without it", "error", curlErr.Error())
		} else {
			fmt.Fprintf(p.stderr, "try: curl -K %s --data '{\"method\":\"getinfo\"}' %s/\n", curl, where.Daemon)
		}
		return writeReady(p.stdout, where)
	}
	done := make(chan error, 1)
	go func() { done <- run(ctx, s, log, ready) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping")
	select {
	case err := <-done:
		return err
	case <-time.After(stopTime):
		return errStop
	}
}

// publishKomodoConf writes the conf file for clients of komodod if the config has
// daemon.komodo_conf.
func (p *program) publishKomodoConf(s *settings.Settings, log *slog.Logger, where datalock.Running) {
	if !s.Config.Daemon.KomodoConf {
		return
	}
	path, err := writeKomodoConf(p.getenv("HOME"), &s.Config, where)
	if err != nil {
		log.Warn("writing the conf file for clients of komodod failed, continuing without it", "error", err.Error())
		return
	}
	log.Info("wrote the conf file for clients of komodod", "file", path)
}

// printPage prints the URL of the wallet page.
func (p *program) printPage(s *settings.Settings, log *slog.Logger, where datalock.Running) error {
	if !s.Config.WalletPage {
		return nil
	}
	page, err := webpage.Built()
	switch {
	case err != nil:
		return err
	case page.IsBuilt():
		fmt.Fprintf(p.stderr, "wallet page: %s/%s\n", where.Node, oneTime(s))
	default:
		log.Info("this program was built without the wallet page; `make build` builds it where Node is installed")
	}
	return nil
}

// oneTime returns the fragment of a URL that connects the page to the node. It is printed only on a
// terminal, since the logs of a file or a service manager must not give access to the node.
func oneTime(s *settings.Settings) string {
	if s.Link == nil {
		return ""
	}
	return "#link=" + s.Link.Token() + " (connects one page, once, within 10 minutes)"
}

// writeReady writes the line for which scripts wait.
func writeReady(w io.Writer, r datalock.Running) error {
	return json.NewEncoder(w).Encode(struct {
		Event  string `json:"event"`
		Node   string `json:"node"`
		Daemon string `json:"daemon"`
		PID    int    `json:"pid"`
	}{"ready", r.Node, r.Daemon, r.PID})
}

// baseURL returns the URL at which a process on this machine can reach a listening address.
func baseURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
