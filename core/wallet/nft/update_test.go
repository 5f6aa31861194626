package nft

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store/table"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

// newBenchAtHeight returns a bench with a network on a platform with newest block 1000.
func newBenchAtHeight(t *testing.T) (*bench, *fakePlatform) {
	t.Helper()
	b := newBench(t)
	entry, err := b.Registry.Lookup("MATIC")
	require.NoError(t, err)
	g := &fakePlatform{entry: entry, address: checksumWallet, height: 1000}
	b.commit(t, g)
	_, err = b.Activate(t.Context(), "NFT_MATIC", indexer())
	require.NoError(t, err)
	return b, g
}

// receivedIn returns a transfer to the wallet in a block.
func receivedIn(block int) nfttest.Item {
	return nfttest.NewTransfer(smurfs, fmt.Sprint(block), ERC1155, "1", other, wallet, block, 0)
}

// update runs an update, and returns the ids of the stored transfers and the first block of the
// request.
func (b *bench) update(t *testing.T, moved ...nfttest.Item) (ids, from string) {
	t.Helper()
	b.world.Moved("POLYGON", wallet, moved...)
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	for _, path := range b.world.Paths() {
		if _, after, found := strings.Cut(path, "from_block="); found {
			from = after
		}
	}
	var all []string
	for _, m := range b.transfersOf(t) {
		all = append(all, m.ID)
	}
	return strings.Join(all, " "), from
}

// TestUpdateOfBlocksThatAreNotMade checks that an indexer that lists a block that does not
// exist yet cannot suppress newer transfers.
func TestUpdateOfBlocksThatAreNotMade(t *testing.T) {
	b, g := newBenchAtHeight(t)
	far := nfttest.NewTransfer(smurfs, "1", ERC1155, "1", other, wallet, 1, 0)
	absurd := []nfttest.Item{far.With("block_number", "18446744073709551615"), far.With("block_number", "9223372036854775807"), receivedIn(1065)}
	ids, from := b.update(t, append(absurd, receivedIn(900), receivedIn(1064))...)
	require.Equal(t, "1064 900", ids, "an indexer may be a little ahead")
	require.Equal(t, "1", from)
	require.Contains(t, strings.Join(b.logged, "\n"), "the block does not exist yet")
	g.height = 1100
	ids, from = b.update(t, append(absurd, receivedIn(900), receivedIn(1001), receivedIn(1064), receivedIn(1099))...)
	require.Equal(t, "1099 1065 1064 1001 900", ids)
	require.Equal(t, "1001", from)

	b, _ = newBenchAtHeight(t)
	require.NoError(t, table.Change(t.Context(), b.kv, func(tx *table.Tx) error { // as stored by older versions
		for _, block := range []uint64{900, 1 << 40, math.MaxUint64} {
			token := Token{Polygon, smurfs, fmt.Sprint(block)}
			if err := b.records.transfers.Put(t.Context(), tx, Transfer{Token: token, Wallet: wallet, Hash: fmt.Sprint(block), Block: block}); err != nil {
				return err
			}
		}
		return nil
	}))
	_, from = b.update(t)
	require.Equal(t, "837", from)
}

// TestUpdateOfBlocksThatAreReplaced checks that transfers in blocks that were replaced are
// replaced, and that older ones remain.
func TestUpdateOfBlocksThatAreReplaced(t *testing.T) {
	b, _ := newBenchAtHeight(t)
	ids, _ := b.update(t, receivedIn(10), receivedIn(935), receivedIn(937), receivedIn(1000))
	require.Equal(t, "1000 937 935 10", ids)
	ids, from := b.update(t, receivedIn(936), receivedIn(938), receivedIn(999))
	require.Equal(t, "937", from)
	require.Equal(t, "999 938 935 10", ids)
	ids, _ = b.update(t)
	require.Equal(t, "935 10", ids)
	ids, _ = b.update(t, receivedIn(935), receivedIn(1064))
	require.Equal(t, "1064 935 10", ids)
	ids, _ = b.update(t)
	require.Equal(t, "935 10", ids, "the last block that there can be")
}

func TestUpdateOfAPlatformWithoutNodes(t *testing.T) {
	b, g := newBenchAtHeight(t)
	before, _ := b.update(t, receivedIn(900))
	g.fails = coin.ErrTransport
	b.world.Moved("POLYGON", wallet, receivedIn(900), receivedIn(901))
	require.ErrorIs(t, b.Update(t.Context(), []Chain{Polygon}, services()), coin.ErrTransport)
	g.fails, g.height = nil, 500 // all nodes are behind
	ids, from := b.update(t, receivedIn(400), receivedIn(900))
	require.Equal(t, before+" 400", ids, "stored transfers stay")
	require.Equal(t, "1", from)
}
