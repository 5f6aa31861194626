package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"text/tabwriter"

	"obverse/core/config"
	"obverse/native/datalock"
	"obverse/native/node"
	"obverse/native/settings"
)

// komodoConfFlag is the option that sets daemon.komodo_conf in a new config.
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

// initialize writes the config into a data folder in which no node runs.
func initialize(ctx context.Context, s *settings.Settings) (err error) {
	if s.DataDir != filepath.Dir(s.ConfigFile) {
		return makeWallet(ctx, s)
	}
	lock, err := datalock.Acquire(s.DataDir)
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

// makeWallet creates the wallet that the config names, if any, and writes the config.
func makeWallet(ctx context.Context, s *settings.Settings) error {
	if err := openWallet(ctx, s); err != nil {
		return err
	}
	return node.SaveNew(s)
}

// config prints the settings of a start, and the origin of each.
func (p *program) config(args []string) error {
	a, err := p.parse(args, takesConfig)
	if err != nil {
		return err
	}
	if a.help {
		return p.help(helpConfig)
	}
	s, origins, err := settings.Inspect(a.sources)
	if err != nil {
		return settings.ConfigError{Err: err}
	}
	if err := p.printConfig(s, origins); err != nil {
		return err
	}
	for _, warning := range s.Warnings {
		fmt.Fprintln(p.stderr, "warning:", printable(warning))
	}
	if s.ConfigFile == "" { // a start would generate the secrets
		if err := s.Config.FillSecrets(rand.Reader); err != nil {
			return err
		}
	}
	err = s.Config.Validate()
	if err != nil && isUnasked(s, err) {
		fmt.Fprintln(p.stderr, "warning: a start asks for the password of the wallet at a terminal, and is refused elsewhere:", err)
		return nil
	}
	if err != nil {
		return settings.ConfigError{Err: fmt.Errorf("a start with these settings is refused: %w", err)}
	}
	return nil
}

func (p *program) printConfig(s *settings.Settings, origins settings.Origins) error {
	values, err := s.Config.Values()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	file := s.ConfigFile
	if file == "" {
		file = "none yet: `obverse init` writes one, and so does the first `obverse serve`"
	}
	fmt.Fprintf(&text, "config file: %s\ndata folder: %s\n", file, s.DataDir)
	if s.CoinsFile != "" {
		fmt.Fprintf(&text, "coins file:  %s\n", s.CoinsFile)
	}
	text.WriteByte('\n')
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, v := range values {
		fmt.Fprintf(table, "%s\t%s\t%s\n", v.Key, columnText(v), printable(origins.Origin(v.Key)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = text.WriteTo(p.stdout)
	return err
}

// shownValue returns a value in one column. It omits secrets, and the content of lists of coins.
func columnText(v config.Value) string {
	const maxColumn = 60
	switch text := []rune(printable(string(v.JSON))); {
	case v.Secret && v.IsSet:
		return "(hidden)"
	case v.Secret, string(text) == "null":
		return "(not set)"
	case len(text) > maxColumn:
		return string(text[:maxColumn]) + "…"
	default:
		return string(text)
	}
}
