// Package storefile reads the file of a store, copies it and replaces it with a copy. It does
// not decode records; core/store/bunt does.
//
// Invariant: at any moment, even after a power cut, the store's name leads to the complete old file or
// to the complete new one.
package storefile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"obverse/core/store/bunt"
	"obverse/native/atomicfile"
)

// Errors of Backup and Restore, in addition to those of files and of package bunt.
var (
	// ErrExists means that a backup would replace a file.
	ErrExists = errors.New("the file exists already")
	// ErrNotWhole means that a file is an incomplete backup.
	ErrNotWhole = errors.New("not a whole backup")
	// ErrSame means that a store would be copied over itself while a node may use it.
	ErrSame = errors.New("this is the store itself, name another file")
	// ErrOther means that a backup would replace a file that is not a copy of a store.
	ErrOther = errors.New("not a copy of a store, and is not replaced")
	// ErrNotAFile means that a path leads to a folder, a pipe or another kind of file.
	ErrNotAFile = errors.New("not a regular file")
)

// Change modifies a copy of a store before the copy gets its name, and reports whether it has
// modified the copy. The copy contains no remains of deleted values.
type Change func(*bunt.DB) (changed bool, err error)

// Progress is called from time to time with the number of bytes that were read and the total.
type Progress func(done, total int64)

// Check reads the store at path. A node may be running on it.
func Check(path string, progress Progress) (r bunt.Report, err error) {
	f, err := regular(path)
	if err != nil {
		return r, err
	}
	defer f.Close()
	return check(f, progress)
}

// regular opens a regular file for reading. It checks the kind of the file first, because opening a pipe
// would wait for a writer.
func regular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, ErrNotAFile)
	}
	return os.Open(path)
}

// distinct fails if both paths lead to the same file.
func distinct(a, b string) error {
	one, err := os.Stat(a)
	if err != nil {
		return err
	}
	if other, err := os.Stat(b); err == nil && os.SameFile(one, other) {
		return fmt.Errorf("%s: %w", b, ErrSame)
	}
	return nil
}

func check(f *os.File, progress Progress) (r bunt.Report, err error) {
	var total int64
	size := func() (int64, error) {
		info, err := f.Stat()
		if err == nil {
			total = info.Size()
		}
		return total, err
	}
	r, err = bunt.Check(f, size, func(done int64) { progress(done, total) })
	if err != nil {
		return r, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return r, nil
}

// Backup copies the store at path, which a node may be using, to target. The copy contains
// every change that was acknowledged before the call. Backup verifies the copy, and renames it to target when it
// is durable. An existing target is replaced only with force, and only if it is a copy of a store that
// no process uses, because a mistyped name must not replace a config or a wallet. change may be nil.
func Backup(path, target string, force bool, progress Progress, change Change) (r bunt.Report, err error) {
	if _, err := os.Lstat(target); !force && !errors.Is(err, fs.ErrNotExist) {
		return r, errors.Join(fmt.Errorf("%s: %w", target, ErrExists), err)
	}
	if err := cmp.Or(distinct(path, target), replaceable(target)); err != nil {
		return r, err
	}
	from, err := regular(path)
	if err != nil {
		return r, err
	}
	defer from.Close()
	to, err := copied(from, target)
	if err != nil {
		return r, err
	}
	r, err = check(to, progress)
	if err == nil {
		err = r.Err()
	}
	if err == nil {
		err = bunt.Finish(to, r)
	}
	if err == nil && change != nil {
		if to, err = changed(to, change); err == nil {
			r, err = check(to, progress)
		}
	}
	return r, atomicfile.Finish(to, target, err)
}

// replaceable fails if path is an existing file that a backup must not replace.
func replaceable(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", path, ErrNotAFile)
	}
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	start := make([]byte, 64)
	n, err := io.ReadFull(file, start)
	switch {
	case errors.Is(err, io.EOF): // the file is empty
		return nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case !bunt.IsLog(start[:n]):
		return fmt.Errorf("%s: %w", path, ErrOther)
	}
	var lock Lock
	return errors.Join(lock.Take(path), lock.Release())
}

// changed applies change to a copy that has no name yet. It returns an open file also if it fails.
func changed(file *os.File, change Change) (*os.File, error) {
	err := file.Close()
	if err == nil {
		err = changeStore(file.Name(), change)
	}
	again, reopened := os.OpenFile(file.Name(), os.O_RDWR, 0)
	if reopened != nil {
		return file, errors.Join(err, reopened)
	}
	return again, err
}

func changeStore(path string, change Change) error {
	db, err := bunt.Open(path)
	if err != nil {
		return err
	}
	changed, err := change(db)
	if err == nil && changed {
		err = db.Shrink(context.Background()) // until then, the log contains the deleted rows
	}
	return errors.Join(err, db.Close())
}

// Restore replaces the store at path, which must not be in use, with a copy of the backup. It
// returns the new name of the previous store, or "" if there was none. change may be nil.
func Restore(backup, path string, progress Progress, change Change) (replaced string, err error) {
	if err := distinct(backup, path); err != nil {
		return "", err
	}
	from, err := regular(backup)
	if err != nil {
		return "", err
	}
	defer from.Close()
	if err := atomicfile.RemoveHalves(path); err != nil {
		return "", fmt.Errorf("remove the files of a killed restore: %w", err)
	}
	to, err := copied(from, path)
	if err != nil {
		return "", err
	}
	r, err := check(to, progress)
	if err == nil {
		err = r.Err()
	}
	if err == nil && len(r.Damages) > 0 {
		err = fmt.Errorf("bytes %d to %d: %w", r.Damages[0].From, r.Damages[0].To, ErrNotWhole)
	}
	if err == nil && change != nil {
		to, err = changed(to, change)
	}
	if err == nil {
		replaced, err = preserve(path)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", backup, err)
	}
	return replaced, atomicfile.Finish(to, path, err)
}

// copied returns a copy of a file, in the folder of target, that has no name yet.
func copied(from *os.File, target string) (*os.File, error) {
	to, err := atomicfile.New(target)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(to, from); err != nil {
		return nil, errors.Join(err, to.Close(), os.Remove(to.Name()))
	}
	return to, nil
}

// Mentions reports whether a store's file contains a key, which may have been deleted since. It
// reads the file without loading the store.
func Mentions(file io.Reader, key string) (bool, error) {
	word := []byte("\r\n" + key + "\r\n")
	buffer := make([]byte, 1<<20)
	for carried := 0; ; {
		n, err := file.Read(buffer[carried:])
		if bytes.Contains(buffer[:carried+n], word) {
			return true, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		end := carried + n
		carried = copy(buffer, buffer[max(0, end-len(word)):end])
	}
}

// Keep copies the store at path, which a node may be using, to a new name in the same folder, and returns
// the name.
func Keep(path string) (name string, err error) {
	for n := 1; n <= maxReplaced; n++ {
		name = replacedName(path, n)
		_, err = Backup(path, name, false, func(int64, int64) {}, nil)
		if !errors.Is(err, ErrExists) {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("keep a copy of the store: %w", err)
	}
	return name, nil
}

func replacedName(path string, n int) string { return fmt.Sprintf("%s.replaced-%d", path, n) }

// maxReplaced limits the number of former stores that restores have left.
const maxReplaced = 100

// preserve gives the file at path a second name, and returns it.
func preserve(path string) (name string, err error) {
	for n := 1; n <= maxReplaced; n++ {
		name = replacedName(path, n)
		err = os.Link(path, name)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("keep the previous store: %d files named %s.replaced-N exist already: move some of them away", maxReplaced, path)
	}
	if err != nil {
		return "", fmt.Errorf("keep the previous store: %w", err)
	}
	return name, atomicfile.SyncFolder(name)
}

// Tighten restricts a file to its owner, because it contains keys, and reports whether other users
// could open it before. A missing file is not an error.
func Tighten(path string) (wide bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return false, err
	}
	return true, os.Chmod(path, info.Mode().Perm()&0o700)
}
