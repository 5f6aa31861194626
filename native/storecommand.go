package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"obverse/core/store/bunt"
	"obverse/native/instance"
	"obverse/native/settings"
	"obverse/native/storefile"
	"obverse/native/walletdir"
)

// store runs `obverse store check`, `backup FILE` and `restore FILE`.
func (p *program) store(args []string) error {
	a, words, err := p.storeArguments(args)
	if err != nil {
		return err
	}
	if a.help || len(words) == 0 {
		return p.help(helpStore)
	}
	want := map[string]int{"check": 1, "backup": 2, "restore": 2}[words[0]]
	switch {
	case want == 0:
		return usage("store knows check, backup FILE and restore FILE; `obverse store --help` shows details")
	case len(words) != want:
		return usage("store %s takes %d file; `obverse store --help` shows details", words[0], want-1)
	case a.flags["force"] && words[0] != "backup":
		return usage("--force is an option of store backup")
	}
	dir, err := settings.Folder(a.sources)
	if err != nil {
		return badConfig{err}
	}
	folder, err := walletdir.StoreFolder(dir, storeName)
	if err != nil {
		return err
	}
	path := bunt.File(filepath.Join(folder, storeName))
	if walletdir.IsFolder(dir) {
		dir = filepath.Dir(dir) // where a node locks
	}
	switch words[0] {
	case "check":
		return p.storeCheck(dir, path)
	case "backup":
		return p.storeBackup(path, words[1], a.flags["force"])
	}
	return p.storeRestore(dir, path, words[1])
}

// storeArguments takes options before, between and behind the words.
func (p *program) storeArguments(args []string) (a arguments, words []string, err error) {
	var options []string
	for {
		a, err = p.parse(append(options, args...), takesStore)
		if err != nil || len(a.words) == 0 {
			return a, words, err
		}
		words = append(words, a.words[0])
		options = append(options, args[:len(args)-len(a.words)]...)
		args = a.words[1:]
	}
}

func (p *program) storeCheck(dir, path string) error {
	r, err := storefile.Check(path, p.progress("checked"))
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "file          %s\nformat        %d", path, r.Format)
	if r.Format == 1 {
		fmt.Fprint(p.stdout, ", without checksums: the next start upgrades it")
	}
	fmt.Fprintf(p.stdout, "\nbytes         %d\nbatches       %s\nkeys          %d\nacknowledged  %s\n",
		r.Size, known(r, int64(r.Batches)), r.Keys, known(r, r.Durable))
	for _, d := range r.Damages {
		what := "damaged, and was acknowledged"
		if !d.Acknowledged {
			what = "unfinished, and never acknowledged: the next start cuts it off"
		}
		fmt.Fprintf(p.stdout, "bytes %d to %d: %s\n", d.From, d.To, what)
	}
	if r.More > 0 {
		fmt.Fprintf(p.stdout, "and %d more such places\n", r.More)
	}
	if running, yes := instance.Find(dir); yes {
		fmt.Fprintf(p.stderr, "a node is running, pid %d: what is unfinished may be what it is writing\n", running.PID)
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%s: %w; `obverse store restore FILE` brings back a backup", path, err)
	}
	return nil
}

// known is a figure that files of format 1 do not have.
func known(r bunt.Report, n int64) string {
	if r.Format == 1 {
		return "not known"
	}
	return fmt.Sprint(n)
}

func (p *program) storeBackup(path, target string, force bool) error {
	r, err := storefile.Backup(path, target, force, p.progress("copied and checked"))
	if errors.Is(err, storefile.ErrExists) {
		err = fmt.Errorf("%w; --force replaces it", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %d bytes, %d keys\n", target, r.End, r.Keys)
	return err
}

func (p *program) storeRestore(dir, path, backup string) error {
	release, err := lockStore(dir, path)
	if err != nil {
		return err
	}
	defer release()
	aside, err := storefile.Restore(backup, path, p.progress("copied and checked"))
	if err != nil {
		return err
	}
	if aside != "" {
		fmt.Fprintln(p.stdout, "the store that was there is", aside)
	}
	_, err = fmt.Fprintln(p.stdout, "restored", path)
	return err
}

// progress tells of files that take a while.
func (p *program) progress(done string) storefile.Progress {
	const step = 256 << 20
	next := int64(step)
	return func(bytes, total int64) {
		if bytes >= next {
			next = bytes + step
			fmt.Fprintf(p.stderr, "%s %d of %d MiB\n", done, bytes>>20, total>>20)
		}
	}
}

// lockStore locks the data folder and the folder of the store's file.
func lockStore(dir, path string) (release func(), err error) {
	lock, err := instance.Acquire(dir)
	if err != nil {
		return nil, err
	}
	other, err := lockElsewhere(dir, path)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return func() { _ = errors.Join(other(), lock.Release()) }, nil // the process ends anyway
}

// lockElsewhere locks the folder that the store's file is in, if a symbolic link leads
// there: another data folder may lead there too.
func lockElsewhere(dir, path string) (release func() error, err error) {
	here, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	there, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if os.SameFile(here, there) {
		return func() error { return nil }, nil
	}
	lock, err := instance.Acquire(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return lock.Release, nil
}
