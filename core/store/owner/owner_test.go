package owner

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

func ring(t *testing.T, passphrase string) *key.Ring {
	r, err := key.Open(passphrase, false)
	require.NoError(t, err)
	t.Cleanup(r.Wipe)
	return r
}

// filled returns a store with a chain and with the rows of a node.
func filled(t *testing.T) *bunt.DB {
	t.Helper()
	db, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	set(t, db, "itip", "the tip")
	_, err = key.OpenIdentity(t.Context(), db, bytes.NewReader(make([]byte, 32)))
	require.NoError(t, err)
	set(t, db, coinPrefix+"ETH", "\x00"+`{"number":1,"key":"ETH","ticker":"ETH","params":{"nodes":[{"url":"https://eth.example:8545/v3/?apikey=SECRET"},{"url":"wss://user:pw@two.example/x"}]}}`)
	set(t, db, coinPrefix+"!next", "7")
	set(t, db, "N/stat/node/x", "y")
	return db
}

func set(t *testing.T, db *bunt.DB, key, data string) {
	t.Helper()
	var b store.Batch
	b.Put(key, data)
	require.NoError(t, store.Apply(t.Context(), db, b))
}

func rowsOf(t *testing.T, db *bunt.DB) int {
	t.Helper()
	c, err := Read(t.Context(), db)
	require.NoError(t, err)
	found, err := db.Get(t.Context(), "itip")
	require.NoError(t, err)
	require.Equal(t, "the tip", found[0].Data, "the chain stays")
	return c.Rows
}

func TestRead(t *testing.T) {
	c, err := Read(t.Context(), filled(t))
	require.NoError(t, err)
	require.Equal(t, Contents{Rows: 4, Identity: "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN", Coins: []string{"ETH"},
		Servers: []string{"eth.example:8545", "two.example"}}, c)
}

func TestSettle(t *testing.T) {
	const all = 4
	alice, bob := ring(t, "alice"), ring(t, "bob")
	for name, c := range map[string]struct {
		first, second *key.Ring // nil without a key, or without an earlier node
		begun         bool      // whether first has marked the rows
		policy        Policy
		rows          int
	}{
		"the owner again":                   {alice, alice, true, Policy{Strict: true}, all},
		"the rows of another":               {alice, bob, true, Policy{Strict: true}, 0},
		"of another, to be adopted":         {alice, bob, true, Policy{Strict: true, Adopt: true}, 0},
		"of another, all wanted":            {alice, bob, true, Policy{Strict: true, All: true}, all},
		"of another, where nothing is lost": {alice, bob, true, Policy{}, all},
		"without an owner":                  {nil, bob, false, Policy{Strict: true}, 0},
		"without an owner, adopted":         {nil, bob, false, Policy{Strict: true, Adopt: true}, all},
		"a node without a key":              {nil, nil, true, Policy{Strict: true}, 0},
		"no key, all wanted":                {alice, nil, true, Policy{Strict: true, All: true}, all},
	} {
		t.Run(name, func(t *testing.T) {
			db := filled(t)
			if c.begun {
				_, err := Settle(t.Context(), db, c.first, Policy{})
				require.NoError(t, err)
			}
			left, err := Settle(t.Context(), db, c.second, c.policy)
			require.NoError(t, err)
			require.Equal(t, c.rows == 0, left)
			require.Equal(t, c.rows, rowsOf(t, db))
			if c.second == nil || !c.policy.Strict {
				return
			}
			set(t, db, "N/stat/node/new", "y")
			left, err = Settle(t.Context(), db, c.second, Policy{Strict: true})
			require.NoError(t, err)
			require.False(t, left, "the rows are this node's from then on")
		})
	}
}

// TestForgedOwner checks that the mark of a key cannot be created without the key.
func TestForgedOwner(t *testing.T) {
	alice := ring(t, "alice")
	public := alice.Node().PublicKey()
	for _, mark := range []string{"", string(public[:]), markOf(ring(t, "bob"))} {
		db := filled(t)
		set(t, db, ownerKey, mark)
		left, err := Settle(t.Context(), db, alice, Policy{Strict: true, Adopt: true})
		require.NoError(t, err)
		require.True(t, left)
	}
}

func TestLeftOutIsToldFirst(t *testing.T) {
	db, wrong := filled(t), errors.New("no room for a copy")
	_, err := Settle(t.Context(), db, ring(t, "bob"), Policy{Strict: true, LeftOut: func(c Contents) error {
		require.Equal(t, []string{"ETH"}, c.Coins)
		return wrong
	}})
	require.ErrorIs(t, err, wrong)
	require.Equal(t, 4, rowsOf(t, db), "nothing was deleted")
}

func TestManyRows(t *testing.T) {
	db := filled(t)
	var b store.Batch
	for i := range 3 * pageSize {
		b.Put(prefix+"x"+strings.Repeat("y", i), "")
	}
	require.NoError(t, store.Apply(context.Background(), db, b))
	require.NoError(t, Remove(t.Context(), db))
	require.Zero(t, rowsOf(t, db))
}
