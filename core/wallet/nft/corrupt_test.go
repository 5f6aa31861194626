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

// goodItem returns an NFT in the format of the indexer.
func goodItem() nfttest.Item {
	return smurf("5").With("owner_of", checksumWallet, "name", "Smurfs", "symbol", "SMF", "token_uri", "https://a.example/5",
		"metadata", `{"name":"Papa","image":"https://i.example/5.png"}`)
}

// TestItemsWithOneThingWrong checks a valid NFT with one invalid member, and the error that
// names the member.
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
		{"contract_type", nil, `invalid contract_type ""`},
		{"contract_type", "", `invalid contract_type ""`},
		{"contract_type", "erc721", `invalid contract_type "erc721"`},
		{"contract_type", "ERC20", `invalid contract_type "ERC20"`},
		{"contract_type", 721, `invalid contract_type "721"`},
		{"contract_type", []string{ERC721}, `invalid contract_type "[\"ERC721\"]"`},
		{"token_address", nil, `invalid token_address ""`},
		{"token_address", "0x", `invalid token_address "0x"`},
		{"token_address", smurfs[2:], `invalid token_address "` + smurfs[2:] + `"`},
		{"token_address", smurfs + "0", `invalid token_address "` + smurfs + `0"`},
		{"token_address", smurfs[:41], `invalid token_address "` + smurfs[:41] + `"`},
		{"token_address", "0x" + strings.Repeat("g", 40), `invalid token_address "0x` + strings.Repeat("g", 40) + `"`},
		{"token_address", " " + smurfs, `invalid token_address " ` + smurfs + `"`},
		{"token_address", true, `invalid token_address "true"`},
		{"token_id", nil, `invalid token_id ""`},
		{"token_id", "-5", `invalid token_id "-5"`},
		{"token_id", "0x5", `invalid token_id "0x5"`},
		{"token_id", "5.0", `invalid token_id "5.0"`},
		{"token_id", "5,6", `invalid token_id "5,6"`},
		{"token_id", over, `invalid token_id "` + over + `"`},
		{"token_id", -1, `invalid token_id "-1"`},
		{"token_id", map[string]any{}, `invalid token_id "{}"`},
		{"amount", nil, `invalid amount ""`},
		{"amount", "1.5", `invalid amount "1.5"`},
		{"amount", "-1", `invalid amount "-1"`},
		{"amount", over, `invalid amount "` + over + `"`},
		{"amount", "1e3", `invalid amount "1e3"`},
		{"amount", strings.Repeat("x", 10_000), `invalid amount "` + strings.Repeat("x", 100) + `"`},
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

// TestItemsWithOneThingOdd checks that an invalid member that does not identify the NFT is
// omitted, and that members are limited in size.
func TestItemsWithOneThingOdd(t *testing.T) {
	good := goodItem()
	long := strings.Repeat("é", 5000)
	for _, c := range []struct {
		member string
		value  any
		get    func(NFT) any
		want   any
	}{
		{"owner_of", "alice.eth", func(n NFT) any { return n.Owner }, ""},
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
		{"metadata", `{"image":"data:text/html,x"}`, func(n NFT) any { return n.Meta.Image + n.Meta.ImageURL }, ""},
		{"metadata", `{"image":"data:text/html,x","image_url":"https://i.example/5.png"}`, func(n NFT) any { return n.Meta.ImageURL }, "https://i.example/5.png"},
		{"metadata", `{"animation_url":"<svg>","external_url":"javascript:x"}`, func(n NFT) any { return n.Meta.AnimationURL + n.Meta.ExternalURL }, ""},
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

// goodTransfer returns a transfer in the format of the indexer.
func goodTransfer() nfttest.Item {
	return nfttest.NewTransfer(smurfs, "5", ERC1155, "2", other, wallet, 100, 7)
}

// TestTransfersWithOneThingWrong checks a valid transfer with one invalid member, and the error
// that names the member.
func TestTransfersWithOneThingWrong(t *testing.T) {
	good := goodTransfer()
	m, err := readTransfer(Polygon, wallet, raw(t, good))
	require.NoError(t, err)
	require.Equal(t, []any{Token{Polygon, smurfs, "5"}, wallet, "2", other, wallet, uint64(100), uint64(7), uint64(3), int64(1684135804), true},
		[]any{m.Token, m.Wallet, m.Amount, m.From, m.To, m.Block, m.LogIndex, m.TxIndex, m.Time, m.Received()})
	for _, c := range []struct {
		member string
		value  any
		want   string
	}{
		{"token_address", "0x12", `invalid token_address "0x12"`},
		{"token_id", "five", `invalid token_id "five"`},
		{"contract_type", "PUNK", `invalid contract_type "PUNK"`},
		{"amount", "two", `invalid amount "two"`},
		{"from_address", nil, `invalid from_address ""`},
		{"from_address", "vitalik.eth", `invalid from_address "vitalik.eth"`},
		{"to_address", nil, `invalid to_address ""`},
		{"to_address", "0x" + strings.Repeat("0", 39), `invalid to_address "0x` + strings.Repeat("0", 39) + `"`},
		{"to_address", smurfs, "neither from_address nor to_address is the wallet"},
		{"transaction_hash", nil, `invalid transaction_hash ""`},
		{"transaction_hash", "0x12", `invalid transaction_hash "0x12"`},
		{"transaction_hash", strings.Repeat("ab", 32), `invalid transaction_hash "` + strings.Repeat("ab", 32) + `"`},
		{"transaction_hash", "0x" + strings.Repeat("ag", 32), `invalid transaction_hash "0x` + strings.Repeat("ag", 32) + `"`},
		{"block_timestamp", nil, `invalid block_timestamp ""`},
		{"block_timestamp", 1684135804, `invalid block_timestamp "1684135804"`},
		{"block_timestamp", "2023-13-01T00:00:00Z", `invalid block_timestamp "2023-13-01T00:00:00Z"`},
		{"block_timestamp", "2023-05-15", `invalid block_timestamp "2023-05-15"`},
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

// TestTransfersWithOneThingOdd checks that an invalid member that does not identify the
// transfer is omitted.
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
		{"from_address", checksumWallet, func(m Transfer) any { return m.Received() }, true},
		{"contract_type", ERC721, func(m Transfer) any { return m.Type }, ERC721},
	} {
		t.Run(fmt.Sprintf("%s %.20v", c.member, c.value), func(t *testing.T) {
			m, err := readTransfer(Polygon, wallet, raw(t, goodTransfer().With(c.member, c.value)))
			require.NoError(t, err)
			require.Equal(t, c.want, c.get(m))
		})
	}
	m, err := readTransfer(Polygon, wallet, raw(t, goodTransfer().With("from_address", checksumWallet, "to_address", other)))
	require.NoError(t, err)
	require.False(t, m.Received())
}

// TestTransfersOfOthers checks that transfers of other addresses that an indexer lists are not
// in the wallet's history.
func TestTransfersOfOthers(t *testing.T) {
	b := newBench(t)
	b.polygon(t, smurf("5"))
	b.world.Moved("POLYGON", wallet, goodTransfer(), goodTransfer().With("to_address", smurfs, "log_index", 8),
		goodTransfer().With("from_address", wallet, "to_address", other, "log_index", 9))
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	l, err := b.Transfers(t.Context(), TransferQuery{Query: Query{Chains: []Chain{Polygon}, Max: true}})
	require.NoError(t, err)
	require.Equal(t, 2, l.Total)
	require.Equal(t, []uint64{9, 7}, []uint64{l.Transfers[0].LogIndex, l.Transfers[1].LogIndex})
	require.Contains(t, b.logged, "skipped an invalid transfer of the indexer's list POLYGON neither from_address nor to_address is the wallet")
}

// TestLinesHaveOneDirection checks that characters that change the direction of text are
// removed, since people would read another name.
func TestLinesHaveOneDirection(t *testing.T) {
	for _, turn := range []string{"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"} {
		require.Equal(t, "moc live", singleLine("moc"+turn+"live", 100), "%U", []rune(turn)[0])
	}
	for _, name := range []string{"👩‍🚀", "نجمة", "שלום", "नमस्ते"} {
		require.Equal(t, name, singleLine(name, 100))
	}
	for _, hidden := range []string{"\u200b", "\u200e", "\u200f", "\u061c", "\u2060", "\ufeff", "\u00ad", "\u034f", "\ufe0f", "\u3164", "\U000e0041"} {
		require.Equal(t, "ab", singleLine("a"+hidden+"b", 100), "%U", []rune(hidden)[0])
	}
}
