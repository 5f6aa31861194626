package keyring

import (
	"context"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/chacha20poly1305"

	"obverse/core/key"
	"obverse/core/store"
)

// prefix is the prefix of the keys of all rows. It is followed by the owner, since each node's
// key has its own rows. They stay in the store when another key uses it.
const prefix = "W/"

// version is the first byte of every row.
const version = 1

// ErrDamaged reports a row that cannot be decrypted with the key of its owner.
var ErrDamaged = errors.New("stored key record is damaged")

// vault stores rows encrypted and authenticated, each under the hash of its name.
type vault struct {
	kv     store.KV
	random io.Reader
	box    cipher.AEAD
	names  [32]byte // key of the hashes
	owner  string   // prefix of the rows
}

func newVault(kv store.KV, random io.Reader, node *key.Private) (*vault, error) {
	secret := node.Secret()
	defer clear(secret[:])
	derive := func(purpose string) [32]byte {
		mac := hmac.New(sha256.New, secret[:])
		mac.Write([]byte("obverse: keys of the token chain: " + purpose))
		return [32]byte(mac.Sum(nil))
	}
	rows := derive("rows")
	box, err := chacha20poly1305.NewX(rows[:])
	if err != nil {
		return nil, err
	}
	owner := derive("owner")
	return &vault{kv: kv, random: random, box: box, names: derive("names"), owner: prefix + hex.EncodeToString(owner[:8]) + "/"}, nil
}

// place returns the key of a row in the store.
func (v *vault) place(kind, name string) string {
	mac := hmac.New(sha256.New, v.names[:])
	mac.Write([]byte(kind + name))
	return v.owner + kind + hex.EncodeToString(mac.Sum(nil)[:16])
}

// Kinds of rows. Rows of keys are all read when the ring is opened, and notes when they are
// needed.
const (
	kindKey  = "k/"
	kindNote = "n/"
)

// row is the plaintext of a record.
type row struct {
	Name string          `json:"name"`
	Data json.RawMessage `json:"data"`
}

// seal returns the operation that stores data under a name.
func (v *vault) seal(kind, name string, data any) (op store.Op, err error) {
	inner, err := json.Marshal(data)
	if err != nil {
		return op, err
	}
	plain, err := json.Marshal(row{name, inner})
	if err != nil {
		return op, err
	}
	defer clear(plain)
	defer clear(inner)
	sealed := make([]byte, 1+v.box.NonceSize(), 1+v.box.NonceSize()+len(plain)+v.box.Overhead())
	sealed[0] = version
	if _, err := io.ReadFull(v.random, sealed[1:]); err != nil {
		return op, fmt.Errorf("encrypt a key record: source of randomness: %w", err)
	}
	at := v.place(kind, name)
	return store.Op{Key: at, Data: string(v.box.Seal(sealed, sealed[1:], plain, []byte(at)))}, nil
}

// open decrypts a row. The caller must clear the data.
func (v *vault) open(kind, at, sealed string) (r row, err error) {
	data := []byte(sealed)
	head := 1 + v.box.NonceSize()
	if len(data) < head || data[0] != version {
		return r, ErrDamaged
	}
	plain, err := v.box.Open(nil, data[1:head], data[head:], []byte(at))
	if err != nil {
		return r, ErrDamaged
	}
	if json.Unmarshal(plain, &r) != nil || v.place(kind, r.Name) != at {
		return r, ErrDamaged
	}
	return r, nil
}

// pageSize is the number of rows that are read at a time.
const pageSize = 500

// each calls do with all rows of a kind.
func (v *vault) each(ctx context.Context, kind string, do func(row) error) error {
	for after := ""; ; {
		page, err := v.kv.Scan(ctx, v.owner+kind, after, pageSize)
		if err != nil {
			return fmt.Errorf("read the keys of the wallet: %w", err)
		}
		for _, entry := range page {
			r, err := v.open(kind, entry.Key, entry.Data)
			if err != nil {
				return fmt.Errorf("row %q: %w", entry.Key, err)
			}
			if err := do(r); err != nil {
				return err
			}
			after = entry.Key
		}
		if len(page) < pageSize {
			return nil
		}
	}
}
