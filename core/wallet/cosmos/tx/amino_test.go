package tx

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/wire"
)

const goodDoc = `{"account_number":"7","chain_id":"cosmoshub-4","fee":{"amount":[{"amount":"21700","denom":"uatom"}],"gas":"86801"},` +
	`"memo":"","msgs":[{"type":"cosmos-sdk/MsgSend","value":{"amount":[{"amount":"1","denom":"uatom"}],"from_address":"a","to_address":"b"}}],"sequence":"0"}`

func TestParseAminoDoc(t *testing.T) {
	doc, err := ParseAminoDoc([]byte(goodDoc))
	require.NoError(t, err)
	require.Equal(t, "cosmoshub-4", doc.ChainID)
	require.EqualValues(t, 7, doc.Account)
	require.Equal(t, []wire.Coin{{Denom: "uatom", Amount: "21700"}}, doc.Fee.Amount)
	for name, text := range map[string]string{
		"other order and spaces": `{ "sequence":"0", "msgs":[{"value":{"to_address":"b","from_address":"a","amount":[{"denom":"uatom","amount":"1"}]},"type":"cosmos-sdk/MsgSend"}],
			"memo":"","fee":{"gas":"86801","amount":[{"denom":"uatom","amount":"21700"}]},"chain_id":"cosmoshub-4","account_number":"7"}`,
		"the same": goodDoc,
	} {
		doc, err := ParseAminoDoc([]byte(text))
		require.NoError(t, err, name)
		again, err := doc.Bytes()
		require.NoError(t, err)
		require.Equal(t, goodDoc, string(again), name)
	}
	more := strings.Replace(strings.Replace(goodDoc, `"gas":"86801"`, `"gas":"86801","granter":"g","payer":"p"`, 1), `"sequence":"0"`, `"sequence":"0","timeout_height":"9"`, 1)
	doc, err = ParseAminoDoc([]byte(more))
	require.NoError(t, err)
	require.EqualValues(t, 9, doc.TimeoutHeight)
	require.Equal(t, "g p", doc.Fee.Granter+" "+doc.Fee.Payer)
	again, err := doc.Bytes()
	require.NoError(t, err)
	require.Equal(t, more, string(again))
}

func TestRefusedAminoDocs(t *testing.T) {
	for name, change := range map[string][2]string{
		"an invalid number":           {`"7"`, `7`},
		"a number with a sign":        {`"7"`, `"+7"`},
		"a number with noughts":       {`"7"`, `"007"`},
		"a number beyond 64 bits":     {`"86801"`, `"18446744073709551616"`},
		"a negative number":           {`"sequence":"0"`, `"sequence":"-1"`},
		"a name too many":             {`"memo":""`, `"memo":"","tip":{}`},
		"a name too many in the fee":  {`"gas":"86801"`, `"gas":"86801","more":"x"`},
		"a name too many in messages": {`"type":`, `"more":1,"type":`},
		"something behind it":         {`"sequence":"0"}`, `"sequence":"0"} x`},
		"cut":                         {`"sequence":"0"}`, `"sequence":"0"`},
		"a list":                      {goodDoc, `[]`},
		"nothing":                     {goodDoc, ``},
		"too large":                   {`"memo":""`, `"memo":"` + strings.Repeat("x", maxDoc) + `"`},
	} {
		require.Contains(t, goodDoc, change[0])
		_, err := ParseAminoDoc([]byte(strings.Replace(goodDoc, change[0], change[1], 1)))
		require.ErrorIs(t, err, ErrDoc, name)
	}
	for doc, want := range map[string]string{`[]`: "the text has the wrong type: array", `{"memo":5}`: "memo has the wrong type: number"} {
		_, err := ParseAminoDoc([]byte(doc))
		require.ErrorContains(t, err, ": "+want)
	}
	for _, value := range []string{``, `null`, `[]`, `"x"`, `{} {}`, `{`} {
		_, err := AminoDoc{Messages: []AminoMessage{{Value: []byte(value)}}}.Bytes()
		require.ErrorIs(t, err, ErrDoc, value)
	}
}

// FuzzParseAminoDoc checks that an accepted document has a unique format, which is accepted
// too.
func FuzzParseAminoDoc(f *testing.F) {
	f.Add([]byte(goodDoc))
	vectors, _ := readWallets(f)
	for _, v := range vectors.Amino {
		f.Add([]byte(v.SignText))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := ParseAminoDoc(text)
		if err != nil {
			require.ErrorIs(t, err, ErrDoc)
			return
		}
		first, err := doc.Bytes()
		if err != nil {
			require.ErrorIs(t, err, ErrDoc)
			return
		}
		again, err := ParseAminoDoc(first)
		require.NoError(t, err)
		second, err := again.Bytes()
		require.NoError(t, err)
		require.Equal(t, string(first), string(second))
	})
}

// FuzzVerifyMessage checks that only the signer's proof is accepted.
func FuzzVerifyMessage(f *testing.F) {
	vectors, _ := readWallets(f)
	v := vectors.Messages[0]
	f.Add(v.Message, v.Signature, v.Address, []byte{})
	f.Add("x", "AAAA", "cosmos1", []byte{2})
	f.Fuzz(func(t *testing.T, message, signature, by string, public []byte) {
		valid, err := VerifyMessage("cosmos", coin.MessageProof{Message: message, Signature: signature, Address: by, PublicKey: public})
		if err != nil {
			require.ErrorAs(t, err, new(*coin.InvalidError))
		}
		if valid {
			require.Equal(t, v.Message, message)
			require.Equal(t, v.Signature, signature)
		}
	})
}

// FuzzRefusal checks that any log of nodes results in an error text.
func FuzzRefusal(f *testing.F) {
	f.Add("993899865uatom is smaller than 1000000000000uatom: insufficient funds")
	f.Add("insufficient fees; got: 1uatom required: 3000uatom: insufficient fee")
	f.Add(" is smaller than ")
	f.Add("got:  required: ")
	f.Fuzz(func(t *testing.T, log string) {
		for code := range uint32(40) {
			require.Contains(t, Chain{Native: atom}.refused(Verdict{code, codespace, log}, "", 0).Error(), log)
		}
		if short := asShortage(log, atom, voucher); short != nil {
			require.GreaterOrEqual(t, short.Available.Sign(), 0)
			require.Contains(t, log, "is smaller than")
		}
	})
}

func TestGas(t *testing.T) {
	for used, want := range map[uint64]uint64{
		0: 0, 1: 2, 10: 13, 77777: 101111, 100000: 130000,
		math.MaxUint64: math.MaxUint64, math.MaxUint64 / 13 * 10: 18446744073709551613,
	} {
		require.Equal(t, want, gasLimit(used), used)
		exact := new(big.Int).Mul(new(big.Int).SetUint64(used), big.NewInt(13))
		if exact.Add(exact, big.NewInt(9)).Div(exact, big.NewInt(10)); exact.IsUint64() {
			require.Equal(t, exact.Uint64(), gasLimit(used))
		} else {
			require.Equal(t, uint64(math.MaxUint64), gasLimit(used))
		}
	}
	for _, c := range []struct {
		limit       uint64
		price, want string
	}{
		{125000, "0.25", "31250"}, {125001, "0.25", "31251"}, {1, "0", "0"}, {3, "1e-30", "1"}, {150000, "0.05", "7500"},
		{150001, "0.05", "7501"}, {0, "5", "0"}, {math.MaxUint64, "20000000000", "368934881474191032300000000000"},
	} {
		require.Equal(t, c.want, feeUnits(c.limit, rat(t, c.price)).String())
	}
}

func TestGasPrice(t *testing.T) {
	for text, want := range map[string]string{"": "0.25", "0.5": "0.5", "0": "0", "2e10": "20000000000", "0.0000000000000001": "0.0000000000000001"} {
		chain, err := ChainOf("X", coin.Cosmos{GasPrice: "0.1", ChainID: "x-1"})
		require.NoError(t, err)
		require.Equal(t, "0.1", chain.GasPrice.String())
		price, err := GasPrice(json.Number(text))
		require.NoError(t, err)
		require.Equal(t, want, price.String())
	}
	_, err := GasPrice("-0.1")
	require.ErrorIs(t, err, ErrGasPrice)
	_, err = ChainOf("X", coin.Cosmos{GasPrice: "much"})
	require.ErrorIs(t, err, number.ErrSyntax)
}
