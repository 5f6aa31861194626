package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"obverse/core/chain/engine"
	"obverse/core/daemon/tokenchain"
	"obverse/core/store/bunt"
	"obverse/native/cometbft"
	"obverse/native/node"
	"obverse/native/settings"
)

// migrate hands a solo chain over to validators, of whom this node is the first, or takes it
// back.
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

// handOver writes the genesis of validators that go on with the chain in the store.
func (p *program) handOver(s *settings.Settings, db *bunt.DB) error {
	home := cometbft.Home(s.DataDir)
	if _, err := os.Lstat(cometbft.GenesisFile(home)); err == nil {
		return fmt.Errorf("%s exists: the chain is handed over; `obverse validator migrate --back` renames it", cometbft.GenesisFile(home))
	}
	tip, producer, err := tokenchain.SoloTip(context.Background(), db, s.Config.Chain.Options)
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

// takeBack lets the producer go on alone with the validators' chain, or hand it over again.
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
	if !found { // handed over, but no validator has begun
		_, err = fmt.Fprintf(p.stdout, "this node can go on alone with `obverse serve`\nrenamed %s\n", strings.Join(moved, ", "))
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "taken back: the key %x can go on alone with `obverse serve`\nrenamed %s\n", terms.Payee, strings.Join(moved, ", "))
	return err
}
