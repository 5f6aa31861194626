// Package owner binds a node's own rows in a store to the node's key: its identity, its active
// coins with the URLs of their servers, and the accounts and histories of its wallet. A store
// that is passed on to another user contains the chain, which is the same for all nodes. The
// rows of the original node are deleted, unless the receiver decides otherwise.
//
// This is not encryption: anyone with the file can read it. Package pin binds the rows of the
// chain to a chain.
//
// Invariant: rows of another node are used only if the policy permits it.
package owner

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"obverse/core/key"
	"obverse/core/store"
)

// prefix is the prefix of the keys of all rows that belong to the node. Rows of the chain have
// other prefixes.
const prefix = "N/"

// ownerKey is the key of the mark that identifies the owner of the rows.
const ownerKey = "N/owner"

// coinPrefix is the prefix of the keys of active coins in package coin.
const coinPrefix = "N/coin/"

// pageSize is the number of rows read or deleted at once.
const pageSize = 500

// Policy determines the treatment of rows that are not proven to belong to this node. The zero
// value keeps them.
type Policy struct {
	Strict bool // delete rows of another node
	Adopt  bool // treat rows without an owner, written by versions before this package, as this node's
	All    bool // treat all rows as this node's, including those of other nodes
	// LeftOut is called before rows are deleted. If it returns an error, Settle returns that
	// error. LeftOut may be nil.
	LeftOut func(Contents) error
}

// markOf returns a proof that a store's rows were written with a key. The proof cannot be
// created without the key. It is empty for a node without a key.
func markOf(keys *key.Ring) string {
	node := keys.Node()
	if node == nil {
		return ""
	}
	secret := node.Secret()
	defer clear(secret[:])
	sum := hmac.New(sha256.New, secret[:])
	sum.Write([]byte("obverse: owner of the rows of a store"))
	return hex.EncodeToString(sum.Sum(nil))
}

// Settle determines the owner of the node's rows in a store, and applies the policy.
// Afterwards, the rows are marked as belonging to the keys; a node without a key does not mark
// them. Settle reports whether rows were deleted.
func Settle(ctx context.Context, kv store.KV, keys *key.Ring, p Policy) (left bool, err error) {
	mark := markOf(keys)
	found, err := kv.Get(ctx, ownerKey)
	if err != nil {
		return false, fmt.Errorf("read the owner of the store: %w", err)
	}
	matches := mark != "" && hmac.Equal([]byte(found[0].Data), []byte(mark))
	if matches {
		return false, nil
	}
	rows, err := kv.Scan(ctx, prefix, "", 2)
	if err != nil {
		return false, fmt.Errorf("read the owner of the store: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(e store.Entry) bool { return e.Key == ownerKey })
	unclaimed := !found[0].Present
	switch {
	case p.All || len(rows) == 0 || unclaimed && (p.Adopt || !p.Strict):
		return false, put(ctx, kv, mark)
	case !p.Strict:
		return false, nil
	}
	if p.LeftOut != nil {
		contents, err := Read(ctx, kv)
		if err == nil {
			err = p.LeftOut(contents)
		}
		if err != nil {
			return false, err
		}
	}
	if err := Remove(ctx, kv); err != nil {
		return false, err
	}
	return true, put(ctx, kv, mark)
}

func put(ctx context.Context, kv store.KV, mark string) error {
	if mark == "" {
		return nil
	}
	var b store.Batch
	b.Put(ownerKey, mark)
	if err := store.Apply(ctx, kv, b); err != nil {
		return fmt.Errorf("mark the owner of the store: %w", err)
	}
	return nil
}

// Remove deletes the node's rows, but not those of the chain.
func Remove(ctx context.Context, kv store.KV) error {
	for {
		rows, err := kv.Scan(ctx, prefix, "", pageSize)
		if err != nil || len(rows) == 0 {
			return err
		}
		var b store.Batch
		for _, row := range rows {
			b.Delete(row.Key)
		}
		if err := store.Apply(ctx, kv, b); err != nil {
			return fmt.Errorf("remove the rows of the node: %w", err)
		}
	}
}

// Contents describes the node's data in a store.
type Contents struct {
	Rows     int      // number of rows
	Identity string   // the node's peer id, or ""
	Coins    []string // tickers of the active coins, in order
	Servers  []string // hosts of the coins' servers, in order, without paths, which may contain API keys
}

// Read returns a description of the node's data in a store. It changes nothing.
func Read(ctx context.Context, kv store.KV) (c Contents, err error) {
	if c.Identity, err = key.StoredPeerID(ctx, kv); err != nil {
		return c, err
	}
	for after := ""; ; {
		rows, err := kv.Scan(ctx, prefix, after, pageSize)
		if err != nil {
			return c, fmt.Errorf("list the rows of the node: %w", err)
		}
		for _, row := range rows {
			after = row.Key
			if row.Key == ownerKey {
				continue
			}
			c.Rows++
			if strings.HasPrefix(row.Key, coinPrefix) {
				c.addCoin(row.Data)
			}
		}
		if len(rows) < pageSize {
			break
		}
	}
	for _, list := range []*[]string{&c.Coins, &c.Servers} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return c, nil
}

// addCoin adds a row of an active coin, which is a JSON object after the version. Other rows of
// that table do not contain an object.
func (c *Contents) addCoin(data string) {
	data = data[max(0, strings.IndexByte(data, '{')):]
	var row struct {
		Ticker string
		Params any
		Entry  any
	}
	if json.Unmarshal([]byte(data), &row) != nil || row.Ticker == "" {
		return
	}
	c.Coins = append(c.Coins, row.Ticker)
	c.addServers(row.Params)
	c.addServers(row.Entry)
}

// addServers adds the hosts of all URLs in a JSON value.
func (c *Contents) addServers(value any) {
	switch v := value.(type) {
	case string:
		if u, err := url.Parse(v); err == nil && u.Host != "" && strings.Contains(v, "://") {
			c.Servers = append(c.Servers, u.Host)
		}
	case []any:
		for _, member := range v {
			c.addServers(member)
		}
	case map[string]any:
		for _, member := range v {
			c.addServers(member)
		}
	}
}
