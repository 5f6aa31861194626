// Package atomicfile writes a file under a temporary name and renames it when all of it is on the
// disk, so that neither a kill, a power loss nor a full disk leaves an incomplete file.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Create writes a file of mode 0600. It fails with fs.ErrExist if the file exists.
func Create(path string, content []byte) error { return write(path, content, os.Link) }

// Replace writes a file of mode 0600, and replaces an existing one. A link is
// replaced, not followed.
func Replace(path string, content []byte) error { return write(path, content, os.Rename) }

func write(path string, content []byte, give func(from, to string) error) error {
	file, err := New(path)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return finish(file, path, err, give)
}

// New creates a file of mode 0600 in the folder of path, which Finish renames to path.
func New(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), halfPrefix(path)+"*"+halfSuffix)
}

// halfSuffix is the end of the names of unfinished files. It distinguishes them from hidden copies that
// a user has made.
const halfSuffix = ".half"

func halfPrefix(path string) string { return "." + filepath.Base(path) + "." }

// isHalf reports whether name is one that New gives to an unfinished file of path.
func isHalf(path, name string) bool {
	number, isPrefixed := strings.CutPrefix(name, halfPrefix(path))
	number, isSuffixed := strings.CutSuffix(number, halfSuffix)
	return isPrefixed && isSuffixed && number != "" && strings.Trim(number, "0123456789") == ""
}

// RemoveHalves removes the unfinished files of path that killed processes have left. No process may be
// writing path. Other files stay, whatever their names.
func RemoveHalves(path string) error {
	files, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) { // nothing can be found
		return nil
	}
	for _, file := range files {
		if isHalf(path, file.Name()) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), file.Name())))
		}
	}
	return err
}

// Finish makes a file durable and renames it to path, where it replaces an existing file. If err is
// not nil, the file is incomplete and is removed.
func Finish(file *os.File, path string, err error) error { return finish(file, path, err, os.Rename) }

func finish(file *os.File, path string, err error, give func(from, to string) error) error {
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = give(file.Name(), path)
	}
	_ = os.Remove(file.Name()) // does nothing if the file was renamed
	if err != nil {
		return err
	}
	return SyncFolder(path)
}

// SyncFolder makes the file names in the folder of path durable.
func SyncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
