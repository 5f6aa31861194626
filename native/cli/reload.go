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

// output holds the log file and the log level of a running node.
type output struct {
	file  *logging.File
	level *logging.Level
}

// open opens the log file in the settings, unless the file has another use.
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

// reloader applies the settings that can change while a node runs.
type reloader struct {
	sources settings.Sources
	current config.Config // current settings of the node
	output  output
	coins   chan json.RawMessage // holds at most one list, the newest
	log     *slog.Logger
}

func newReloader(src settings.Sources, s *settings.Settings, o output, log *slog.Logger) *reloader {
	r := &reloader{src, s.Config, o, make(chan json.RawMessage, 1), log}
	s.NewCoins = r.coins
	return r
}

// run reloads the config at each signal until done is closed.
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

// reload applies all changes or none.
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

// keepPassword sets the password with which the node was started in a config that was read again.
func (r *reloader) keepPassword(_ context.Context, s *settings.Settings) error {
	if s.Config.WalletName == r.current.WalletName && !s.Config.WalletPassword.IsSet() {
		s.Config.WalletPassword = r.current.WalletPassword
	}
	return nil
}

// offer replaces a list that the node has not received yet.
func (r *reloader) offer(list json.RawMessage) {
	select {
	case <-r.coins:
	default:
	}
	r.coins <- list
}
