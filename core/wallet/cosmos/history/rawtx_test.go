package history

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/wire"
)

// rawTx returns the bytes of a transaction.
func rawTx(memo string, gas uint64, fee ...wire.Coin) []byte {
	return wire.Encode(&wire.Tx{Body: wire.Encode(&wire.TxBody{Memo: memo}),
		AuthInfo: wire.Encode(&wire.AuthInfo{Fee: wire.Fee{Amount: fee, GasLimit: gas}}), Signatures: [][]byte{{1}}})
}

func TestParseTx(t *testing.T) {
	good := rawTx("for milk", 7, wire.Coin{Denom: "ucoin", Amount: "5"}, wire.Coin{Denom: "utoken", Amount: "6"})
	broken := wire.Encode(&wire.Tx{Body: []byte{0xff}, AuthInfo: []byte{0xff}})
	for _, c := range []struct {
		name string
		raw  []byte
		want offered
	}{
		{"nothing", nil, offered{}},
		{"rubbish", []byte("rubbish"), offered{}},
		{"rubbish inside", broken, offered{}},
		{"two coins", good, offered{"for milk", []quantity{{"ucoin", big.NewInt(5)}, {"utoken", big.NewInt(6)}}, 7}},
		{"cut off", good[:len(good)-1], offered{}},
		{"no fee", rawTx("", 0), offered{}},
		{"invalid fees", rawTx("", 0, wire.Coin{Denom: "u", Amount: "-1"}, wire.Coin{Denom: "ucoin"}, wire.Coin{Amount: "5"}), offered{}},
		{"not UTF-8", rawTx("a\xffb", 0), offered{memo: "a\uFFFDb"}},
		{"long memo", rawTx(strings.Repeat("m", maxMemo+1), 1), offered{gasLimit: 1}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, parseTx(c.raw)) })
	}
}

// TestReadFindsTheFee checks that the events of the fee are found by its amount if they look
// like the events of a message.
func TestReadFindsTheFee(t *testing.T) {
	raw := rawTx("", 7, wire.Coin{Denom: "x0", Amount: "5"})
	events := []string{"coin_spent spender=me amount=5x0", "coin_received receiver=fees amount=5x0", "transfer recipient=fees sender=me amount=5x0",
		"coin_spent spender=me amount=5x0", "coin_received receiver=b amount=5x0", "transfer recipient=b sender=me amount=5x0"}
	entries := Read(node.Tx{Raw: raw, Events: happened(events...)}, "me").Entries
	require.Len(t, entries, 1)
	require.Equal(t, []string{"b"}, entries[0].To)
	require.Equal(t, "10", entries[0].Total.String())
	entries = Read(node.Tx{Raw: raw, Events: happened(events[:3]...)}, "me").Entries
	require.Equal(t, "FeeForTokenTx", string(entries[0].Kind))
	entries = Read(node.Tx{Raw: rawTx("", 7, wire.Coin{Denom: "x1", Amount: "5"}), Events: happened(events...)}, "me").Entries
	require.Equal(t, []string{"fees", "b"}, entries[0].To)
}
