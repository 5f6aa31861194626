package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"obverse/core/chain/engine"
	"obverse/core/config"
	"obverse/core/key"
	"obverse/core/store/bunt"
	"obverse/native/cometbft"
	"obverse/native/node"
	"obverse/native/settings"
)

func (p *program) validator(args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "migrate":
			return p.migrate(args[1:])
		case "show":
			return p.showValidator(args[1:])
		}
	}
	return p.start(args, takesValidator, helpValidator, runValidator)
}

// shownValidator holds the data of this node that the operators of other nodes need.
type validatorJSON struct {
	ID        string          `json:"id"`
	Validator json.RawMessage `json:"validator,omitempty"` // absent if a remote signer holds the key
}

// showValidator prints the node's id and its entry for a genesis. It generates missing keys.
func (p *program) showValidator(args []string) error {
	a, err := p.parse(args, takesShow)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpValidator)
	}
	s, err := settings.Read(a.sources)
	if err != nil {
		return settings.ConfigError{Err: err}
	}
	id, err := cometbft.Prepare(cometbft.Home(s.DataDir))
	if err != nil {
		return err
	}
	show := validatorJSON{ID: id.NodeID}
	if s.Config.Validator.Signer == "" {
		show.Validator = json.RawMessage(id.Entry())
	}
	text, err := json.MarshalIndent(show, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s\n", text)
	return err
}

// runValidator runs a node that makes blocks together with other validators.
func runValidator(ctx context.Context, s *settings.Settings, log *slog.Logger, ready func(node, daemon string) error) error {
	v, err := node.NewValidator(s, log)
	if err != nil {
		return settings.ConfigError{Err: err}
	}
	return node.Run(ctx, s, log, ready, v)
}

// Limits and defaults of `obverse testnet`.
const (
	defaultValidators = 4
	maxValidators     = 100
	defaultP2PPort    = 26656
	portStep          = 10 // difference between the ports of two nodes
	maxSteps          = 2 * maxValidators
)

// Ports of the first node's APIs. They differ from the defaults, so that a node with the default
// ports can run on the same machine.
const (
	testnetNodePort   = 17783
	testnetDaemonPort = 17771
)

// testnet writes the folders of a network of nodes that all run on this machine.
func (p *program) testnet(args []string) error {
	a, err := p.parse(args, takesTestnet)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpTestnet)
	}
	count, err := wholeNumber(a.values["validators"], defaultValidators, 1, maxValidators)
	if err != nil {
		return usage("--validators: %v", err)
	}
	port, err := wholeNumber(a.values["port"], defaultP2PPort, 1024, 65535-portStep*maxSteps)
	if err != nil {
		return usage("--port: %v", err)
	}
	dir, err := filepath.Abs(cmp.Or(a.values["output"], "testnet"))
	if err != nil {
		return err
	}
	w := &testnet{src: a.sources, dir: dir, port: port}
	if err := w.isNew(count); err != nil {
		return err
	}
	if err := w.choosePorts(count); err != nil {
		return err
	}
	for i := range count {
		if err := w.add(i); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	if err := w.write(); err != nil {
		return err
	}
	for i := range count {
		fmt.Fprintf(p.stdout, "obverse validator --datadir %s\n", w.folder(i))
	}
	return nil
}

// wholeNumber parses the value of an option. It may be absent.
func wholeNumber(text string, otherwise, min, max int) (int, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < min || n > max {
		return 0, fmt.Errorf("must be a whole number from %d to %d", min, max)
	}
	return n, nil
}

// testnet is a network that is being written.
type testnet struct {
	src   settings.Sources
	dir   string
	port  int   // port for connections of other validators, at step 0
	steps []int // steps of the nodes: all ports of a node are free at this many times portStep above step 0
	nodes []*settings.Settings
	ids   []cometbft.Identity
}

func (w *testnet) folder(i int) string { return filepath.Join(w.dir, fmt.Sprintf("node%d", i)) }

func (w *testnet) listen(i int) string {
	return loopback(w.portsAt(w.steps[i]).peers)
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// ports holds the ports of a node.
type ports struct{ node, daemon, peers, comet int }

func (w *testnet) portsAt(step int) ports {
	up := portStep * step
	return ports{node: testnetNodePort + up, daemon: testnetDaemonPort + up, peers: w.port + up, comet: w.port + up + 1}
}

// choosePorts chooses the steps. It skips steps at which another program listens on one of the
// ports.
func (w *testnet) choosePorts(count int) error {
	var taken error
	for step := 0; step < maxSteps && len(w.steps) < count; step++ {
		if err := w.portsAt(step).free(); err != nil {
			taken = err
			continue
		}
		w.steps = append(w.steps, step)
	}
	if len(w.steps) < count {
		return fmt.Errorf("found free ports for %d of %d nodes: %w; --port names the first port for connections between the nodes", len(w.steps), count, taken)
	}
	return nil
}

// free returns an error for a port on which the program cannot listen.
func (p ports) free() error {
	for _, port := range []int{p.node, p.daemon, p.peers, p.comet} {
		listener, err := net.Listen("tcp", loopback(port))
		if err != nil {
			return err
		}
		if err := listener.Close(); err != nil {
			return err
		}
	}
	return nil
}

// isNew returns an error if one of the folders exists, before anything is written.
func (w *testnet) isNew(count int) error {
	for i := range count {
		if _, err := os.Lstat(w.folder(i)); err == nil {
			return fmt.Errorf("%s %w; --output names another folder", w.folder(i), settings.ErrExists)
		}
	}
	return nil
}

// add generates a node's settings and keys. Only the keys are written.
func (w *testnet) add(i int) error {
	src := w.src
	src.DataDir, src.ConfigFile = w.folder(i), ""
	src.Overrides = maps.Clone(w.src.Overrides)
	s, err := settings.Init(src, rand.Reader)
	if err != nil {
		return err
	}
	id, err := cometbft.Prepare(cometbft.Home(w.folder(i)))
	if err != nil {
		return err
	}
	id.Validator.Name = fmt.Sprintf("node%d", i)
	w.nodes, w.ids = append(w.nodes, s), append(w.ids, id)
	return nil
}

// write writes the genesis and the configs of all nodes.
func (w *testnet) write() error {
	first := &w.nodes[0].Config
	payee, err := publicKey(first)
	if err != nil {
		return err
	}
	now := time.Now().Truncate(time.Second)
	g := &cometbft.Genesis{ChainID: cometbft.ChainIDOf(first.Chain.Options, 1, now), Time: now,
		Options: first.Chain.Options, Terms: engine.Terms{Payee: payee, From: 1}}
	for _, id := range w.ids {
		g.Validators = append(g.Validators, id.Validator)
	}
	for i, s := range w.nodes {
		if err := g.Save(cometbft.Home(w.folder(i))); err != nil {
			return err
		}
		given, err := w.given(i)
		if err != nil {
			return err
		}
		if err := s.Give(given); err != nil {
			return err
		}
		if err := s.Save(); err != nil {
			return err
		}
	}
	return nil
}

// given returns the settings in a node's config other than secrets and the chain.
func (w *testnet) given(i int) (map[string]string, error) {
	peers := []string{}
	for j, id := range w.ids {
		if j != i {
			peers = append(peers, id.NodeID+"@"+w.listen(j))
		}
	}
	list, err := json.Marshal(peers)
	ports := w.portsAt(w.steps[i])
	return map[string]string{
		"rpcport": strconv.Itoa(ports.node), "daemon.rpcport": strconv.Itoa(ports.daemon),
		"validator.listen": loopback(ports.peers), "validator.peers": string(list),
		"validator.rpc": loopback(ports.comet),
	}, err
}

// publicKey returns the public key of the passphrase in a config.
func publicKey(c *config.Config) (pub [33]byte, err error) {
	keys, err := key.Open(c.Passphrase.Reveal(), c.EnableHD)
	if err != nil {
		return pub, fmt.Errorf("passphrase: %w", err)
	}
	defer keys.Wipe()
	return keys.Node().PublicKey(), nil
}

// migrate changes the chain of a single producer to one of validators, with this node as the first,
// or back.
func (p *program) migrate(args []string) (err error) {
	a, err := p.parse(args, takesMigrate)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpValidator)
	}
	s, err := settings.Read(a.sources)
	if err != nil {
		return settings.ConfigError{Err: err}
	}
	w, err := p.findStore(a.sources)
	if err != nil {
		return err
	}
	path := bunt.File(w.path())
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("there is no chain to hand over: %w", err)
	}
	release, err := lockStore(s.DataDir, path)
	if err != nil {
		return err
	}
	defer release()
	db, err := bunt.Open(path)
	if err != nil {
		return node.ExplainStore(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if a.flags["back"] {
		return p.takeBack(s, db)
	}
	return p.handOver(s, db)
}

// handOver writes the genesis of validators that continue the chain in the store.
func (p *program) handOver(s *settings.Settings, db *bunt.DB) error {
	home := cometbft.Home(s.DataDir)
	if _, err := os.Lstat(cometbft.GenesisFile(home)); err == nil {
		return fmt.Errorf("%s exists: the chain is handed over; `obverse validator migrate --back` renames it", cometbft.GenesisFile(home))
	}
	tip, producer, err := engine.SoloTip(context.Background(), db, s.Config.Chain.Options)
	if err != nil {
		return node.ExplainStore(err)
	}
	id, err := cometbft.Prepare(home)
	if err != nil {
		return err
	}
	now := time.Now().Truncate(time.Second)
	g := &cometbft.Genesis{ChainID: cometbft.ChainIDOf(s.Config.Chain.Options, tip.Height+1, now), Time: now, Options: s.Config.Chain.Options,
		Terms: engine.Terms{Payee: producer, From: tip.Height + 1, Tip: tip.Hash}}
	g.Validators = append(g.Validators, id.Validator)
	if err := g.Save(home); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "handed over after block %d, %v\ngenesis %s\nthis node %s\n", tip.Height, tip.Hash, cometbft.GenesisFile(home), id.NodeID)
	return err
}

// takeBack allows the producer to continue the validators' chain alone, or to hand it over again.
func (p *program) takeBack(s *settings.Settings, db *bunt.DB) error {
	terms, found, err := engine.StoredTerms(context.Background(), db)
	if err != nil {
		return err
	}
	home := cometbft.Home(s.DataDir)
	if _, err := os.Lstat(cometbft.GenesisFile(home)); !found && err != nil {
		return errors.New("the chain in this data folder is made by one node already")
	}
	if err := engine.Forget(context.Background(), db); err != nil {
		return err
	}
	moved, err := cometbft.Reset(home)
	if err != nil {
		return err
	}
	if !found { // handed over, but no validator has started
		_, err = fmt.Fprintf(p.stdout, "this node can go on alone with `obverse serve`\nrenamed %s\n", strings.Join(moved, ", "))
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "taken back: the key %x can go on alone with `obverse serve`\nrenamed %s\n", terms.Payee, strings.Join(moved, ", "))
	return err
}
