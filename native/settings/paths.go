package settings

import (
	"fmt"
	"os"
	"path/filepath"
)

// DataDirEnv names the data folder when --datadir does not.
const DataDirEnv = "OBVERSE_DATADIR"

func (src Sources) configPath() (string, error) {
	if src.ConfigFile != "" {
		return filepath.Abs(src.ConfigFile)
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
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no home folder for the data (%w): name a folder with --datadir or %s", err, DataDirEnv)
	}
	return filepath.Join(home, ".obverse"), nil
}
