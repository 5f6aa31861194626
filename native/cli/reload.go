package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"obverse/core/config"
	"obverse/native/logging"
	"obverse/native/settings"
)

// output is a running node's log file and log level.
type output struct {
	file  *logging.File
	level *logging.Level
}

// open opens the log file of the settings, unless it has another use.
func (o output) open(s *settings.Settings) error {
	path := s.Config.LogFile
	if path == "" {
		return o.file.Open("")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("log_file: %w", err)
	}
	if err := checkLogFile(path, s); err != nil {
		return err
	}
	return o.file.Open(path)
}

// reloader changes what can change while a node runs.
type reloader struct {
	sources settings.Sources
	current config.Config // what the node goes by
	output  output
	coins   chan json.RawMessage // one list at most waits in it: the newest
	log     *slog.Logger
}

func newReloader(src settings.Sources, s *settings.Settings, o output, log *slog.Logger) *reloader {
	r := &reloader{src, s.Config, o, make(chan json.RawMessage, 1), log}
	s.NewCoins = r.coins
	return r
}

// run reloads at each signal, until done.
func (r *reloader) run(hangup <-chan os.Signal, done <-chan struct{}) {
	for {
		select {
		case <-hangup:
			if err := r.reload(); err != nil {
				r.log.Error("reloading the config failed, nothing changed", "error", oneLine(err))
			}
		case <-done:
			return
		}
	}
}

// reload changes all or nothing.
func (r *reloader) reload() error {
	s, err := load(context.Background(), r.sources, r.keepPassword)
	if err != nil {
		return err
	}
	if s.IsNew() {
		return fmt.Errorf("%s: %w", s.ConfigFile, settings.ErrNoConfig)
	}
	if err := r.output.open(s); err != nil {
		return err
	}
	r.output.level.Set(s.Config.LogLevel)
	if !bytes.Equal(s.Config.CoinList, r.current.CoinList) {
		r.offer(s.Config.CoinList)
	}
	r.log.Info("reloaded the config", "file", s.ConfigFile, "log_level", s.Config.LogLevel)
	if keys := r.current.Changed(&s.Config); len(keys) > 0 {
		r.log.Warn("changed settings take effect at the next start", "keys", strings.Join(keys, ","))
	}
	r.current.CoinList = s.Config.CoinList
	return nil
}

// keepPassword has a config that is read again the password that the node was started with.
func (r *reloader) keepPassword(_ context.Context, s *settings.Settings) error {
	if s.Config.WalletName == r.current.WalletName && !s.Config.WalletPassword.IsSet() {
		s.Config.WalletPassword = r.current.WalletPassword
	}
	return nil
}

// offer replaces a list that the node has not taken yet.
func (r *reloader) offer(list json.RawMessage) {
	select {
	case <-r.coins:
	default:
	}
	r.coins <- list
}
