package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// DataDirEnv names the data folder when --datadir does not.
const DataDirEnv = "OBVERSE_DATADIR"

// Komodo DeFi Framework's variables for its two files, which count where nothing of
// our own names one.
const (
	foreignConfigEnv = "MM_CONF_PATH"
	foreignCoinsEnv  = "MM_COINS_PATH"
)

// foreignConfig reports whether MM_CONF_PATH names the config file.
func (src Sources) foreignConfig() bool {
	return src.Getenv(foreignConfigEnv) != "" && src.ConfigFile == "" && src.DataDir == "" && src.Getenv(DataDirEnv) == ""
}

// namesConfig reports whether the user names the config file, and not the folder it is in.
func (src Sources) namesConfig() bool { return src.ConfigFile != "" || src.foreignConfig() }

func (src Sources) configPath() (string, error) {
	if src.ConfigFile != "" {
		return filepath.Abs(src.ConfigFile)
	}
	if src.foreignConfig() {
		return filepath.Abs(src.Getenv(foreignConfigEnv))
	}
	dir, err := src.dataDir("")
	return filepath.Join(dir, FileName), err
}

// dataDir is --datadir, else the environment's, else the config's dbdir, else
// .obverse in the home folder.
func (src Sources) dataDir(dbdir string) (string, error) {
	for _, dir := range []string{src.DataDir, src.Getenv(DataDirEnv), dbdir} {
		if dir != "" {
			return filepath.Abs(dir)
		}
	}
	if src.HomeDir != "" {
		return filepath.Abs(src.HomeDir)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no home folder for the data (%w): name a folder with --datadir or %s", err, DataDirEnv)
	}
	return filepath.Abs(filepath.Join(home, ".obverse"))
}

// anchor lets the paths in a config file begin at the folder that the file is in, so
// that a node finds its data wherever it is started from.
func (s *Settings) anchor(folder string) {
	s.Config.MapPaths(func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(folder, path)
	})
}

// Folder is the data folder, whether there is a config or not.
func Folder(src Sources) (string, error) {
	s, err := Read(src)
	if errors.Is(err, ErrNoConfig) {
		return src.dataDir("")
	}
	if err != nil {
		return "", err
	}
	return s.DataDir, nil
}
