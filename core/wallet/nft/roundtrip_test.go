package nft

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/store/table"
)

const maxUint256 = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

// fillFields sets each exported field of a struct to a different value.
func fillFields(t *testing.T, v reflect.Value, text func(name string) string) {
	t.Helper()
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if name == "_" {
			continue
		}
		switch f.Kind() {
		case reflect.String:
			f.SetString(text(name))
		case reflect.Uint64:
			f.SetUint(math.MaxUint64 - uint64(i))
		case reflect.Int64:
			f.SetInt(math.MinInt64 + int64(i))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Struct:
			fillFields(t, f, text)
		default:
			t.Fatalf("%s has the kind %s, which this test does not know", name, f.Kind())
		}
	}
}

// TestEveryFieldIsStored checks that every stored field has the same value when it is read
// again, also after the store was reopened, for all kinds of texts.
func TestEveryFieldIsStored(t *testing.T) {
	for name, text := range map[string]func(string) string{
		"short":       func(field string) string { return field },
		"empty":       func(string) string { return "" },
		"lines":       func(field string) string { return field + "\r\n\t\"'\\/<>&\u2028\u2029" },
		"unicode":     func(field string) string { return field + " é 👩‍🚀 نجمة \u202e \ufffd \U0010ffff" },
		"zero bytes":  func(field string) string { return "\x00" + field + "\x00\x01\x00\xc3\xbf" },
		"long":        func(field string) string { return field + strings.Repeat("é", maxJSON/2) },
		"replacement": func(field string) string { return field + ": " + removed },
	} {
		t.Run(name, func(t *testing.T) {
			n, m := NFT{}, Transfer{}
			fillFields(t, reflect.ValueOf(&n).Elem(), text)
			fillFields(t, reflect.ValueOf(&m).Elem(), text)
			n.Chain, n.Owner, m.Chain, m.Wallet = Polygon, wallet, Polygon, wallet
			kv := bunttest.Memory(t)
			s := New(Config{Store: kv}).records
			require.NoError(t, table.Change(t.Context(), kv, func(tx *table.Tx) error {
				if err := s.transfers.Put(t.Context(), tx, m); err != nil {
					return err
				}
				return s.nfts.Put(t.Context(), tx, n)
			}))
			s = New(Config{Store: kv}).records
			got, found, err := s.get(t.Context(), kv, wallet, n.Token)
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, n, got)
			nfts, err := s.nftsOf(t.Context(), Polygon, wallet, n.Address, n.ID)
			require.NoError(t, err)
			require.Equal(t, []NFT{n}, nfts)
			transfers, err := s.transfersOf(t.Context(), Polygon, wallet, m.Address, m.ID)
			require.NoError(t, err)
			require.Equal(t, []Transfer{m}, transfers)
		})
	}
}

// TestKeysDoNotMix checks contracts and ids that begin with each other or contain the
// separators of keys.
func TestKeysDoNotMix(t *testing.T) {
	kv := bunttest.Memory(t)
	s := New(Config{Store: kv}).records
	ids := []string{"", "1", "10", "1,0", "1\x00", "1\x00\x01", "1\x00\x01\x00", maxUint256}
	var nfts []NFT
	for _, id := range ids {
		nfts = append(nfts, owned(id))
	}
	require.NoError(t, s.replace(t.Context(), &listUpdate{chain: Polygon, wallet: wallet, nfts: nfts}))
	require.NoError(t, s.replace(t.Context(), &listUpdate{chain: Polygon, wallet: wallet + "0", nfts: []NFT{{Token: owned("1").Token, Owner: wallet + "0", Amount: "7"}}}))
	require.NoError(t, s.replace(t.Context(), &listUpdate{chain: Polygon + "2", wallet: wallet, nfts: []NFT{{Token: Token{Polygon + "2", smurfs, "1"}, Owner: wallet, Amount: "8"}}}))
	all, err := s.nftsOf(t.Context(), Polygon, wallet)
	require.NoError(t, err)
	require.Len(t, all, len(ids))
	for _, id := range ids {
		one, err := s.nftsOf(t.Context(), Polygon, wallet, smurfs, id)
		require.NoError(t, err)
		require.Len(t, one, 1, "%q", id)
		require.Equal(t, id, one[0].ID)
	}
	require.NoError(t, s.replace(t.Context(), &listUpdate{chain: Polygon, wallet: wallet}))
	for _, c := range []struct {
		chain  Chain
		wallet string
		want   int
	}{{Polygon, wallet, 0}, {Polygon, wallet + "0", 1}, {Polygon + "2", wallet, 1}} {
		all, err := s.nftsOf(t.Context(), c.chain, c.wallet)
		require.NoError(t, err)
		require.Len(t, all, c.want)
	}
}

// rewriteRows changes the records of a table directly in the store.
func rewriteRows(t *testing.T, kv store.KV, prefix string, edit func(data string) string) (rows int) {
	t.Helper()
	prefix += table.Text(byName)
	entries, err := kv.Scan(t.Context(), prefix, prefix, 100)
	require.NoError(t, err)
	var batch store.Batch
	for _, e := range entries {
		batch.Ops = append(batch.Ops, store.Op{Key: e.Key, Data: edit(e.Data)})
	}
	require.NoError(t, store.Apply(t.Context(), kv, batch))
	return len(entries)
}

// TestDamagedRecords checks that a damaged record results in an error wherever it is read, is
// not overwritten, and does not affect other chains.
func TestDamagedRecords(t *testing.T) {
	calls := map[string]func(*bench) error{
		"List": func(b *bench) error {
			_, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
			return err
		},
		"a page": func(b *bench) error {
			_, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Limit: 10, Page: 1})
			return err
		},
		"a filtered page": func(b *bench) error {
			_, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true, ExcludeSpam: true})
			return err
		},
		"Get":     func(b *bench) error { _, err := b.Get(t.Context(), Token{Polygon, smurfs, "1"}, false); return err },
		"Image":   func(b *bench) error { _, err := b.Image(t.Context(), Token{Polygon, smurfs, "1"}, false); return err },
		"Refresh": func(b *bench) error { return b.Refresh(t.Context(), Token{Polygon, smurfs, "1"}, services()) },
		"Update":  func(b *bench) error { return b.Update(t.Context(), []Chain{Polygon}, services()) },
	}
	for name, edit := range map[string]func(string) string{
		"cut short":       func(data string) string { return data[:len(data)/2] },
		"empty":           func(string) string { return "" },
		"the version":     func(data string) string { return data[:1] },
		"a newer version": func(data string) string { return "\x01" + data[1:] },
		"no object":       func(data string) string { return data[:1] + `["x"]` },
		"a wrong type":    func(data string) string { return strings.Replace(data, `"block":`, `"block":-`, 1) },
		"too much":        func(data string) string { return data + "}" },
	} {
		t.Run(name, func(t *testing.T) {
			b := filledBench(t)
			polygon := "N/nft/list/"
			stored := map[string]string{}
			rewriteRows(t, b.kv, polygon, func(data string) string {
				if strings.Contains(data, `"BSC"`) {
					return data
				}
				return edit(data)
			})
			rewriteRows(t, b.kv, polygon, func(data string) string { stored[data] = ""; return data })
			for call, do := range calls {
				err := do(b)
				require.ErrorAs(t, err, new(*StoreError), call)
				require.ErrorIs(t, err, table.ErrDamaged, call)
				require.NotEmpty(t, err.Error())
			}
			rewriteRows(t, b.kv, polygon, func(data string) string { require.Contains(t, stored, data); return data })
			l, err := b.List(t.Context(), Query{Chains: []Chain{BSC}, Max: true})
			require.NoError(t, err)
			require.Len(t, l.NFTs, 2)
		})
		t.Run(name+", a transfer", func(t *testing.T) {
			b := filledBench(t)
			require.Equal(t, 4, rewriteRows(t, b.kv, "N/nft/transfer/", edit))
			_, err := b.Transfers(t.Context(), TransferQuery{Query: Query{Chains: []Chain{Polygon}, Max: true}})
			require.ErrorIs(t, err, table.ErrDamaged)
			require.ErrorIs(t, b.Update(t.Context(), []Chain{Polygon}, services()), table.ErrDamaged)
			l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
			require.NoError(t, err, "damage of a transfer does not affect the NFTs")
			require.Len(t, l.NFTs, 5)
		})
	}
}

// TestOlderRecords checks that records of older versions, with fewer members, and of newer
// ones, with more, can be read.
func TestOlderRecords(t *testing.T) {
	b := filledBench(t)
	rewriteRows(t, b.kv, "N/nft/list/", func(data string) string {
		_, id, _ := strings.Cut(data, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		if strings.Contains(data, `"BSC"`) {
			return data
		}
		return fmt.Sprintf(data[:1]+`{"chain":"POLYGON","address":%q,"id":%q,"owner":%q,"type":"ERC1155","amount":"1","block":%s,"later":{"x":1},"meta":{"image":%q,"image_url":%q,"animation_url":%q,"external_url":%q,"name":"old"}}`,
			smurfs, id, wallet, id, removed, removed, removed, removed)
	})
	n := b.stored(t, smurfs, "3")
	require.Equal(t, NFT{Token: Token{Polygon, smurfs, "3"}, Owner: wallet, Type: ERC1155, Amount: "1", Block: 3, Meta: Meta{Name: "old"}}, n)
	_, err := b.Image(t.Context(), n.Token, true)
	require.ErrorIs(t, err, ErrNoImage)
	b.world.Hold("POLYGON", wallet, smurf("3").With("block_number", "3", "metadata", `{"name":"new"}`))
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	n = b.stored(t, smurfs, "3")
	require.Equal(t, Meta{Name: "new"}, n.Meta)
	stored, err := b.records.nftsOf(t.Context(), Polygon, wallet)
	require.NoError(t, err)
	require.Equal(t, []Meta{{Name: "new"}}, []Meta{stored[0].Meta}, "also in the store")

	rewriteRows(t, b.kv, "N/nft/transfer/", func(data string) string {
		return data[:len(data)-1] + `,"image_url":"` + removed + `"}`
	})
	for _, m := range b.transfersOf(t) {
		require.Empty(t, m.ImageURL)
	}
}

// TestSizesAtTheBounds checks that texts of the maximum size are stored in full, and that
// longer texts are truncated or dropped.
func TestSizesAtTheBounds(t *testing.T) {
	for _, c := range []struct {
		member string
		value  func(n int) string
		limit  int
		get    func(NFT) string
		cut    bool // whether the text is truncated and not dropped
	}{
		{"name", func(n int) string { return strings.Repeat("x", n) }, maxName, func(n NFT) string { return n.Name }, true},
		{"symbol", func(n int) string { return strings.Repeat("x", n) }, maxName, func(n NFT) string { return n.Symbol }, true},
		{"minter_address", func(n int) string { return strings.Repeat("x", n) }, maxName, func(n NFT) string { return n.Minter }, true},
		{"token_hash", func(n int) string { return strings.Repeat("x", n) }, maxName, func(n NFT) string { return n.Hash }, true},
		{"last_token_uri_sync", func(n int) string { return strings.Repeat("x", n) }, 64, func(n NFT) string { return n.URISync }, true},
		{"token_uri", func(n int) string { return "https://a.example/" + strings.Repeat("x", n-18) }, maxURI, func(n NFT) string { return n.URI }, false},
		{"token_uri", func(n int) string {
			return "data:application/json,%7B%7D" + strings.Repeat(" x", (n-28)/2) + strings.Repeat("y", n%2)
		}, maxJSON,
			func(n NFT) string { return n.URI }, false},
		{"metadata", func(n int) string { return `{"a":"` + strings.Repeat("x", n-8) + `"}` }, maxJSON, func(n NFT) string { return n.Metadata }, false},
		{"metadata", func(n int) string { return `{"description":"` + strings.Repeat("x", n) + `"}` }, maxDescription, func(n NFT) string { return n.Meta.Description }, true},
		{"metadata", func(n int) string { return `{"name":"` + strings.Repeat("x", n) + `"}` }, maxName, func(n NFT) string { return n.Meta.Name }, true},
	} {
		t.Run(fmt.Sprintf("%s of %d", c.member, c.limit), func(t *testing.T) {
			b := newBench(t)
			b.polygon(t, smurf("1").With(c.member, c.value(c.limit)), smurf("2").With(c.member, c.value(c.limit+1)))
			require.Len(t, c.get(b.stored(t, smurfs, "1")), c.limit)
			want := 0
			if c.cut {
				want = c.limit
			}
			require.Len(t, c.get(b.stored(t, smurfs, "2")), want)
		})
	}
	for limit := range 12 { // never a part of a character
		cut := truncate("aé👩é\xff\xffé", limit)
		require.LessOrEqual(t, len(cut), limit)
		require.True(t, strings.HasPrefix("aé👩é\ufffdé", cut), "%q", cut)
	}
}
