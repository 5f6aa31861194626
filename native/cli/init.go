package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"obverse/native/instance"
	"obverse/native/node"
	"obverse/native/settings"
)

// komodoConfFlag asks for daemon.komodo_conf in the new config.
const komodoConfFlag = "komodo-conf"

func (p *program) init(args []string) error {
	a, err := p.parse(args, takesInit)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpInit)
	}
	if a.flags[komodoConfFlag] {
		a.sources.Overrides["daemon.komodo_conf"] = "true"
	}
	s, err := settings.Init(a.sources, rand.Reader)
	switch {
	case errors.Is(err, settings.ErrExists):
		return err
	case err != nil:
		return settings.ConfigError{Err: err}
	}
	ctx, stop := untilSignal()
	defer stop()
	if err := p.forNewWallet(ctx, s); err != nil {
		return err
	}
	if err := initialize(ctx, s); err != nil {
		return err
	}
	if s.Config.WalletName != "" {
		fmt.Fprintf(p.stderr, "the recovery phrase is in the wallet %q, encrypted: keep a copy of its file in %s\n", s.Config.WalletName, s.DataDir)
	}
	_, err = fmt.Fprintln(p.stdout, s.ConfigFile)
	return err
}

// initialize writes the config, to a data folder once no node runs there.
func initialize(ctx context.Context, s *settings.Settings) (err error) {
	if s.DataDir != filepath.Dir(s.ConfigFile) {
		return makeWallet(ctx, s)
	}
	lock, err := instance.Acquire(s.DataDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if !s.HasGivenKey() {
		if err := refuseOrphan(s); err != nil {
			return err
		}
	}
	return makeWallet(ctx, s)
}

// makeWallet makes the wallet that the config names, if it names one, and writes the config.
func makeWallet(ctx context.Context, s *settings.Settings) error {
	if err := openWallet(ctx, s); err != nil {
		return err
	}
	return node.SaveNew(s)
}
