// Package wholefile gives a file its name once all of it is on the disk, so that neither a kill,
// a power loss nor a full disk leaves half of one under the name.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Create writes a file of mode 0600. It fails with fs.ErrExist where there is one.
func Create(path string, content []byte) error { return write(path, content, os.Link) }

// Replace writes a file of mode 0600, in the place of one that may be there. A link there is
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

// New creates a file beside path, of mode 0600, which Finish gives the name.
func New(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), HalfPrefix(path))
}

// HalfPrefix begins the names of files that a killed process may have left beside path.
func HalfPrefix(path string) string { return "." + filepath.Base(path) + "." }

// RemoveHalves removes what killed processes left beside path. None may be writing there.
func RemoveHalves(path string) error {
	files, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, file := range files {
		if strings.HasPrefix(file.Name(), HalfPrefix(path)) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), file.Name())))
		}
	}
	return err
}

// Finish makes a file durable and gives it a name, in the place of one that may be there, or
// removes it if err is why it is not whole.
func Finish(file *os.File, path string, err error) error { return finish(file, path, err, os.Rename) }

func finish(file *os.File, path string, err error, give func(from, to string) error) error {
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = give(file.Name(), path)
	}
	_ = os.Remove(file.Name()) // a renamed one is gone
	if err != nil {
		return err
	}
	return SyncFolder(path)
}

// SyncFolder makes the names beside path last over a power loss.
func SyncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
