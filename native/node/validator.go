package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"

	"obverse/core"
	"obverse/core/chain"
	"obverse/core/chain/engine"
	"obverse/core/chain/statetree"
	"obverse/core/config"
	"obverse/core/daemon"
	"obverse/core/daemon/proof"
	"obverse/core/metrics"
	"obverse/native/cometbft"
	"obverse/native/httpd"
	"obverse/native/settings"
)

// Validator is the state of a node that is one of several validators.
type Validator struct {
	genesis   *cometbft.Genesis
	settings  cometbft.Settings
	announcer *cometbft.Announcer
	engine    cometbft.Driver
	keeper    *statetree.Keeper
}

// NewValidator reads the files of a validator from the data folder, and creates missing keys.
func NewValidator(s *settings.Settings, log *slog.Logger) (*Validator, error) {
	if err := checkTrust(&s.Config.Validator); err != nil {
		return nil, err
	}
	home := cometbft.Home(s.DataDir)
	id, err := cometbft.Prepare(home)
	if err != nil {
		return nil, err
	}
	genesis, err := cometbft.ReadGenesis(home)
	if errors.Is(err, fs.ErrNotExist) {
		voter := "`obverse validator show` prints this node's entry for its validators"
		if s.Config.Validator.Signer != "" {
			voter = "with the key of your signer among its validators if it shall vote"
		}
		return nil, fmt.Errorf("genesis %s is missing: copy that of the other nodes; %s; `obverse testnet` and `obverse validator migrate` write a new one",
			cometbft.GenesisFile(home), voter)
	}
	if err != nil {
		return nil, err
	}
	if err := genesis.Check(s.Config.Chain.Options); err != nil {
		return nil, err
	}
	v := &Validator{genesis: genesis, settings: cometSettings(home, &s.Config), announcer: cometbft.NewAnnouncer(), keeper: statetree.New()}
	if address := s.Config.Validator.ABCI; address != "" {
		v.engine = cometbft.NewServer(log, v.announcer, address, s.Config.Validator.RPC)
	} else {
		v.engine = cometbft.NewEngine(log, v.announcer)
		voter := slog.Bool("votes", genesis.Votes(id))
		if v.settings.Signer != "" { // the key of a remote signer is not known yet
			voter = slog.String("signer", s.Config.Validator.Signer)
		}
		log.Info("joining the validators", "chain", genesis.ChainID, "id", id.NodeID, "listen", v.settings.Listen, voter)
	}
	v.settings.ChainID = genesis.ChainID
	return v, nil
}

// measure adds the metrics of validators; v may be nil.
func (v *Validator) measure(figures *httpd.Metrics) {
	if v == nil {
		return
	}
	figures.Include(cometbft.Figures())
	figures.Watch(metrics.Gauge{Name: "chain_quiet_seconds", Help: "Seconds for which transactions have waited without a block.",
		Read: func() float64 { return v.engine.Quiet().Seconds() }})
}

// stalled returns why the validators make no blocks; v may be nil.
func (v *Validator) stalled() error {
	if v == nil {
		return nil
	}
	return v.engine.Stalled()
}

// minServers is the number of nodes whose headers CometBFT compares when it joins by a snapshot.
const minServers = 2

// checkTrust refuses settings for a join by a snapshot that lack what CometBFT needs for it.
func checkTrust(c *config.Validator) error {
	switch {
	case c.TrustHeight == 0:
		return nil
	case c.TrustHash == "":
		return fmt.Errorf("validator.trust_hash is missing: with validator.trust_height %d it must be the hash of the header of that height, 64 hexadecimal digits", c.TrustHeight)
	case len(c.TrustServers) < minServers:
		return fmt.Errorf("validator.trust_servers names %d nodes: with validator.trust_height %d it must name at least %d", len(c.TrustServers), c.TrustHeight, minServers)
	}
	return nil
}

// defaultListen is the address for other nodes unless validator.listen names another.
const defaultListen = "127.0.0.1:26656"

func cometSettings(home string, config *config.Config) cometbft.Settings {
	c := &config.Validator
	s := cometbft.Settings{Home: home, Listen: c.Listen, External: c.External, Peers: c.Peers, RPC: c.RPC, Metrics: true,
		Guard: func(next http.Handler) http.Handler { return httpd.Guard(next, c.RPC, config.AllowedHosts) },
		Trust: cometbft.Trust{Height: c.TrustHeight, Hash: c.TrustHash, Servers: c.TrustServers}}
	if s.Listen == "" {
		s.Listen = defaultListen
	}
	if c.Signer != "" {
		s.Signer = "tcp://" + c.Signer
	}
	return s
}

// validators returns the core's configuration of validators; nil for a node that makes blocks alone.
func (b *backend) validators() *core.Validators {
	v := b.validator
	if v == nil {
		return nil
	}
	return &core.Validators{
		Role:  &engine.Role{Terms: v.genesis.Terms, Hash: statetree.AppHash, Announce: v.announcer.Announce, MaxWaiting: cometbft.PoolSize},
		State: v.keeper,
		Prover: func(m *chain.Manager) daemon.Prover {
			return &proof.Prover{Manager: m, Keeper: v.keeper, Commits: v.engine.Commits(b.db)}
		},
		Stalled: v.engine.Stalled,
		Network: v.engine.Network,
	}
}

// drive starts the engine on the node's chain, and returns the function that runs the engine.
func (b *backend) drive(ctx context.Context) (run func(context.Context) error, err error) {
	v := b.validator
	if v == nil {
		return func(context.Context) error { return nil }, nil
	}
	shared := b.node.Load().Shared()
	v.announcer.Waiting(func() [][]byte { return shared.Waiting(context.Background()) })
	if err := v.engine.Open(ctx, v.settings, shared); err != nil {
		return nil, ExplainStore(err)
	}
	return v.engine.Run, nil
}
