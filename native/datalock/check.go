package datalock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkFile refuses a lock file that another user may have created.
func checkFile(path string) error {
	err := checkInfo(path, func() (fs.FileInfo, error) { return os.Lstat(path) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func checkInfo(path string, stat func() (fs.FileInfo, error)) error {
	info, err := stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("lock file %s must be a regular file, got %s: remove it", path, kindOf(info.Mode()))
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink > 1 {
		return fmt.Errorf("lock file %s has another name too (a hard link): remove it", path)
	}
	return nil
}

func kindOf(mode fs.FileMode) string {
	switch mode.Type() {
	case fs.ModeSymlink:
		return "a symbolic link"
	case fs.ModeDir:
		return "a folder"
	case fs.ModeNamedPipe:
		return "a pipe"
	}
	return "a device or socket"
}

// checkFolder refuses a data folder in which every user may replace files, such as the
// config with its passphrase, and returns warnings if some other users may.
func checkFolder(dir string) (warnings []string, err error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	mode := info.Mode()
	switch {
	case mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0:
		return nil, fmt.Errorf("every user may write to the data folder %s, and replace the files in it: run `chmod o-w %s`, or use a folder inside of it", dir, dir)
	case mode.Perm()&0o002 != 0:
		warnings = append(warnings, "every user may put files into the data folder "+dir+": use a folder inside of it")
	case mode.Perm()&0o020 != 0:
		warnings = append(warnings, "its group may write to the data folder "+dir+", and replace the files in it: chmod g-w forbids that")
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() {
		warnings = append(warnings, fmt.Sprintf("the data folder %s belongs to another user (uid %d), who may replace the files in it", dir, owner.Uid))
	}
	return warnings, nil
}
