// Package walletdir stores named wallets in the data folder, each in a file NAME.json, as
// Komodo DeFi Framework does, so that both programs find the wallets.
//
// Invariant: at any moment, even after a power cut, a wallet's name leads to one complete file.
package walletdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"obverse/core/key/wallets"
	"obverse/native/atomicfile"
)

// maxFile limits the size of a wallet file, which is usually less than a kilobyte.
const maxFile = 64 << 10

const extension = ".json"

// Dir is a folder of wallet files. It implements wallets.Store.
type Dir struct {
	path  string
	other string // the name of a file that is not a wallet
}

// New returns the wallets in a folder. The file other is not one of them.
func New(path, other string) *Dir { return &Dir{path, other} }

// Names implements wallets.Store.
func (d *Dir) Names(context.Context) (names []string, err error) {
	files, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, file := range files {
		name, is := strings.CutSuffix(file.Name(), extension)
		if _, err := wallets.Name(name); !is || err != nil || file.IsDir() || file.Name() == d.other {
			continue
		}
		names = append(names, name)
	}
	return names, nil
}

// Read implements wallets.Store.
func (d *Dir) Read(_ context.Context, name string) ([]byte, error) {
	path, err := d.existing(name)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Create implements wallets.Store. Names that differ only in case are the same file on many systems. The
// second one is refused on all systems, so that a folder can be moved.
func (d *Dir) Create(_ context.Context, name string, text []byte) error {
	path, err := d.file(name)
	if err != nil {
		return err
	}
	if other, err := d.otherCase(filepath.Base(path)); err != nil {
		return err
	} else if strings.EqualFold(filepath.Base(path), d.other) {
		return reservedError{d.other}
	} else if other != "" {
		return fmt.Errorf("%w, as %q: names must differ in more than case", wallets.ErrExists, strings.TrimSuffix(other, extension))
	}
	err = d.write(name, text, atomicfile.Create)
	if errors.Is(err, fs.ErrExist) {
		return wallets.ErrExists
	}
	return err
}

// Replace implements wallets.Store.
func (d *Dir) Replace(_ context.Context, name string, text []byte) error {
	if _, err := d.existing(name); err != nil {
		return err
	}
	if err := d.removeHalves(name); err != nil { // an error after the write would hide that the file has been replaced
		return err
	}
	return d.write(name, text, atomicfile.Replace)
}

// Remove implements wallets.Store.
func (d *Dir) Remove(_ context.Context, name string) error {
	path, err := d.existing(name)
	if err != nil {
		return err
	}
	if err := d.removeHalves(name); err != nil {
		return err
	}
	err = os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return wallets.ErrNotFound
	}
	return errors.Join(err, atomicfile.SyncFolder(path))
}

// removeHalves removes incomplete files of a wallet that killed processes have left, which a former
// password may open.
func (d *Dir) removeHalves(name string) error {
	path, err := d.file(name)
	if err != nil {
		return err
	}
	return atomicfile.RemoveHalves(path)
}

// file returns the path of a wallet's file, which is always inside the folder.
func (d *Dir) file(name string) (string, error) {
	valid, err := wallets.Name(name)
	if err != nil {
		return "", err
	}
	if valid+extension == d.other {
		return "", reservedError{d.other}
	}
	return filepath.Join(d.path, valid+extension), nil
}

// reservedError refuses the name of a file that is not a wallet file.
type reservedError struct{ file string }

func (e reservedError) Error() string {
	return "the name is reserved for the node's own file " + e.file + ", want another name"
}

// Is reports whether target is wallets.ErrName.
func (reservedError) Is(target error) bool { return target == wallets.ErrName }

// existing returns the path of a wallet's existing file. It fails if the name of the file on the disk differs in
// case, which a system that ignores case would open too, because that file is another
// wallet.
func (d *Dir) existing(name string) (string, error) {
	path, err := d.file(name)
	if err != nil {
		return "", err
	}
	other, err := d.otherCase(filepath.Base(path))
	if err == nil && other != "" {
		err = wallets.ErrNotFound
	}
	if err == nil {
		err = checkFile(path)
	}
	return path, err
}

// checkFile refuses a file that is not a wallet file. It also refuses a symbolic link, because a new
// password, or a deletion, would not change the target of the link.
func checkFile(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wallets.ErrNotFound
	case err != nil:
		return err
	case info.Mode().Type() == fs.ModeSymlink:
		return fmt.Errorf("%s is a symbolic link, want the wallet file itself: move the file that it leads to here", path)
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return fmt.Errorf("%s is not a wallet file: want a regular file of at most %d bytes", path, maxFile)
	}
	return nil
}

// otherCase returns a file with a name that differs only in case; "" if there is also a file with this exact
// name, or no such file.
func (d *Dir) otherCase(base string) (other string, err error) {
	files, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, file := range files {
		switch {
		case file.Name() == base:
			return "", nil
		case strings.EqualFold(file.Name(), base):
			other = file.Name()
		}
	}
	return other, nil
}

func (d *Dir) write(name string, text []byte, write func(path string, content []byte) error) error {
	path, err := d.file(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return err
	}
	return write(path, text)
}
