package walletconnect

import (
	"context"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"

	"obverse/core/store"
)

// Kinds of rows in the store.
const (
	kindSession = "session/"
	kindPairing = "pairing/"
)

// prefix is the common prefix of all rows. The owner follows: the hash of the encryption key,
// so that each passphrase has its own rows.
const prefix = "N/walletconnect/"

// version is the first byte of every row.
const version = 1

var errDamaged = errors.New("stored record is damaged")

// vault stores rows encrypted. Each row's key in the store is authenticated.
type vault struct {
	kv     store.KV
	random io.Reader
	box    cipher.AEAD
	owner  string
}

func newVault(c Config) (v vault, err error) {
	k := derive(c.Secret, "sessions at rest")
	box, err := chacha20poly1305.NewX(k[:])
	if err != nil {
		return v, err
	}
	sum := sha256.Sum256(k[:])
	return vault{c.Store, c.Random, box, prefix + hex.EncodeToString(sum[:8]) + "/"}, nil
}

func (v vault) put(ctx context.Context, kind, topic string, row any) error {
	plain, err := json.Marshal(row)
	if err != nil {
		return err
	}
	defer clear(plain)
	sealed := make([]byte, 1+v.box.NonceSize(), 1+v.box.NonceSize()+len(plain)+v.box.Overhead())
	sealed[0] = version
	if _, err := io.ReadFull(v.random, sealed[1:]); err != nil {
		return fmt.Errorf("keep a session with a wallet: source of randomness: %w", err)
	}
	at := v.owner + kind + topic
	var b store.Batch
	b.Put(at, string(v.box.Seal(sealed, sealed[1:], plain, []byte(at))))
	return store.Apply(ctx, v.kv, b)
}

func (v vault) remove(ctx context.Context, kind, topic string) error {
	var b store.Batch
	b.Delete(v.owner + kind + topic)
	return store.Apply(ctx, v.kv, b)
}

// maxRows limits how many rows of a kind are read.
const maxRows = 1000

// each calls do with the topic of each row of a kind and a function that decrypts the row.
func (v vault) each(ctx context.Context, kind string, do func(topic string, open func(row any) error)) error {
	rows, err := v.kv.Scan(ctx, v.owner+kind, "", maxRows)
	if err != nil {
		return err
	}
	for _, row := range rows {
		do(strings.TrimPrefix(row.Key, v.owner+kind), func(into any) error { return v.open(row, into) })
	}
	return nil
}

func (v vault) open(row store.Entry, into any) error {
	data := []byte(row.Data)
	head := 1 + v.box.NonceSize()
	if len(data) < head || data[0] != version {
		return errDamaged
	}
	plain, err := v.box.Open(nil, data[1:head], data[head:], []byte(row.Key))
	if err != nil {
		return errDamaged
	}
	defer clear(plain)
	if err := json.Unmarshal(plain, into); err != nil {
		return errDamaged
	}
	return nil
}
