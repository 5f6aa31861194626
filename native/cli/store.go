package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"obverse/core/chain/pin"
	"obverse/core/key"
	"obverse/core/key/wallets"
	"obverse/core/store/bunt"
	"obverse/core/store/owner"
	"obverse/native/datalock"
	"obverse/native/node"
	"obverse/native/settings"
	"obverse/native/storefile"
	"obverse/native/walletdir"
)

// storeOptions lists the options of the subcommands of store.
var storeOptions = map[string][]string{"backup": {"force", "chain"}, "restore": {"all"}}

// store runs `obverse store check [FILE]`, `backup FILE` and `restore FILE`.
func (p *program) store(args []string) error {
	a, words, err := p.storeArguments(args)
	if err != nil {
		return err
	}
	if a.help || len(words) == 0 {
		return p.help(helpStore)
	}
	files, known := map[string][2]int{"check": {0, 1}, "backup": {1, 1}, "restore": {1, 1}}[words[0]]
	switch {
	case !known:
		return usage("store knows check [FILE], backup FILE and restore FILE; `obverse store --help` shows details")
	case len(words)-1 < files[0] || len(words)-1 > files[1]:
		return usage("store %s takes %s; `obverse store --help` shows details", words[0], map[int]string{0: "at most one file", 1: "one file"}[files[0]])
	}
	for flag := range a.flags {
		if !slices.Contains(storeOptions[words[0]], flag) {
			return usage("--%s is not an option of store %s; `obverse store --help` shows details", flag, words[0])
		}
	}
	if words[0] == "restore" {
		return p.storeRestore(a, words[1])
	}
	if words[0] == "check" && len(words) == 2 {
		return p.storeCheck("", words[1])
	}
	w, err := p.findStore(a.sources)
	if err != nil {
		return err
	}
	if w.unused != "" {
		fmt.Fprintf(p.stderr, "%s is not the store of this node, which is %s\n", w.unused, w.path())
	}
	if words[0] == "check" {
		return p.storeCheck(w.dir, bunt.File(w.path()))
	}
	return p.storeBackup(bunt.File(w.path()), words[1], a)
}

// storeArguments accepts options before, between and after the words.
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

// storeCheck checks the store of a data folder, or any file if dir is empty.
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
	if dir == "" {
		if err := r.Err(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	if running, found := datalock.Find(dir); found {
		fmt.Fprintf(p.stderr, "a node is running, pid %d: an unfinished write may be in progress\n", running.PID)
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%s: %w; `obverse store restore FILE` brings back a backup", path, err)
	}
	return nil
}

// known returns a figure that is absent in files of format 1.
func known(r bunt.Report, n int64) string {
	if r.Format == 1 {
		return "not known"
	}
	return fmt.Sprint(n)
}

func (p *program) storeBackup(path, target string, a arguments) error {
	var change storefile.Change
	if a.flags["chain"] {
		change = func(db *bunt.DB) (bool, error) { return true, owner.Remove(context.Background(), db) }
	}
	r, err := storefile.Backup(path, target, a.flags["force"], p.progress("copied and checked"), change)
	if errors.Is(err, storefile.ErrExists) {
		err = fmt.Errorf("%w; --force replaces it", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %d bytes, %d keys\n", target, r.End, r.Keys)
	return err
}

func (p *program) storeRestore(a arguments, backup string) error {
	ctx, stop := untilSignal()
	defer stop()
	w, err := p.placeOfRestore(ctx, a.sources)
	if err != nil {
		return err
	}
	defer w.keys.Wipe()
	stop() // a signal ends the copying and leaves the store unchanged
	if a.flags["all"] && !w.isOpen {
		return settings.ConfigError{Err: errors.New("--all needs the node's key: set OBVERSE_WALLET_PASSWORD_FILE to the path of a file that holds the wallet's password")}
	}
	path := bunt.File(w.path())
	release, err := lockStore(w.dir, path)
	if err != nil {
		return err
	}
	defer release()
	found := restored{policy: owner.Policy{Strict: true, All: a.flags["all"]}, place: w}
	previous, err := storefile.Restore(backup, path, p.progress("copied and checked"), found.settle)
	if err != nil {
		return err
	}
	if err := w.record(); err != nil {
		return err
	}
	if previous != "" {
		fmt.Fprintln(p.stdout, "the previous store is", previous)
	}
	found.print(p.stdout)
	_, err = fmt.Fprintln(p.stdout, "restored", path)
	return err
}

// restored describes a restored backup, and whether the node's rows were excluded.
type restored struct {
	policy owner.Policy
	place  storePlace
	chain  string
	maker  string // public key that makes the chain's blocks
	node   owner.Contents
	left   bool
}

// settle excludes the rows of another node. If the key of this node is unknown, its next start
// does.
func (r *restored) settle(db *bunt.DB) (changed bool, err error) {
	ctx := context.Background()
	if r.chain, err = pin.Name(ctx, db); err != nil {
		return false, err
	}
	if r.maker, err = pin.Producer(ctx, db); err != nil {
		return false, err
	}
	if r.node, err = owner.Read(ctx, db); err != nil || !r.place.isOpen {
		return false, err
	}
	r.left, err = owner.Settle(ctx, db, r.place.keys, r.policy)
	return r.left, err
}

// print prints the contents of the backup.
func (r *restored) print(to io.Writer) {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(to, "%-14s%s\n", name, printable(value))
		}
	}
	line("chain", r.chain)
	line("identity", r.node.Identity)
	line("active coins", listed(r.node.Coins))
	line("servers", listed(r.node.Servers))
	if r.isForeign() {
		fmt.Fprintf(to, "the key %s makes the blocks of this chain, and it is not this node's: `obverse serve` refuses the chain, a validator can continue it\n", r.maker)
	}
	switch {
	case r.left:
		fmt.Fprintf(to, "left out the identity, coins and other rows (%d) of the node that wrote the backup, which is not this one: only the chain is restored; --all takes them over\n", r.node.Rows)
	case r.node.Rows > 0 && !r.place.isOpen:
		fmt.Fprintf(to, "the next start leaves out the rows of the node (%d) if another node wrote them\n", r.node.Rows)
	}
}

// isForeign reports whether the maker of the chain's blocks is another key than this node's.
func (r *restored) isForeign() bool {
	if r.maker == "" || !r.place.isOpen || r.place.keys.Node() == nil {
		return false
	}
	public := r.place.keys.Node().PublicKey()
	return r.maker != hex.EncodeToString(public[:])
}

// listed returns the first of many names.
func listed(names []string) string {
	const maxListed = 20
	if len(names) > maxListed {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}

// progress prints the progress for large files.
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

// lockStore locks the data folder and the file of the store, for a command that changes the store.
func lockStore(dir, path string) (release func(), err error) {
	lock, err := datalock.Acquire(dir)
	if err != nil {
		return nil, err
	}
	store, err := node.LockStore(dir, path)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return func() { _ = errors.Join(store.Release(), lock.Release()) }, nil // the process ends anyway
}

// storePlace describes where a command finds a store.
type storePlace struct {
	dir    string // data folder, which a node locks
	folder string // folder of the store: the data folder, or the folder of a wallet in it
	unused string // file in the data folder that looks like the store, although the wallet's store is elsewhere
	// keys holds the node's keys for a restore. It is nil if the node has no key or isOpen is
	// false.
	keys   *key.Ring
	isOpen bool // whether it is known if the node has a key
}

func (w storePlace) path() string { return filepath.Join(w.folder, node.StoreFile) }

// record records that the store exists.
func (w storePlace) record() error {
	return node.RecordStore(&settings.Settings{DataDir: w.dir, StoreDir: w.folder})
}

// findStore returns the store of an existing node. It does not need the password.
func (p *program) findStore(src settings.Sources) (w storePlace, err error) {
	s, err := settings.Read(src)
	if errors.Is(err, settings.ErrNoConfig) {
		return findWithoutConfig(src)
	}
	if err != nil {
		return w, settings.ConfigError{Err: err}
	}
	w.dir = s.DataDir
	if s.Config.WalletName == "" {
		w.folder, err = walletdir.StoreFolder(w.dir, node.StoreFile)
		return w, err
	}
	if unused := filepath.Join(w.dir, node.StoreFile); node.IsStore(unused) {
		w.unused = unused
	}
	switch folders := walletdir.StoreFolders(w.dir, node.StoreFile); len(folders) {
	case 0:
		return w, fmt.Errorf("data folder %s has no store of the wallet %q%s", w.dir, s.Config.WalletName, w.butUnused())
	case 1:
		w.folder = folders[0]
		return w, nil
	default:
		return w, walletdir.AmbiguousStore(w.dir, folders)
	}
}

// butUnused names a file that looks like the store.
func (w storePlace) butUnused() string {
	if w.unused == "" {
		return ""
	}
	return fmt.Sprintf("; %s is not used: move it out of the folder, and restore it with `obverse store restore FILE`", w.unused)
}

// findWithoutConfig returns the store in a data folder, or in the folder of a wallet.
func findWithoutConfig(src settings.Sources) (w storePlace, err error) {
	if w.dir, err = settings.Folder(src); err != nil {
		return w, settings.ConfigError{Err: err}
	}
	w.folder, err = walletdir.StoreFolder(w.dir, node.StoreFile)
	if walletdir.IsFolder(w.dir) {
		w.dir = filepath.Dir(w.dir)
	}
	return w, err
}

// placeOfRestore returns the place of the store that the next start opens.
func (p *program) placeOfRestore(ctx context.Context, src settings.Sources) (w storePlace, err error) {
	s, err := settings.Read(src)
	if errors.Is(err, settings.ErrNoConfig) {
		if w, err = findWithoutConfig(src); err == nil && w.folder == w.dir {
			return w, settings.ConfigError{Err: fmt.Errorf("the config of the data folder %s is missing, so that the place of its store is not known: "+
				"copy obverse.json back first, and with a named wallet its NAME.json", w.dir)}
		}
		return w, err
	}
	if err != nil {
		return w, settings.ConfigError{Err: err}
	}
	return p.openStorePlace(ctx, s)
}

// openStorePlace returns the store of the node's key. It may prompt for the wallet's password.
func (p *program) openStorePlace(ctx context.Context, s *settings.Settings) (w storePlace, err error) {
	c := &s.Config
	w.dir = s.DataDir
	if c.WalletName != "" {
		if _, err := walletFile(ctx, s, c.WalletName); errors.Is(err, wallets.ErrNotFound) {
			return w, settings.ConfigError{Err: fmt.Errorf("the file %s of the wallet that the config names is missing: copy it back first, since its key names the folder of the store",
				filepath.Join(s.DataDir, c.WalletName+".json"))}
		} else if err != nil {
			return w, wallets.OpenError{Cause: err}
		}
		if _, terminal := p.findTerminal(); !terminal && !c.WalletPassword.IsSet() {
			return w.withoutPassword(ctx, s)
		}
	}
	if err := p.forWallet(ctx, s); err != nil {
		return w, err
	}
	if err := openWallet(ctx, s); err != nil {
		return w, err
	}
	w.folder, w.isOpen = s.StoreDir, true
	if c.Passphrase.IsSet() {
		w.keys, err = key.Open(c.Passphrase.Reveal(), c.EnableHD)
	}
	return w, err
}

// withoutPassword returns the only folder that can belong to the wallet.
func (w storePlace) withoutPassword(ctx context.Context, s *settings.Settings) (storePlace, error) {
	folders := walletdir.StoreFolders(s.DataDir, node.StoreFile)
	names, err := walletdir.New(s.DataDir, settings.FileName).Names(ctx)
	if err != nil {
		return w, err
	}
	if len(folders) != 1 || len(names) != 1 {
		return w, settings.ConfigError{Err: fmt.Errorf("the folder of the store of the wallet %q is named by its key: run this at a terminal, which asks for its password, "+
			"or set OBVERSE_WALLET_PASSWORD_FILE to the path of a file that holds it", s.Config.WalletName)}
	}
	w.folder = folders[0]
	return w, nil
}
