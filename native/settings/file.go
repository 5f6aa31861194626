package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"obverse/core/config"
	"obverse/native/atomicfile"
)

// maxFile limits configs, conf files and secrets to many times their usual size.
const maxFile = 1 << 20

// readFile reads a small file, which may be a pipe.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxFile)
	}
	return data, err
}

// warnOfMode adds a warning if other users can read or change a file with secrets.
func (s *Settings) warnOfMode(path string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	warn := func(text string) { s.Warnings = append(s.Warnings, path+" "+text) }
	switch mode := info.Mode().Perm(); {
	case mode&0o022 != 0:
		warn("holds secrets and other users may write to it; chmod 600 would forbid that")
	case mode&0o044 != 0:
		warn("holds secrets and other users may read it; chmod 600 would forbid that")
	}
	if folder, err := os.Stat(filepath.Dir(path)); err == nil && folder.Mode().Perm()&0o002 != 0 && folder.Mode()&fs.ModeSticky == 0 {
		warn("is in a folder that every user may write to, and can be replaced; chmod o-w would forbid that")
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() {
		warn(fmt.Sprintf("belongs to another user (uid %d), who may change it", owner.Uid))
	}
}

// writeNew writes a config. It fails with ErrNotWritten, or with ErrExists if the file exists.
func writeNew(path string, config *config.Config) error {
	text, err := config.Document()
	if err != nil {
		return err
	}
	err = writeWhole(path, text)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w", path, ErrExists)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotWritten, err)
	}
	return nil
}

// writeWhole writes a config and replaces no file, because an existing file may contain the only copy of a
// key.
func writeWhole(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := atomicfile.RemoveHalves(path); err != nil {
		return err
	}
	return atomicfile.Create(path, text)
}

// DataDirEnv is the environment variable for the data folder, if there is no --datadir.
const DataDirEnv = "OBVERSE_DATADIR"

// Komodo DeFi Framework's variables for its two files. They are used if no option or setting of Obverse
// names the file.
const (
	foreignConfigEnv = "MM_CONF_PATH"
	foreignCoinsEnv  = "MM_COINS_PATH"
)

// foreignConfig reports whether MM_CONF_PATH names the config file.
func (src Sources) foreignConfig() bool {
	return src.Getenv(foreignConfigEnv) != "" && src.ConfigFile == "" && src.DataDir == "" && src.Getenv(DataDirEnv) == ""
}

// namesConfig reports whether the user has named the config file, and not only its folder.
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

// dataDir returns --datadir, else the environment's folder, else the config's dbdir, else
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

// anchor makes the paths in a config file relative to the file's folder, so
// that a node finds its data wherever it is started from.
func (s *Settings) anchor(folder string) {
	s.Config.MapPaths(func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(folder, path)
	})
}

// Folder returns the data folder, whether it contains a config or not.
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
