// Package atomicfile gives a file its name once all of it is on the disk, so that neither a kill,
// a power loss nor a full disk leaves half of one under the name.
package atomicfile

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

// New creates a file next to path, of mode 0600, which Finish gives the name.
func New(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), halfPrefix(path)+"*"+halfSuffix)
}

// halfSuffix ends the names of unfinished files. A hidden copy that a user made of a file has
// another name.
const halfSuffix = ".half"

func halfPrefix(path string) string { return "." + filepath.Base(path) + "." }

// isHalf reports whether name is one that New gives to an unfinished file of path.
func isHalf(path, name string) bool {
	number, isPrefixed := strings.CutPrefix(name, halfPrefix(path))
	number, isSuffixed := strings.CutSuffix(number, halfSuffix)
	return isPrefixed && isSuffixed && number != "" && strings.Trim(number, "0123456789") == ""
}

// RemoveHalves removes the unfinished files of path that killed processes have left. None may be
// writing there. Other files, whatever their names, stay.
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

// SyncFolder makes the names next to path survive a power loss.
func SyncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
