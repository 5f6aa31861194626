package bunt

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const private = 0o600 // the store contains identity keys

// file is the part of a file that the log uses. It is an interface so that tests can count,
// block and break operations, and lose writes.
type file interface {
	io.ReaderAt
	io.WriterAt
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Close() error
}

// disk is a collection of files.
type disk interface {
	// open opens a file for reading and writing. The flag is os.O_CREATE, os.O_TRUNC or 0.
	open(path string, flag int) (file, error)
	rename(from, to string) error
	remove(path string) error
	// syncFolder makes the creation, renaming or removal of path durable.
	syncFolder(path string) error
}

// osDisk is the disk of the machine.
type osDisk struct{}

func (osDisk) open(path string, flag int) (file, error) {
	f, err := os.OpenFile(path, flag|os.O_RDWR, private)
	if err != nil {
		return nil, err // f would be a nil pointer in a non-nil interface
	}
	return f, nil
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) remove(path string) error { return os.Remove(path) }

// syncFolder does nothing on platforms that do not support it.
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

// File returns the path of the file to which path refers. It follows symbolic links, because a
// file renamed to the name of a link would replace the link and leave the old file in place.
func File(path string) string {
	const maxLinks = 40 // Linux follows at most as many
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
