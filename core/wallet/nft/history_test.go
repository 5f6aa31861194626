package nft

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/nft/nfttest"
)

// history returns the places of the stored transfers, newest first.
func (b *bench) history(t *testing.T) (all []string) {
	t.Helper()
	for _, m := range b.transfersOf(t) {
		all = append(all, fmt.Sprintf("%d/%d/%s", m.Block, m.LogIndex, m.ID))
	}
	return all
}

func transferAt(block, log int, id string) nfttest.Item {
	return nfttest.NewTransfer(smurfs, id, ERC1155, "1", other, wallet, block, log)
}

// TestOrderOfHistory checks that the newest block and its last log come first, regardless of
// the order in which an indexer lists the transfers and of the number of updates.
func TestOrderOfHistory(t *testing.T) {
	all := []nfttest.Item{transferAt(1000, 0, "1"), transferAt(999, 300, "4"), transferAt(999, 9, "3"), transferAt(999, 0, "2"), transferAt(300, 2, "5"), transferAt(300, 2, "6"),
		transferAt(255, 0, "7"), transferAt(10, 0, "8"), transferAt(9, 0, "9"), transferAt(1, 65536, "10"), transferAt(1, 256, "11")}
	want := []string{"1000/0/1", "999/300/4", "999/9/3", "999/0/2", "300/2/5", "300/2/6", "255/0/7", "10/0/8", "9/0/9", "1/65536/10", "1/256/11"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		b, _ := newBenchAtHeight(t)
		b.world.PageSize = 3
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		b.update(t, all...)
		require.Equal(t, want, b.history(t))
		b.update(t, all...)
		require.Equal(t, want, b.history(t), "the same once more")
	}
	b, platform := newBenchAtHeight(t)
	blockOf := func(i nfttest.Item) (block uint64) { return parseUint(rawText(i["block_number"].(string))) }
	slices.SortFunc(all, func(x, y nfttest.Item) int { return int(blockOf(x)) - int(blockOf(y)) })
	for n := range all {
		platform.height = blockOf(all[n])
		b.update(t, all[:n+1]...)
	}
	require.Equal(t, want, b.history(t), "block by block")
}

// TestMergingOfTransfers checks that a transfer that is listed twice, or several times in a
// transaction, is stored once for each token and log.
func TestMergingOfTransfers(t *testing.T) {
	base := transferAt(900, 7, "5")
	for _, c := range []struct {
		name  string
		moved []nfttest.Item
		want  int
	}{
		{"the same twice", []nfttest.Item{base, base}, 1},
		{"hash and addresses in capitals", []nfttest.Item{base, base.With("transaction_hash", "0X"+strings.ToUpper(fmt.Sprintf("%064x", 900)), "token_address", "0x"+strings.ToUpper(smurfs[2:]))}, 1},
		{"an id with zeros", []nfttest.Item{base, base.With("token_id", "0005")}, 1},
		{"two tokens of a batch", []nfttest.Item{base, base.With("token_id", "6")}, 2},
		{"two logs of a transaction", []nfttest.Item{base, base.With("log_index", 8)}, 2},
		{"two contracts", []nfttest.Item{base, base.With("token_address", apes)}, 2},
		{"two transactions", []nfttest.Item{base, base.With("transaction_hash", "0x"+strings.Repeat("cd", 32))}, 2},
		{"a newer block of the same", []nfttest.Item{base, base.With("block_number", "901")}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := newBenchAtHeight(t)
			b.update(t, c.moved...)
			require.Len(t, b.transfersOf(t), c.want)
			for i := range c.moved { // in separate updates, the last listed one remains
				b.update(t, c.moved[i])
				require.Len(t, b.transfersOf(t), 1)
			}
			b.update(t, c.moved...)
			require.Len(t, b.transfersOf(t), c.want)
		})
	}
}

// TestTransfersInAnotherBlock checks that a transaction that a reorganization moved to another
// block is stored once, in that block.
func TestTransfersInAnotherBlock(t *testing.T) {
	b, platform := newBenchAtHeight(t)
	moved := transferAt(990, 1, "5")
	b.update(t, transferAt(100, 0, "1"), moved, transferAt(991, 0, "6"))
	require.Equal(t, []string{"991/0/6", "990/1/5", "100/0/1"}, b.history(t))
	b.update(t, transferAt(100, 0, "1"), moved.With("block_number", "995", "block_hash", "0x"+strings.Repeat("cd", 32), "block_timestamp", "2023-05-15T07:31:00Z"))
	require.Equal(t, []string{"995/1/5", "100/0/1"}, b.history(t))
	m := b.transfersOf(t)[0]
	require.Equal(t, []any{"0x" + strings.Repeat("cd", 32), int64(1684135860)}, []any{m.BlockHash, m.Time})
	b.update(t, transferAt(100, 0, "1"), moved.With("log_index", 2))
	require.Equal(t, []string{"990/2/5", "100/0/1"}, b.history(t), "at another place")
	platform.height = 2000
	b.update(t, transferAt(100, 0, "1"), moved.With("log_index", 2), transferAt(1999, 0, "7"))
	b.update(t, transferAt(1999, 0, "7"))
	require.Equal(t, []string{"1999/0/7", "990/2/5", "100/0/1"}, b.history(t), "transfers in old blocks are not requested again, and stay")
}

// TestUpdateAtTheGreatestHeight checks that an absurd height of a node does not prevent later
// updates of the history.
func TestUpdateAtTheGreatestHeight(t *testing.T) {
	b, platform := newBenchAtHeight(t)
	b.update(t, transferAt(5, 0, "5"), transferAt(900, 0, "1"))
	for _, height := range []uint64{math.MaxUint64, math.MaxUint64 - reorgDepth, math.MaxUint64 - reorgDepth + 1} {
		platform.height = height
		b.update(t, transferAt(5, 0, "5"), transferAt(900, 0, "1"), transferAt(950, 0, "2"))
		require.Equal(t, []string{"950/0/2", "900/0/1", "5/0/5"}, b.history(t), height)
	}
	platform.height = 1000
	b.update(t, transferAt(5, 0, "5"), transferAt(900, 0, "1"))
	require.Equal(t, []string{"900/0/1", "5/0/5"}, b.history(t))
}

// TestAmounts checks that amounts are whole numbers of 256 bits. For ERC-721, the amount is 1,
// which indexers omit.
func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		kind   string
		amount any
		want   string // "" if the item is left out
	}{
		{ERC721, nil, "1"}, {ERC721, "", "1"}, {ERC721, "1", "1"}, {ERC721, 1, "1"}, {ERC721, "x", ""}, {ERC721, "-1", ""}, {ERC721, "1.0", ""},
		{ERC1155, nil, ""}, {ERC1155, "", ""}, {ERC1155, "0", "0"}, {ERC1155, "1", "1"}, {ERC1155, 7, "7"}, {ERC1155, "007", "7"},
		{ERC1155, "18446744073709551616", "18446744073709551616"}, {ERC1155, maxUint256, maxUint256}, {ERC1155, "1" + maxUint256, ""},
		{ERC1155, maxUint256[:77] + "6", ""}, {ERC1155, 1.5, ""}, {ERC1155, "1e3", ""}, {ERC1155, "0x1", ""}, {ERC1155, " 1", ""}, {ERC1155, "１", ""},
		{ERC1155, []int{1}, ""}, {ERC1155, true, ""}, {ERC1155, "1,000", ""},
	} {
		t.Run(fmt.Sprintf("%s %.30v", c.kind, c.amount), func(t *testing.T) {
			b, _ := newBenchAtHeight(t)
			b.world.Hold("POLYGON", wallet, nfttest.NewItem(smurfs, "5", c.kind, "").With("amount", c.amount))
			b.update(t, nfttest.NewTransfer(smurfs, "5", c.kind, "", other, wallet, 900, 1).With("amount", c.amount))
			l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
			require.NoError(t, err)
			if c.want == "" {
				require.Empty(t, l.NFTs)
				require.Empty(t, b.transfersOf(t))
				return
			}
			require.Equal(t, []string{c.want, c.want}, []string{l.NFTs[0].Amount, b.transfersOf(t)[0].Amount})
			require.Equal(t, c.kind, l.NFTs[0].Type)
		})
	}
}

// TestAmountsFollowTheList checks that the amount and its block are taken from the newest list,
// and that a refresh does not change them.
func TestAmountsFollowTheList(t *testing.T) {
	b, _ := newBenchAtHeight(t)
	for n, amount := range []string{"5", "4", maxUint256, "0"} {
		b.world.Hold("POLYGON", wallet, smurf("5").With("amount", amount, "block_number", fmt.Sprint(n+1)))
		b.update(t)
		b.world.Hold("POLYGON", wallet, smurf("5").With("amount", "77", "block_number", "999", "contract_type", ERC721))
		require.NoError(t, b.Refresh(t.Context(), five, services()))
		got := b.stored(t, smurfs, "5")
		require.Equal(t, []any{amount, uint64(n + 1), ERC1155}, []any{got.Amount, got.Block, got.Type})
	}
}
