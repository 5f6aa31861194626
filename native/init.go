package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"obverse/native/instance"
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
		return badConfig{err}
	}
	if err := initialize(s); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, s.ConfigFile)
	return err
}

// initialize writes the config, to a data folder once no node runs there.
func initialize(s *settings.Settings) (err error) {
	if s.DataDir != filepath.Dir(s.ConfigFile) {
		return s.Save()
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
	return s.Save()
}
