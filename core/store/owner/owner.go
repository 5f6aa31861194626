// Package owner ties a node's own rows in a store to the node's key: its identity, its active
// coins with the URLs of their servers, the accounts and histories of its wallet. A store that
// is given to someone else has the chain, which is the same for all; what belongs to the node
// that gave it is left out, unless the receiver decides otherwise.
//
// It is not encryption: anyone with the file can read it. Package pin ties the rows of the
// chain to a chain.
//
// Invariant: rows of another node are used only where the policy says so.
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

// prefix begins the keys of all rows that belong to the node. Rows of the chain have other keys.
const prefix = "N/"

// ownerKey holds the mark of the key that the rows belong to.
const ownerKey = "N/owner"

// coinPrefix begins the keys of the active coins, of package coin.
const coinPrefix = "N/coin/"

// pageSize is how many rows are read or deleted at a time.
const pageSize = 500

// Policy says what becomes of a node's rows that are not proved to be this node's. The zero
// value keeps them.
type Policy struct {
	Strict bool // rows of another node are left out
	Adopt  bool // rows without an owner, as versions before this package wrote them, are this node's
	All    bool // all rows become this node's, including those of other nodes
	// LeftOut is called before rows are deleted; an error ends Settle. It may be nil.
	LeftOut func(Contents) error
}

// markOf returns a proof that a store's rows were written with a key. It cannot be made without
// the key. It is empty for a node without a key.
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

// Settle decides whose the node's rows in a store are, and does with them what the policy says.
// From then on the rows are marked as those of the keys; a node without a key marks none. It
// reports whether rows were left out.
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

// Remove deletes the node's rows and leaves those of the chain.
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
	Rows     int      // all rows
	Identity string   // the node's peer id, or ""
	Coins    []string // the tickers of the active coins, in order
	Servers  []string // hosts of the coins' servers, in order, without paths, which may have API keys
}

// Read lists what a store has of a node. It changes nothing.
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

// addCoin takes a row of an active coin, a JSON object after its version. Other rows of that table
// have none.
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

// addServers takes the hosts of all URLs in a JSON value.
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
