package bunt

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const private = 0o600 // the store holds identity keys

// file is the part of a file that the log uses. As an interface, it lets tests count, block and
// break operations, and lose writes.
type file interface {
	io.ReaderAt
	io.WriterAt
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Close() error
}

// disk is where files are.
type disk interface {
	// open opens a file for reading and writing; flag is os.O_CREATE, os.O_TRUNC or 0.
	open(path string, flag int) (file, error)
	rename(from, to string) error
	remove(path string) error
	// syncFolder makes the creation, the renaming or the removal of path durable.
	syncFolder(path string) error
}

// osDisk is the machine's.
type osDisk struct{}

func (osDisk) open(path string, flag int) (file, error) {
	f, err := os.OpenFile(path, flag|os.O_RDWR, private)
	if err != nil {
		return nil, err // not f, which is a nil pointer and no nil interface
	}
	return f, nil
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) remove(path string) error { return os.Remove(path) }

// syncFolder does nothing where the platform has no notion of that.
func (osDisk) syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err == nil {
		err = errors.Join(folder.Sync(), folder.Close())
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// File returns the file that path leads to: a symbolic link is followed, since a file that
// is renamed to the link's name would take the place of the link and leave the old one
// where it was.
func File(path string) string {
	const maxLinks = 40 // Linux follows no more
	for range maxLinks {
		target, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path
}
