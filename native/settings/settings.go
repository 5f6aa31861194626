// Package settings determines the config of a native node from the data folder, files,
// the environment and the command line. The meaning of the keys and their
// allowed values are in config.Config.
//
// Each of these sources takes precedence over the ones before: the defaults, the config file, a komodod
// conf file, the secrets in the environment, the command line.
//
// Invariant: no error and no warning contains the value of a secret.
package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"obverse/core/config"
	"obverse/core/key/wallets"
	"obverse/native/atomicfile"
	"obverse/native/onetime"
)

// FileName is the config's name in the data folder.
const FileName = "obverse.json"

var (
	// ErrNoConfig means that the config file does not exist.
	ErrNoConfig = errors.New("no config file: `obverse init` writes one")
	// ErrNotWritten means that the config file could not be written, although the config
	// is valid.
	ErrNotWritten = errors.New("the config file cannot be written")
	// ErrExists means that a new config file would replace an existing one.
	ErrExists = errors.New("already exists and was not changed")
)

// Sources lists the places that settings come from. The zero value of a field means that the
// user gave none.
type Sources struct {
	ConfigFile string                   // --config
	ConfFile   string                   // --conf
	DataDir    string                   // --datadir
	ConfigText []byte                   // the config itself, instead of a file
	Defaults   map[string]string        // values for keys that no source sets, by dotted key
	HomeDir    string                   // the data folder that holds where nothing names one; "": .obverse in the home folder
	Overrides  map[string]string        // key=value, by dotted key
	NewChain   bool                     // --new-chain
	Warnings   []string                 // about parts of the command line that are not used as they are
	Getenv     func(name string) string // os.Getenv
}

// Settings is a config, which may not be validated yet, with its paths.
type Settings struct {
	Config     config.Config
	ConfigFile string
	DataDir    string   // absolute
	CoinsFile  string   // file from which Config.CoinList was read; "" without a file
	Warnings   []string // one line each
	// Cookie is the password of the daemon API if the config has no password for it. Each start
	// generates it.
	Cookie config.Secret
	// Wallets are the named wallets of the data folder. The wallet that the config names
	// is open. Each start sets it.
	Wallets *wallets.Wallets
	// StoreDir is the folder of the store. Each start sets it.
	StoreDir string
	// AskAgain prompts again for the wallet's password. It is nil if the password was not typed.
	AskAgain func(ctx context.Context) (password string, err error)
	// NewChain allows a start to begin a new chain if the store is missing.
	NewChain bool
	// NewCoins receives each new coins list while the node runs; nil: the list does
	// not change.
	NewCoins <-chan json.RawMessage
	// Link lets one page connect without the password; nil: no link. Each start sets it.
	Link *onetime.Link

	text      []byte         // of the config file; nil: there is no file
	confFile  string         // the komodod conf file; "" without one
	confLines map[string]int // by key: the line of the conf file that sets it
	fresh     *config.Config // written by Save; nil: the config file exists
}

// Load reads the settings of a node that is to be started, and writes nothing. If the
// data folder has no config file, Load makes a config with secrets from random, which Save
// writes. A config file that the user names must exist.
func Load(src Sources, random io.Reader) (*Settings, error) {
	if src.ConfigText != nil {
		return src.readAll()
	}
	path, err := src.configPath()
	if err != nil {
		return nil, err
	}
	if info, err := os.Lstat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		s, err := src.readAll()
		if errors.Is(err, ErrNoConfig) && info != nil {
			return nil, fmt.Errorf("%s is a symbolic link to a file that does not exist", path)
		}
		return s, err
	}
	if src.namesConfig() {
		return nil, fmt.Errorf("%s: %w", path, ErrNoConfig)
	}
	s, err := src.make(path, random)
	if err != nil {
		return nil, err
	}
	if folder := filepath.Dir(path); s.DataDir != folder {
		return nil, fmt.Errorf("%s: %w (dbdir=… does not say where it is, --datadir does)", path, ErrNoConfig)
	}
	return s, s.readCoins(src)
}

func (src Sources) readAll() (*Settings, error) {
	s, err := Read(src)
	if err != nil {
		return nil, err
	}
	return s, s.readCoins(src)
}

// make returns a config that is not yet written.
func (src Sources) make(path string, random io.Reader) (*Settings, error) {
	fresh, err := src.fresh(random)
	if err != nil {
		return nil, err
	}
	s := &Settings{Config: fresh, ConfigFile: path, NewChain: src.NewChain, fresh: &fresh}
	if err := s.apply(src); err != nil {
		return nil, err
	}
	if err := s.Config.Validate(); err != nil {
		return nil, err
	}
	fresh.Chain.Options = s.Config.Chain.Options // a store is tied to the chain of its first start
	return s, nil
}

// Give sets keys of new settings, which Save writes.
func (s *Settings) Give(values map[string]string) error {
	if s.fresh == nil {
		return fmt.Errorf("%s %w", s.ConfigFile, ErrExists)
	}
	return s.fresh.Override(values)
}

// NameWallet makes new settings name a wallet, which contains the recovery phrase instead of the config.
func (s *Settings) NameWallet(name string) {
	for _, c := range []*config.Config{&s.Config, s.fresh} {
		c.WalletName, c.Passphrase = name, config.Secret{}
	}
}

// RequireStore makes new settings require the store from the second start on.
func (s *Settings) RequireStore() {
	s.Config.RequireStore, s.fresh.RequireStore = true, true
}

// IsNew reports whether the config file does not exist yet, so that Save writes it.
func (s *Settings) IsNew() bool { return s.fresh != nil }

// HasGivenKey reports whether the passphrase comes from the environment.
func (s *Settings) HasGivenKey() bool {
	return s.fresh != nil && s.Config.Passphrase.IsSet() && !s.fresh.Passphrase.IsSet()
}

// Save writes the config file of new settings. If the file has been created in the meantime, Save fails with
// ErrExists and does not change it. Save removes incomplete files of killed processes.
func (s *Settings) Save() error {
	if s.fresh == nil {
		return atomicfile.RemoveHalves(s.ConfigFile)
	}
	if err := writeNew(s.ConfigFile, s.fresh); err != nil {
		return err
	}
	s.fresh = nil
	return nil
}

// Read reads the settings of an existing node, without the coins file, and writes
// nothing. Without a config file it needs the conf file of a daemon, or fails with
// ErrNoConfig.
func Read(src Sources) (*Settings, error) {
	if src.ConfigText != nil {
		return src.given()
	}
	path, err := src.configPath()
	if err != nil {
		return nil, err
	}
	s, err := src.empty(path)
	if err != nil {
		return nil, err
	}
	if err := s.readConfig(path); err != nil && !(errors.Is(err, ErrNoConfig) && src.ConfFile != "") {
		return nil, err
	}
	return s, s.apply(src)
}

// apply applies the sources that take precedence over the config file.
func (s *Settings) apply(src Sources) (err error) {
	if s.DataDir, err = src.dataDir(s.Config.DBDir); err != nil {
		return err
	}
	if err := s.readConf(src.ConfFile); err != nil {
		return err
	}
	secrets, err := src.secrets(s)
	if err != nil {
		return err
	}
	if err := s.Config.Override(secrets); err != nil {
		return err
	}
	if err := s.Config.Override(src.Overrides); err != nil {
		return err
	}
	if src.Getenv(foreignConfigEnv) != "" && !src.foreignConfig() {
		s.Warnings = append(s.Warnings, foreignConfigEnv+" is not looked at: the config file is "+s.ConfigFile)
	}
	s.Warnings = slices.Concat(s.Warnings, src.Warnings, s.Config.Warnings(), s.Config.Risks())
	s.DataDir, err = src.dataDir(s.Config.DBDir)
	return err
}

// empty returns settings with the defaults alone.
func (src Sources) empty(path string) (*Settings, error) {
	s := &Settings{Config: config.Default(), ConfigFile: path, NewChain: src.NewChain}
	return s, s.Config.Override(src.Defaults)
}

// given reads a config that is not a file. Its paths are relative to the working folder.
func (src Sources) given() (*Settings, error) {
	folder, err := filepath.Abs("")
	if err != nil {
		return nil, err
	}
	s, err := src.empty("config argument")
	if err != nil {
		return nil, err
	}
	if err := s.take(src.ConfigText, s.ConfigFile, folder); err != nil {
		return nil, err
	}
	return s, s.apply(src)
}

func (s *Settings) readConfig(path string) error {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, ErrNoConfig)
	}
	if err != nil {
		return err
	}
	if err := s.take(data, path, filepath.Dir(path)); err != nil {
		return err
	}
	s.warnOfMode(path)
	return nil
}

// take reads the text of a config. Its paths are relative to folder.
func (s *Settings) take(data []byte, path, folder string) error {
	s.text = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors write a byte order mark before the JSON
	ignored, err := s.Config.Merge(s.text)
	if err != nil && looksLikeConf(s.text) {
		return fmt.Errorf("%s looks like a komodod conf file, which --conf takes; the config is a JSON object", path)
	}
	if err != nil {
		return s.located(err)
	}
	s.anchor(folder)
	for _, line := range ignored.Lines() {
		s.Warnings = append(s.Warnings, path+": "+line)
	}
	return nil
}

// located adds the line and column to an error about the config file.
func (s *Settings) located(err error) error {
	if line, column, ok := config.Position(s.text, err); ok {
		return fmt.Errorf("%s:%d:%d: %w", s.ConfigFile, line, column, err)
	}
	return fmt.Errorf("%s: %w", s.ConfigFile, err)
}

// fresh returns a config with new secrets, except those that the environment contains, because a
// second value in the file would be misleading.
func (src Sources) fresh(random io.Reader) (config.Config, error) {
	c := config.Default()
	if err := c.FillSecrets(random); err != nil {
		return c, err
	}
	given, err := src.secrets(new(Settings))
	if err != nil {
		return c, err
	}
	for key := range given {
		given[key] = ""
	}
	return c, c.Override(given)
}

// Init returns the config that `obverse init` writes, with the chain options of the sources and
// daemon.komodo_conf.
func Init(src Sources, random io.Reader) (*Settings, error) {
	path, err := src.configPath()
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s %w", path, ErrExists)
	}
	s, err := src.make(path, random)
	if err == nil {
		s.fresh.Daemon.KomodoConf = s.Config.Daemon.KomodoConf
	}
	return s, err
}

// ConfigError means that the config cannot be used.
type ConfigError struct{ Err error }

func (e ConfigError) Error() string { return e.Err.Error() }
func (e ConfigError) Unwrap() error { return e.Err }

// CookieUser is the user name for a cookie, as in bitcoind and komodod.
const CookieUser = "__cookie__"

// Credential is a user and a password of the daemon API.
type Credential struct{ User, Password string }

// Credential returns the config's credential for the daemon API, or the cookie if the config has
// no password.
func (s *Settings) Credential() Credential {
	if d := &s.Config.Daemon; d.RPCPassword.IsSet() {
		return Credential{d.RPCUser, d.RPCPassword.Reveal()}
	}
	return Credential{CookieUser, s.Cookie.Reveal()}
}
