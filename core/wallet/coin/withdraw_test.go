package coin

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
)

func TestFrom(t *testing.T) {
	path := func(text string) key.Path {
		p, err := key.ParsePath(text)
		require.NoError(t, err)
		return p
	}
	base := path("m/44'/118'")
	for _, c := range []struct {
		name string
		from From
		want string // "" if the path is refused
	}{
		{"first", From{}, "m/44'/118'/0'/0/0"},
		{"numbers", From{Account: 2, Chain: key.Internal, Address: 3}, "m/44'/118'/2'/1/3"},
		{"path", From{Path: path("m/44'/118'/7'/0/9")}, "m/44'/118'/7'/0/9"},
		{"another coin's path", From{Path: path("m/44'/60'/0'/0/0")}, ""},
		{"a short path", From{Path: path("m/44'/118'/0'/0")}, ""},
		{"a long path", From{Path: path("m/44'/118'/0'/0/0/0")}, ""},
		{"the coin's own path", From{Path: base}, ""},
		{"the root", From{Path: key.Path{}}, ""},
		{"an account that is not hardened", From{Path: path("m/44'/118'/0/0/0")}, ""},
		{"a hardened chain", From{Path: path("m/44'/118'/0'/0'/0")}, ""},
		{"a chain beyond those of BIP 44", From{Path: path("m/44'/118'/0'/2/0")}, ""},
		{"a hardened address", From{Path: path("m/44'/118'/0'/0/0'")}, ""},
		{"too high a number", From{Account: key.Hardened}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.from.In(base)
			if c.want != "" {
				require.NoError(t, err)
				require.Equal(t, c.want, got.String())
				return
			}
			var invalid *InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, FieldFrom, invalid.Field)
		})
	}
}

func TestSendingErrors(t *testing.T) {
	low, err := number.ParseRational("0.5")
	require.NoError(t, err)
	for _, c := range []struct {
		err  error
		want string
	}{
		{&ShortageError{Coin: "X", Available: low, Required: number.Int(2)}, "not enough X: available 0.5, required 2"},
		{&ShortageError{Coin: "X", Available: low, Required: number.Int(2), ForFee: true}, "not enough X for the fee: available 0.5, required 2"},
		{&TooLowError{low, number.Int(1)}, "amount 0.5 is too small, required 1"},
		{&InvalidError{FieldMemo, io.EOF}, "invalid memo: EOF"},
		{&ChannelError{Prefix: "osmo"}, "no IBC channel to addresses with prefix osmo is known"},
		{&ChannelError{Channel: 7, Missing: true}, "IBC channel 7 does not exist"},
		{&ChannelError{Channel: 7, Reason: "why"}, "IBC channel 7 is not usable: why"},
		{&FeePolicyError{[]string{"EthGas", "EthGasEip1559"}, "CosmosGas"}, "unsupported kind of fee CosmosGas, want EthGas or EthGasEip1559"},
		{&GasLimitError{5, 6}, "limit of gas is 5, and the transaction uses 6"},
		{&RefusedError{Log: "words"}, "the chain refuses the transaction: words"},
		{&RefusedError{Log: "words", Help: "help"}, "the chain refuses the transaction: help (words)"},
		{&RefusedError{Log: "words", Height: 9}, "the transaction failed in block 9: words"},
	} {
		require.EqualError(t, c.err, c.want)
	}
	require.True(t, errors.Is(&InvalidError{FieldMemo, io.EOF}, io.EOF))
	require.Equal(t, "CosmosGas", CosmosGas{}.PolicyType())
	require.Equal(t, "EthGas", OtherFee("EthGas").PolicyType())
}
