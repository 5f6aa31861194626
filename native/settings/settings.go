package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"obverse/core"
)

// FileName is the config's name in the data folder.
const FileName = "obverse.json"

var (
	// ErrNoConfig reports that the config file is not there.
	ErrNoConfig = errors.New("no config file: `obverse init` writes one")
	// ErrNotWritten reports that the config file could not be written, which is no
	// fault of the config.
	ErrNotWritten = errors.New("the config file cannot be written")
)

// Sources is where settings come from. The zero value of a field means that the
// user did not say.
type Sources struct {
	ConfigFile string                   // --config
	ConfFile   string                   // --conf
	DataDir    string                   // --datadir
	Overrides  map[string]string        // key=value, by dotted key
	Getenv     func(name string) string // os.Getenv
}

// Settings is a config, not validated yet, and where things are.
type Settings struct {
	Config     core.Config
	ConfigFile string
	DataDir    string   // absolute
	CoinsFile  string   // the file that Config.CoinList was read from; "" for none
	Created    bool     // the config file was written by this call
	Warnings   []string // one line each
}

// Load reads the settings of a node that is to be started. A config file that is
// missing is written, with secrets from random, once the settings turn out to be
// valid: a start that is refused leaves nothing behind. A file that MM_CONF_PATH names
// is another program's, and is not made.
func Load(src Sources, random io.Reader) (*Settings, error) {
	path, err := src.configPath()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) || src.foreignConfig() {
		return src.readAll()
	}
	fresh, err := src.fresh(random)
	if err != nil {
		return nil, err
	}
	s := &Settings{Config: fresh, ConfigFile: path, Created: true}
	if err := s.apply(src); err != nil {
		return nil, err
	}
	if err := s.Config.Validate(); err != nil {
		return nil, err
	}
	if err := s.readCoins(src); err != nil {
		return nil, err
	}
	err = writeNew(path, &fresh)
	if err == nil {
		return s, nil
	}
	if _, there := os.Stat(path); there == nil {
		return src.readAll() // another process was faster
	}
	return nil, err
}

func (src Sources) readAll() (*Settings, error) {
	s, err := Read(src)
	if err != nil {
		return nil, err
	}
	return s, s.readCoins(src)
}

// Read reads the settings of a node that exists, without the coins file; it writes
// nothing. Without a config file it needs the conf file of a daemon, or fails with
// ErrNoConfig.
func Read(src Sources) (*Settings, error) {
	path, err := src.configPath()
	if err != nil {
		return nil, err
	}
	s := &Settings{Config: core.DefaultConfig(), ConfigFile: path}
	if err := s.readConfig(path); err != nil && !(errors.Is(err, ErrNoConfig) && src.ConfFile != "") {
		return nil, err
	}
	return s, s.apply(src)
}

// apply puts over the config file what comes from elsewhere.
func (s *Settings) apply(src Sources) error {
	if err := s.readConf(src.ConfFile); err != nil {
		return err
	}
	secrets, err := src.secrets()
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
	s.Warnings = append(s.Warnings, s.Config.Warnings()...)
	s.DataDir, err = src.dataDir(s.Config.DBDir)
	return err
}

func (s *Settings) readConfig(path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, ErrNoConfig)
	}
	if err != nil {
		return err
	}
	ignored, err := s.Config.Merge(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s.anchor(filepath.Dir(path))
	for _, line := range ignored.Lines() {
		s.Warnings = append(s.Warnings, path+": "+line)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		s.Warnings = append(s.Warnings, path+" holds secrets and other users may read it; chmod 600 would forbid that")
	}
	return nil
}

// fresh is a config with new secrets, except those that the environment gives: a
// second value in the file would only mislead.
func (src Sources) fresh(random io.Reader) (core.Config, error) {
	config := core.DefaultConfig()
	if err := config.FillSecrets(random); err != nil {
		return config, err
	}
	given, err := src.secrets()
	if err != nil {
		return config, err
	}
	for key := range given {
		given[key] = ""
	}
	return config, config.Override(given)
}

// Init writes a config file with new secrets and returns its path. A file that is
// there already is an error (fs.ErrExist) and stays as it is.
func Init(src Sources, random io.Reader) (path string, err error) {
	path, err = src.configPath()
	if err != nil {
		return "", err
	}
	config, err := src.fresh(random)
	if err != nil {
		return "", err
	}
	return path, writeNew(path, &config)
}

// writeNew fails with ErrNotWritten, and with fs.ErrExist when the file is there.
func writeNew(path string, config *core.Config) error {
	text, err := config.Document()
	if err != nil {
		return err
	}
	if err := writeWhole(path, text); err != nil {
		return fmt.Errorf("%w: %w", ErrNotWritten, err)
	}
	return nil
}

// writeWhole gives the file its name once it is whole, so that neither a full disk nor
// a kill leaves half a config. It does so with a link, which, unlike a rename, fails
// where a file is: that one may hold the only copy of a key.
func writeWhole(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+FileName+".") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Link(file.Name(), path)
}
