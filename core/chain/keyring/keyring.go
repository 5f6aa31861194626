package keyring

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/script"
	"obverse/core/key"
	"obverse/core/store"
)

// Lookahead is the number of keys of each branch that are watched after the last used or issued
// one. A restored wallet finds its keys unless more than this number in a row are unused.
const Lookahead = 20

// Errors of a Ring.
var (
	// ErrLocked reports that a private key is needed while the wallet is locked.
	ErrLocked = errors.New("the wallet is locked")
	// ErrExhausted reports that a locked wallet has issued all keys that it had derived.
	ErrExhausted = errors.New("no key is left that can be given out while the wallet is locked")
)

// Config holds the dependencies of a Ring.
type Config struct {
	Store  store.KV
	Random io.Reader
	Now    func() time.Time
	Node   *key.Private
}

// Ring holds the keys and addresses of a wallet. It is safe for concurrent use.
type Ring struct {
	node     *key.Private
	now      func() time.Time
	vault    *vault
	branches [2]*key.Branch

	writing sync.Mutex // held while rows are staged and applied to the maps

	mu      sync.RWMutex // guards the fields below
	keys    map[[20]byte]*Key
	order   [2][]*Key // derived keys by index, including the lookahead
	next    [2]uint32 // index of the next key to be issued
	scripts map[[20]byte][]byte
	watched map[string]Watched // by output script
	book    map[script.Address]Entry
	current map[string]script.Address // of accounts
	lock    lock

	coinLocks coinLocks
	feeRate   int64
	version   uint64 // number of changes of the wallet's contents
	cached    belongings
	damaged   error // the error of the last search for keys
}

// Source is the origin of a key.
type Source byte

// Sources of keys.
const (
	Node Source = iota
	Derived
	Imported
)

// Key is a key of the wallet. It is immutable.
type Key struct {
	Public  []byte // 33 bytes, or 65 if an uncompressed key was imported
	Hash    [20]byte
	Created int64 // Unix seconds; 1 means unknown
	Source  Source
	Change  bool   // whether it is a derived key for change
	Index   uint32 // index of a derived key

	secret *key.Private // nil means that it is derived when needed
}

// Address returns the address of the key's plain outputs.
func (k *Key) Address() script.Address {
	return script.Address{Version: script.PubKeyHashVersion, Hash: k.Hash}
}

// Compressed reports whether the public key is compressed.
func (k *Key) Compressed() bool { return len(k.Public) == 33 }

// Path returns the path of a derived key in the format of BIP 32.
func (k *Key) Path() string { return append(branchPath(k.Change), k.Index).String() }

// branchPath returns the path of a branch: m/44'/141'/0'/0 or m/44'/141'/0'/1.
func branchPath(change bool) key.Path {
	return key.Path{44 + key.Hardened, 141 + key.Hardened, key.Hardened, uint32(branchIndex(change))}
}

func branchIndex(change bool) int {
	if change {
		return 1
	}
	return 0
}

// Watched is an output script that is watched without its key.
type Watched struct {
	Script  []byte
	Created int64
}

// Entry is the name of an address.
type Entry struct {
	Account string
	Purpose string // receive, send or unknown
}

// Rows of kindKey.
type (
	givenRow struct { // an issued key
		Change  bool   `json:"change"`
		Index   uint32 `json:"index"`
		Created int64  `json:"created"`
	}
	importedRow struct {
		Secret       string `json:"secret"`
		Uncompressed bool   `json:"uncompressed,omitempty"`
		Created      int64  `json:"created"`
	}
	scriptRow struct {
		Script  string `json:"script"`
		Created int64  `json:"created"`
	}
	entryRow struct {
		Address string `json:"address"`
		Account string `json:"account"`
		Purpose string `json:"purpose"`
	}
	currentRow struct {
		Account string `json:"account"`
		Address string `json:"address"`
	}
)

// Names of rows. A name is a word for the kind of row, followed by the name within the kind.
const (
	rowGiven    = "given "
	rowImported = "imported "
	rowRedeem   = "redeem "
	rowWatched  = "watched "
	rowEntry    = "entry "
	rowCurrent  = "current "
)

// Open returns the ring of the node's key with the rows in the store.
func Open(ctx context.Context, c Config) (*Ring, error) {
	v, err := newVault(c.Store, c.Random, c.Node)
	if err != nil {
		return nil, err
	}
	r := &Ring{
		node: c.Node, now: c.Now, vault: v, keys: map[[20]byte]*Key{}, scripts: map[[20]byte][]byte{}, watched: map[string]Watched{},
		book: map[script.Address]Entry{}, current: map[string]script.Address{},
	}
	public := c.Node.PublicKey()
	first := &Key{Public: public[:], Hash: script.Hash160(public[:]), Created: 1, secret: c.Node}
	r.keys[first.Hash] = first
	r.book[first.Address()] = Entry{Purpose: purposeReceive}
	for i := range r.branches {
		if r.branches[i], err = c.Node.Branch(branchPath(i == 1)); err != nil {
			return nil, fmt.Errorf("keys of the wallet: %w", err)
		}
	}
	var given []givenRow
	if err := v.each(ctx, kindKey, func(row row) error { return r.read(row, &given) }); err != nil {
		return nil, err
	}
	for _, g := range given {
		b := branchIndex(g.Change)
		r.next[b] = max(r.next[b], g.Index+1)
	}
	if err := r.extend(); err != nil {
		return nil, err
	}
	for _, g := range given {
		r.order[branchIndex(g.Change)][g.Index].Created = g.Created
	}
	return r, nil
}

// read applies a row to the maps.
func (r *Ring) read(row row, given *[]givenRow) error {
	kind, _, _ := strings.Cut(row.Name, " ")
	var err error
	switch kind + " " {
	case rowGiven:
		var g givenRow
		err = json.Unmarshal(row.Data, &g)
		*given = append(*given, g)
	case rowImported:
		var i importedRow
		if err = json.Unmarshal(row.Data, &i); err == nil {
			err = r.readImported(i)
		}
	case rowRedeem, rowWatched:
		var s scriptRow
		if err = json.Unmarshal(row.Data, &s); err == nil {
			err = r.readScript(kind+" ", s)
		}
	case rowEntry:
		var e entryRow
		var a script.Address
		if err = json.Unmarshal(row.Data, &e); err == nil {
			err = a.UnmarshalText([]byte(e.Address))
		}
		r.book[a] = Entry{e.Account, e.Purpose}
	case rowCurrent:
		var c currentRow
		var a script.Address
		if err = json.Unmarshal(row.Data, &c); err == nil {
			err = a.UnmarshalText([]byte(c.Address))
		}
		r.current[c.Account] = a
	default:
		err = fmt.Errorf("unknown record %q of a newer version", kind)
	}
	return err
}

func (r *Ring) readImported(i importedRow) error {
	secret, err := hex.DecodeString(i.Secret)
	defer clear(secret)
	if err != nil || len(secret) != 32 {
		return ErrDamaged
	}
	p, err := key.FromSecret([32]byte(secret))
	if err != nil {
		return ErrDamaged
	}
	k := newImported(p, !i.Uncompressed, i.Created)
	r.keys[k.Hash] = k
	return nil
}

func (r *Ring) readScript(kind string, s scriptRow) error {
	b, err := hex.DecodeString(s.Script)
	if err != nil {
		return ErrDamaged
	}
	if kind == rowRedeem {
		r.scripts[script.Hash160(b)] = b
	} else {
		r.watched[string(b)] = Watched{b, s.Created}
	}
	return nil
}

func newImported(p *key.Private, compressed bool, created int64) *Key {
	var public []byte
	if compressed {
		b := p.PublicKey()
		public = b[:]
	} else {
		b := p.UncompressedPublicKey()
		public = b[:]
	}
	return &Key{Public: public, Hash: script.Hash160(public), Created: created, Source: Imported, secret: p}
}

// extend derives the keys of both lookaheads. The caller must hold mu, unless the ring is not
// shared yet.
func (r *Ring) extend() error {
	for b := range r.branches {
		for uint32(len(r.order[b])) < r.next[b]+Lookahead {
			index := uint32(len(r.order[b]))
			p, err := r.branches[b].Key(index)
			if err != nil {
				return fmt.Errorf("key %d of the wallet: %w", index, err)
			}
			public := p.PublicKey()
			p.Wipe()
			k := &Key{Public: public[:], Hash: script.Hash160(public[:]), Created: r.now().Unix(), Source: Derived, Change: b == 1, Index: index}
			r.order[b] = append(r.order[b], k)
			if r.keys[k.Hash] == nil {
				r.keys[k.Hash] = k
			}
			r.version++
		}
	}
	return nil
}

// Find moves the lookahead after the last derived key that has received coins, so that a wallet
// that was restored from its phrase has its keys again.
func (r *Ring) Find(v *chain.View) (err error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.damaged = err }()
	for b := range r.branches {
		for index := r.next[b]; index < uint32(len(r.order[b])); index++ {
			_, received, err := v.Balance(chain.Address{Kind: chain.KeyAddress, Hash: r.order[b][index].Hash})
			if err != nil {
				return err
			}
			if received == 0 {
				continue
			}
			r.next[b] = index + 1
			if err := r.extend(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Prepare implements chain.Follower.
func (r *Ring) Prepare(*chain.Change) []store.Op { return nil }

// Changed implements chain.Follower: keys that a block pays are found at once, as in the chain that
// a restored wallet reads from its peers. NewKey returns the error of a damaged store.
func (r *Ring) Changed(v *chain.View, _ *chain.Change) { _ = r.Find(v) }

// Settled implements chain.Follower.
func (r *Ring) Settled(context.Context, *chain.Change) {}

// Key returns the key with the hash of its public key.
func (r *Ring) Key(hash [20]byte) (*Key, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	k, ok := r.keys[hash]
	return k, ok
}

// Redeem returns the redeem script with a hash.
func (r *Ring) Redeem(hash [20]byte) ([]byte, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s, ok := r.scripts[hash]
	return s, ok
}

// Secret returns the private key of a key of the ring. The caller must not wipe it. It fails
// with ErrLocked.
func (r *Ring) Secret(k *Key) (*key.Private, error) {
	if r.Locked() {
		return nil, ErrLocked
	}
	if k.secret != nil {
		return k.secret, nil
	}
	return r.branches[branchIndex(k.Change)].Key(k.Index)
}

// Keys returns the issued and imported keys, sorted by creation time and hash. With all, it
// includes the lookahead.
func (r *Ring) Keys(all bool) []*Key {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var list []*Key
	for _, k := range r.keys {
		if all || r.given(k) {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b *Key) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), bytes.Compare(a.Hash[:], b.Hash[:]))
	})
	return list
}

// given reports whether a key is not only part of the lookahead.
func (r *Ring) given(k *Key) bool {
	return k.Source != Derived || k.Index < r.next[branchIndex(k.Change)]
}

// Given reports whether a key was issued or imported.
func (r *Ring) Given(k *Key) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.given(k)
}

// Peek returns the key that NewKey would issue next.
func (r *Ring) Peek(change bool) *Key {
	r.mu.RLock()
	defer r.mu.RUnlock()
	b := branchIndex(change)
	return r.order[b][min(int(r.next[b]), len(r.order[b])-1)]
}

// Left returns the number of remaining keys in the lookahead for addresses.
func (r *Ring) Left() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.order[0]) - int(r.next[0])
}

// NewKey issues the next key of a branch, for an address of the account or for change. Errors
// are ErrExhausted and the errors of the store.
func (r *Ring) NewKey(ctx context.Context, change bool, account string) (*Key, error) {
	b := branchIndex(change)
	r.writing.Lock()
	durable, k, err := func() (store.Durable, *Key, error) {
		defer r.writing.Unlock()
		if r.damaged != nil {
			return nil, nil, r.damaged
		}
		if r.next[b] >= uint32(len(r.order[b])) {
			return nil, nil, ErrExhausted
		}
		k := r.order[b][r.next[b]]
		fresh := *k
		fresh.Created = r.now().Unix()
		var w rows
		w.add(rowGiven+k.Path(), givenRow{change, k.Index, fresh.Created})
		entry := Entry{account, purposeReceive}
		if !change {
			w.add(rowEntry+k.Address().String(), entryRow{k.Address().String(), account, purposeReceive})
		}
		durable, err := r.stage(ctx, w)
		if err != nil {
			return nil, nil, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.next[b]++
		r.order[b][k.Index] = &fresh
		if r.keys[k.Hash] == k {
			r.keys[k.Hash] = &fresh
		}
		if !change {
			r.book[k.Address()] = entry
		}
		r.version++
		if !r.lock.locked(r.now()) {
			err = r.extend()
		}
		return durable, &fresh, err
	}()
	if err != nil {
		return nil, err
	}
	return k, durable(ctx)
}

// rows holds changes that are made together.
type rows struct {
	names []string
	data  []any // nil deletes the row
}

func (w *rows) add(name string, data any) {
	w.names, w.data = append(w.names, name), append(w.data, data)
}

// stage writes rows. The caller must hold writing.
func (r *Ring) stage(ctx context.Context, w rows) (store.Durable, error) {
	var b store.Batch
	for i, name := range w.names {
		if w.data[i] == nil {
			b.Delete(r.vault.place(kindKey, name))
			continue
		}
		op, err := r.vault.seal(kindKey, name, w.data[i])
		if err != nil {
			return nil, err
		}
		b.Ops = append(b.Ops, op)
	}
	return r.vault.kv.Stage(ctx, b)
}

// change writes rows, makes the change in memory, and waits until it is durable.
func (r *Ring) change(ctx context.Context, prepare func() (rows, func())) error {
	r.writing.Lock()
	durable, err := func() (store.Durable, error) {
		defer r.writing.Unlock()
		w, apply := prepare()
		durable, err := r.stage(ctx, w)
		if err == nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			apply()
			r.version++
		}
		return durable, err
	}()
	if err != nil {
		return err
	}
	return durable(ctx)
}

// Signer is a key with its private key.
type Signer struct {
	*key.Private
	Public []byte // 33 or 65 bytes
}

// Signer returns the key with the hash of its public key. ok reports whether the ring has the
// key and the wallet is not locked.
func (r *Ring) Signer(hash [20]byte) (s Signer, ok bool) {
	k, ok := r.Key(hash)
	if !ok {
		return s, false
	}
	p, err := r.Secret(k)
	return Signer{p, k.Public}, err == nil
}

// Master returns the public key of the node's key.
func (r *Ring) Master() [33]byte { return r.node.PublicKey() }
