package nft

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/nft/nfttest"
)

func raw(t testing.TB, item any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(item)
	require.NoError(t, err)
	return text
}

// goodItem is an NFT as the indexer lists it.
func goodItem() nfttest.Item {
	return smurf("5").With("owner_of", shownWallet, "name", "Smurfs", "symbol", "SMF", "token_uri", "https://a.example/5",
		"metadata", `{"name":"Papa","image":"https://i.example/5.png"}`)
}

// A good NFT with one member corrupted, and the error that names it.
func TestItemsWithOneThingWrong(t *testing.T) {
	good := goodItem()
	n, err := Settings{}.readItem(Polygon, raw(t, good), NFT{})
	require.NoError(t, err)
	require.Equal(t, Token{Polygon, smurfs, "5"}, n.Token)
	require.Equal(t, []string{wallet, ERC1155, "1", "Smurfs", "SMF", "https://a.example/5", "a.example", "Papa", "https://i.example/5.png", "i.example"},
		[]string{n.Owner, n.Type, n.Amount, n.Name, n.Symbol, n.URI, n.Domain, n.Meta.Name, n.Meta.ImageURL, n.Meta.ImageDomain})
	const over = "115792089237316195423570985008687907853269984665640564039457584007913129639936"
	for _, c := range []struct {
		member string
		value  any
		want   string
	}{
		{"contract_type", nil, `contract_type is ""`},
		{"contract_type", "", `contract_type is ""`},
		{"contract_type", "erc721", `contract_type is "erc721"`},
		{"contract_type", "ERC20", `contract_type is "ERC20"`},
		{"contract_type", 721, `contract_type is "721"`},
		{"contract_type", []string{ERC721}, `contract_type is "[\"ERC721\"]"`},
		{"token_address", nil, `token_address is ""`},
		{"token_address", "0x", `token_address is "0x"`},
		{"token_address", smurfs[2:], `token_address is "` + smurfs[2:] + `"`},
		{"token_address", smurfs + "0", `token_address is "` + smurfs + `0"`},
		{"token_address", smurfs[:41], `token_address is "` + smurfs[:41] + `"`},
		{"token_address", "0x" + strings.Repeat("g", 40), `token_address is "0x` + strings.Repeat("g", 40) + `"`},
		{"token_address", " " + smurfs, `token_address is " ` + smurfs + `"`},
		{"token_address", true, `token_address is "true"`},
		{"token_id", nil, `token_id is ""`},
		{"token_id", "-5", `token_id is "-5"`},
		{"token_id", "0x5", `token_id is "0x5"`},
		{"token_id", "5.0", `token_id is "5.0"`},
		{"token_id", "5,6", `token_id is "5,6"`},
		{"token_id", over, `token_id is "` + over + `"`},
		{"token_id", -1, `token_id is "-1"`},
		{"token_id", map[string]any{}, `token_id is "{}"`},
		{"amount", nil, `amount is ""`},
		{"amount", "1.5", `amount is "1.5"`},
		{"amount", "-1", `amount is "-1"`},
		{"amount", over, `amount is "` + over + `"`},
		{"amount", "1e3", `amount is "1e3"`},
		{"amount", strings.Repeat("x", 10_000), `amount is "` + strings.Repeat("x", 100) + `"`},
	} {
		t.Run(fmt.Sprintf("%s %.20v", c.member, c.value), func(t *testing.T) {
			_, err := Settings{}.readItem(Polygon, raw(t, good.With(c.member, c.value)), NFT{})
			require.EqualError(t, err, c.want)
			require.Less(t, len(err.Error()), 300, "a log line is bounded")
		})
	}
	for _, whole := range []string{`5`, `"x"`, `[]`, `true`, `{`, ``} {
		_, err := Settings{}.readItem(Polygon, json.RawMessage(whole), NFT{})
		require.ErrorIs(t, err, errItem, whole)
	}
}

// What does not name an NFT is left out alone when it makes no sense, and is bounded.
func TestItemsWithOneThingOdd(t *testing.T) {
	good := goodItem()
	long := strings.Repeat("é", 5000)
	for _, c := range []struct {
		member string
		value  any
		get    func(NFT) any
		want   any
	}{
		{"owner_of", "somebody", func(n NFT) any { return n.Owner }, ""},
		{"block_number", "-1", func(n NFT) any { return n.Block }, uint64(0)},
		{"block_number", 42, func(n NFT) any { return n.Block }, uint64(42)},
		{"block_number", "18446744073709551616", func(n NFT) any { return n.Block }, uint64(0)},
		{"block_number_minted", "later", func(n NFT) any { return n.Minted }, uint64(0)},
		{"name", "two\nlines\x00", func(n NFT) any { return n.Name }, "two lines "},
		{"name", "<script>x</script>", func(n NFT) any { return n.Name }, removed},
		{"name", "a\u202egpj.exe", func(n NFT) any { return n.Name }, "a gpj.exe"},
		{"symbol", long, func(n NFT) any { return len(n.Symbol) <= maxName && utf8.ValidString(n.Symbol) }, true},
		{"token_hash", long, func(n NFT) any { return len(n.Hash) <= maxName }, true},
		{"last_metadata_sync", long, func(n NFT) any { return len(n.MetaSync) <= 64 }, true},
		{"token_uri", "javascript:x", func(n NFT) any { return n.URI + n.Domain }, ""},
		{"token_uri", "https://a.example/" + strings.Repeat("x", maxURI), func(n NFT) any { return n.URI + n.Domain }, ""},
		{"token_uri", 5, func(n NFT) any { return n.Domain }, ""},
		{"metadata", "no JSON", func(n NFT) any { return n.Metadata + n.Meta.Name }, ""},
		{"metadata", `["name"]`, func(n NFT) any { return n.Meta.Name }, ""},
		{"metadata", `{"name":5,"image":5,"description":["x"]}`, func(n NFT) any { return n.Meta.Name + n.Meta.Image + n.Meta.Description }, "5"},
		{"metadata", `{"image":"data:text/html,x"}`, func(n NFT) any { return n.Meta.Image }, removed},
		{"possible_spam", "true", func(n NFT) any { return n.Spam }, true},
		{"possible_spam", true, func(n NFT) any { return n.Spam }, true},
		{"possible_spam", "True", func(n NFT) any { return n.Spam }, false},
		{"possible_spam", 1, func(n NFT) any { return n.Spam }, false},
		{"name", "claim at evil.com", func(n NFT) any { return n.Spam }, true},
		{"symbol", "evil.com", func(n NFT) any { return n.Spam }, true},
		{"metadata", `{"name":"evil.com"}`, func(n NFT) any { return n.Spam }, true},
		{"token_uri", "https://evil.xyz/5", func(n NFT) any { return n.Spam }, true},
	} {
		t.Run(fmt.Sprintf("%s %.20v", c.member, c.value), func(t *testing.T) {
			n, err := Settings{}.readItem(Polygon, raw(t, good.With(c.member, c.value)), NFT{})
			require.NoError(t, err)
			require.Equal(t, c.want, c.get(n))
			require.Equal(t, Token{Polygon, smurfs, "5"}, n.Token)
		})
	}
}

// goodMove is a transfer as the indexer lists it.
func goodMove() nfttest.Item {
	return nfttest.NewTransfer(smurfs, "5", ERC1155, "2", other, wallet, 100, 7)
}

// A good transfer with one member corrupted, and the error that names it.
func TestTransfersWithOneThingWrong(t *testing.T) {
	good := goodMove()
	m, err := readTransfer(Polygon, wallet, raw(t, good))
	require.NoError(t, err)
	require.Equal(t, []any{Token{Polygon, smurfs, "5"}, wallet, "2", other, wallet, uint64(100), uint64(7), uint64(3), int64(1684135804), true},
		[]any{m.Token, m.Wallet, m.Amount, m.From, m.To, m.Block, m.LogIndex, m.TxIndex, m.Time, m.Received()})
	for _, c := range []struct {
		member string
		value  any
		want   string
	}{
		{"token_address", "0x12", `token_address is "0x12"`},
		{"token_id", "five", `token_id is "five"`},
		{"contract_type", "PUNK", `contract_type is "PUNK"`},
		{"amount", "two", `amount is "two"`},
		{"from_address", nil, `from_address is ""`},
		{"from_address", "vitalik.eth", `from_address is "vitalik.eth"`},
		{"to_address", nil, `to_address is ""`},
		{"to_address", "0x" + strings.Repeat("0", 39), `to_address is "0x` + strings.Repeat("0", 39) + `"`},
		{"to_address", smurfs, "neither side is the wallet"},
		{"transaction_hash", nil, `transaction_hash is ""`},
		{"transaction_hash", "0x12", `transaction_hash is "0x12"`},
		{"transaction_hash", strings.Repeat("ab", 32), `transaction_hash is "` + strings.Repeat("ab", 32) + `"`},
		{"transaction_hash", "0x" + strings.Repeat("ag", 32), `transaction_hash is "0x` + strings.Repeat("ag", 32) + `"`},
		{"block_timestamp", nil, `block_timestamp is ""`},
		{"block_timestamp", 1684135804, `block_timestamp is "1684135804"`},
		{"block_timestamp", "2023-13-01T00:00:00Z", `block_timestamp is "2023-13-01T00:00:00Z"`},
		{"block_timestamp", "2023-05-15", `block_timestamp is "2023-05-15"`},
	} {
		t.Run(fmt.Sprintf("%s %.20v", c.member, c.value), func(t *testing.T) {
			_, err := readTransfer(Polygon, wallet, raw(t, good.With(c.member, c.value)))
			require.EqualError(t, err, c.want)
		})
	}
	for _, whole := range []string{`5`, `null x`, `[]`, `{`} {
		_, err := readTransfer(Polygon, wallet, json.RawMessage(whole))
		require.ErrorIs(t, err, errItem, whole)
	}
}

// What does not name a transfer is left out alone.
func TestTransfersWithOneThingOdd(t *testing.T) {
	for _, c := range []struct {
		member string
		value  any
		get    func(Transfer) any
		want   any
	}{
		{"block_hash", "none", func(m Transfer) any { return m.BlockHash }, ""},
		{"value", "-5", func(m Transfer) any { return m.Value }, ""},
		{"operator", "0x1", func(m Transfer) any { return m.Operator }, ""},
		{"operator", strings.ToUpper(smurfs[2:]), func(m Transfer) any { return m.Operator }, ""},
		{"operator", "0X" + strings.ToUpper(smurfs[2:]), func(m Transfer) any { return m.Operator }, smurfs},
		{"transaction_index", "x", func(m Transfer) any { return m.TxIndex }, uint64(0)},
		{"transaction_type", "a\tb" + strings.Repeat("c", 100), func(m Transfer) any { return m.Kind }, "a b" + strings.Repeat("c", 61)},
		{"verified", "2", func(m Transfer) any { return m.Verified }, uint64(2)},
		{"possible_spam", true, func(m Transfer) any { return m.Spam }, true},
		{"block_timestamp", "2023-05-15T07:30:04", func(m Transfer) any { return m.Time }, int64(1684135804)},
		{"block_timestamp", "2023-05-15T09:30:04.999+02:00", func(m Transfer) any { return m.Time }, int64(1684135804)},
		{"block_timestamp", "1969-12-31T23:59:59Z", func(m Transfer) any { return m.Time }, int64(-1)},
		{"from_address", shownWallet, func(m Transfer) any { return m.Received() }, true},
		{"contract_type", ERC721, func(m Transfer) any { return m.Type }, ERC721},
	} {
		t.Run(fmt.Sprintf("%s %.20v", c.member, c.value), func(t *testing.T) {
			m, err := readTransfer(Polygon, wallet, raw(t, goodMove().With(c.member, c.value)))
			require.NoError(t, err)
			require.Equal(t, c.want, c.get(m))
		})
	}
	m, err := readTransfer(Polygon, wallet, raw(t, goodMove().With("from_address", shownWallet, "to_address", other)))
	require.NoError(t, err)
	require.False(t, m.Received())
}

// An indexer that lists transfers of others does not put them into the wallet's history.
func TestTransfersOfOthers(t *testing.T) {
	b := newBench(t)
	b.polygon(t, smurf("5"))
	b.world.Moved("POLYGON", wallet, goodMove(), goodMove().With("to_address", smurfs, "log_index", 8),
		goodMove().With("from_address", wallet, "to_address", other, "log_index", 9))
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	l, err := b.Transfers(t.Context(), TransferQuery{Query: Query{Chains: []Chain{Polygon}, Max: true}})
	require.NoError(t, err)
	require.Equal(t, 2, l.Total)
	require.Equal(t, []uint64{9, 7}, []uint64{l.Transfers[0].LogIndex, l.Transfers[1].LogIndex})
	require.Contains(t, b.told, "a transfer of the indexer's list makes no sense and is left out POLYGON neither side is the wallet")
}

// Letters that turn the direction of what follows make people read another name.
func TestLinesHaveOneDirection(t *testing.T) {
	for _, turn := range []string{"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"} {
		require.Equal(t, "moc live", line("moc"+turn+"live", 100), "%U", []rune(turn)[0])
	}
	for _, name := range []string{"👩‍🚀", "نجمة", "שלום", "a\u200eb", "नमस्ते"} {
		require.Equal(t, name, line(name, 100))
	}
}
