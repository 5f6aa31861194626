package chain_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// TestIndexesAgainstBlocks compares all indexes at every height with answers computed from the
// blocks.
func TestIndexesAgainstBlocks(t *testing.T) {
	c := chaintest.InMemory(t, options)
	requireIndexes(t, c.Manager)
	base := begin(t, c)
	requireIndexes(t, c.Manager, base.blocks...)
	a := base.branch("a")
	for n := range 3 {
		a.write(c.Tip().Hash, 4)
		requireIndexes(t, c.Manager, append(slices.Clone(base.blocks), a.blocks...)...)
		require.Len(t, a.blocks, 4*(n+1))
	}
}

// TestForksOfEveryDepth switches between two branches of different lengths that fork off at the
// given depths below the tip.
func TestForksOfEveryDepth(t *testing.T) {
	forks := []struct{ off, on int }{{1, 2}, {5, 12}, {12, 13}, {1, 5}, {2, 3}, {3, 4}, {5, 6}, {9, 10}}
	if testing.Short() {
		forks = forks[:3]
	}
	t.Logf("%d forks", len(forks))
	for _, fork := range forks {
		t.Run(fmt.Sprintf("%d for %d", fork.off, fork.on), func(t *testing.T) {
			c := chaintest.InMemory(t, options)
			base := begin(t, c)
			at := c.Tip().Hash
			a, b := base.branch("a"), base.branch("b")
			a.write(at, fork.off)
			onA := indexes(t, c.Store)
			chainA := append(slices.Clone(base.blocks), a.blocks...)
			b.pay()
			b.write(at, fork.on)
			chainB := append(slices.Clone(base.blocks), b.blocks...)
			require.Equal(t, b.blocks[fork.on-1].Hash(), c.Tip().Hash)
			requireIndexes(t, c.Manager, chainB...)
			requireSame(t, fresh(t, chainB...), indexes(t, c.Store))

			require.NoError(t, c.Invalidate(t.Context(), b.blocks[0].Hash()))
			requireIndexes(t, c.Manager, chainA...)
			requireSame(t, onA, indexes(t, c.Store))
		})
	}
}

// TestBlocksInAnyOrder adds the blocks of a tree with five branches in many orders. A block is
// always added after its parent. The result must depend only on the best branch.
func TestBlocksInAnyOrder(t *testing.T) {
	source := chaintest.InMemory(t, options)
	base := begin(t, source)
	at := source.Tip().Hash
	tree := slices.Clone(base.blocks)
	var best *writer
	for i, length := range []int{2, 6, 3, 3, 1} {
		w := base.branch(fmt.Sprint("w", i))
		for range i {
			w.pay() // makes the branches spend different coins
		}
		w.write(at, length)
		tree = append(tree, w.blocks...)
		if i == 1 {
			best, at, base = w, w.blocks[1].Hash(), w // the other branches start here
		}
	}
	want := fresh(t, append(slices.Clone(tree[:4]), best.blocks...)...)
	random := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		c := chaintest.InMemory(t, options)
		_, genesis := c.Params().Genesis()
		known := map[wire.Hash]bool{genesis: true}
		for left := slices.Clone(tree); len(left) > 0; {
			i := random.IntN(len(left))
			if b := left[i]; known[b.Prev] {
				c.Submit(b)
				known[b.Hash()] = true
				left = slices.Delete(left, i, i+1)
			}
		}
		require.Len(t, c.Leaves(), 5)
		requireSame(t, want, indexes(t, c.Store))
	}
}

// TestTransferBeforeItsCreation has a block in which a payment with an output of zero value
// names a token that a later transaction creates. The payment must be examined without the
// token, when it is connected and when it is disconnected.
func TestTransferBeforeItsCreation(t *testing.T) {
	c := chaintest.InMemory(t, options)
	w := begin(t, c)
	for name, data := range map[string][]byte{"fungible": nil, "bound to another module": {0xf1, 1}} {
		t.Run(name, func(t *testing.T) {
			before := indexes(t, c.Store)
			pub := w.key(1).PublicKey()
			payload := token.Payload{Func: token.Create, Owner: pub[:], Name: name}
			holder := w.key(1).Tokens()
			if data != nil {
				payload.Blobs = []token.Blob{{ID: token.NFTData, Data: data}}
				holder = token.Script(token.CreateCodes(data), w.key(1).Token())
			}
			creation := c.Tx([]chaintest.Coin{w.coin()}, chaintest.Pay(holder, 1), chaintest.Pay(payload.Script(), 0))
			early := c.Tx([]chaintest.Coin{w.coin()}, chaintest.Pay(w.key(2).Tokens(), 0), chaintest.Transfer(creation.ID(), w.key(2)))
			b := c.Mine(early, creation)
			requireIndexes(t, c.Manager, append(slices.Clone(w.blocks), b)...)
			require.NoError(t, c.Invalidate(t.Context(), b.Hash()))
			requireSame(t, before, indexes(t, c.Store))
		})
	}
}

// TestAddressesOf checks the index keys of each kind of output script.
func TestAddressesOf(t *testing.T) {
	k1, k2 := chaintest.Key(t, 1), chaintest.Key(t, 2)
	p1, p2 := k1.PublicKey(), k2.PublicKey()
	address := func(kind chain.AddressKind, b []byte) chain.Address {
		return chain.Address{Kind: kind, Hash: script.Hash160(b)}
	}
	redeem := chaintest.MultiSig(1, p1[:])
	for _, test := range []struct {
		name     string
		pkScript []byte
		want     []chain.Address
		text     string
	}{
		{"P2PK", k1.PubKey(), []chain.Address{address(chain.KeyAddress, p1[:])}, "R"},
		{"P2PKH", k1.PubKeyHash(), []chain.Address{address(chain.KeyAddress, p1[:])}, "R"},
		{"P2SH", script.PayToScriptHash(script.Hash160(redeem)), []chain.Address{address(chain.ScriptAddress, redeem)}, "b"},
		{"tokens", k1.Tokens(), []chain.Address{address(chain.ConditionAddress, k1.Tokens())}, "R"},
		{"multisig", chaintest.MultiSig(1, p1[:], p2[:]), []chain.Address{address(chain.KeyAddress, p1[:]), address(chain.KeyAddress, p2[:])}, "R"},
		{"multisig of one key twice", chaintest.MultiSig(1, p1[:], p2[:], p1[:]), []chain.Address{address(chain.KeyAddress, p1[:]), address(chain.KeyAddress, p2[:])}, "R"},
		{"data", script.NullData([]byte("x")), []chain.Address{}, ""},
		{"nothing known", []byte{script.Op1}, []chain.Address{}, ""},
		{"empty", nil, []chain.Address{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := chain.AddressesOf(test.pkScript)
			require.Equal(t, test.want, got)
			for _, a := range got {
				require.Equal(t, test.text, a.Text().String()[:1])
			}
		})
	}
}

// TestLongListings lists more records than fit into one page of a scan.
func TestLongListings(t *testing.T) {
	c := chaintest.InMemory(t, options)
	w := begin(t, c)
	outs := make([]wire.TxOut, 600)
	for i := range outs {
		outs[i] = chaintest.Pay(w.key(3).PubKeyHash(), 10+int64(i%7))
	}
	b := c.Mine(c.Tx([]chaintest.Coin{w.coin()}, outs...), c.Tx([]chaintest.Coin{w.coin()}, outs...))
	requireIndexes(t, c.Manager, append(w.blocks, b)...)
	require.NoError(t, c.Read(t.Context(), func(v *chain.View) error {
		a, n := w.key(3).Address(), 0
		for range v.Unspent(a) {
			if n++; n == 1001 {
				break
			}
		}
		require.Equal(t, 1001, n)
		require.Len(t, slices.Collect(v.History(a, 0)), 1200)
		return v.Err()
	}))
}
