package dapp

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/dapp"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
)

const testAddress = "0xbAB36286672fbdc7B250804bf6D14Be0dF69fa29"

// bare returns a wallet without a network, which knows one token.
func bare(t testing.TB) *Wallet {
	t.Helper()
	self, err := address.Parse(testAddress)
	require.NoError(t, err)
	return &Wallet{Wallet: &tx.Wallet{ChainID: 1, Native: tx.Asset{Ticker: "ETH", Decimals: tx.Decimals}, Address: self},
		Token: func(_ context.Context, contract address.Address) (tx.Asset, bool) {
			return tx.Asset{Ticker: "SIX", Decimals: 6, Contract: &contract}, contract[0] == 6
		}}
}

// requireTold checks that a description can be displayed.
func requireTold(t *testing.T, d dapp.Description) {
	t.Helper()
	require.NotEmpty(t, d.Kind)
	require.NotEmpty(t, d.Lines)
	for _, l := range d.Lines {
		require.True(t, dapp.Readable(l.Name) && dapp.Readable(l.Value), "%q", l)
	}
}

// TestTypedDataOfOtherNetworks checks that the chain id is taken from the domain as contracts
// read it, regardless of the names of the message's fields.
func TestTypedDataOfOtherNetworks(t *testing.T) {
	w := bare(t)
	const message = `"D":[{"name":"chainId","type":"uint256"}],"M":[{"name":"domain","type":"D"}]},"primaryType":"M","message":{"domain":{"chainId":1}}`
	for _, c := range []struct{ name, data, fails, warns string }{
		{"this network", `{"types":{"EIP712Domain":[{"name":"chainId","type":"uint256"}],` + message + `,"domain":{"chainId":1}}`, "", ""},
		{"this network in hexadecimal", `{"types":{"EIP712Domain":[{"name":"chainId","type":"uint256"}],` + message + `,"domain":{"chainId":"0x1"}}`, "", ""},
		{"another one, and a field of the message", `{"types":{"EIP712Domain":[{"name":"chainId","type":"uint256"}],` + message + `,"domain":{"chainId":137}}`, "for the chain id 137, want 1", ""},
		{"none, and a field of the message", `{"types":{"EIP712Domain":[],` + message + `,"domain":{}}`, "", "not limited to one network"},
		{"a value that the domain's type does not have", `{"types":{"EIP712Domain":[],` + message + `,"domain":{"chainId":1}}`, "", "not limited to one network"},
		{"a text", `{"types":{"EIP712Domain":[{"name":"chainId","type":"string"}],` + message + `,"domain":{"chainId":"1"}}`, "", "not limited to one network"},
		{"a message that passes for a domain", `{"types":{"EIP712Domain":[],"domain":[{"name":"chainId","type":"uint256"}]},"primaryType":"domain","domain":{},"message":{"chainId":1}}`, "primaryType is", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			params, err := json.Marshal([]any{testAddress, json.RawMessage(c.data)})
			require.NoError(t, err)
			var d dapp.Description
			err = w.Describe(t.Context(), &dapp.Request{Method: methodTyped, Params: params}, &d)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.warns != "", strings.Contains(strings.Join(d.Warnings, "\n"), "not limited to one network"))
			require.Contains(t, d.Lines, dapp.Line{Name: "M.domain.chainId", Value: "1"})
		})
	}
}

func FuzzTransaction(f *testing.F) {
	w := bare(f)
	f.Add([]byte{6}, []byte{0xa9, 0x05, 0x9c, 0xbb}, uint64(1), false)
	f.Add([]byte{7}, []byte{0x60}, uint64(0), true)
	for _, known := range functions {
		f.Add([]byte{6}, append([]byte{byte(known.number >> 24), byte(known.number >> 16), byte(known.number >> 8), byte(known.number)}, make([]byte, 32*known.arguments)...), uint64(0), false)
	}
	f.Fuzz(func(t *testing.T, to, data []byte, value uint64, deploys bool) {
		transaction := wire.Transaction{ChainID: 1, Deploys: deploys, Value: new(big.Int).SetUint64(value), Data: data}
		copy(transaction.To[:], to)
		var d dapp.Description
		w.describeTransaction(t.Context(), &d, &transaction)
		requireTold(t, d)
	})
}

// FuzzOrder checks that the description of a transaction matches its execution.
func FuzzOrder(f *testing.F) {
	w := bare(f)
	f.Add([]byte(`[{"from":"` + testAddress + `","to":"` + testAddress + `","value":"0x1","data":"0x12","gas":"0x5208","maxFeePerGas":"0x2","maxPriorityFeePerGas":"0x1","chainId":"0x1"}]`))
	f.Add([]byte(`[{"from":"` + testAddress + `","input":"0x12","gasLimit":"0x5208","gasPrice":"0x0002","type":"0x0"}]`))
	f.Fuzz(func(t *testing.T, params []byte) {
		read, legacy, err := w.order(params)
		if err != nil {
			require.NotEqualValues(t, dapp.CodeInternal, dapp.ErrorOf(err).Code)
			return
		}
		if read.MaxFee == nil || !legacy && read.Tip == nil {
			return
		}
		text, err := w.complete(read)
		require.NoError(t, err)
		again, _, err := w.order(text)
		require.NoError(t, err)
		require.Equal(t, read.Unsigned(), again.Unsigned())
	})
}

func FuzzSigned(f *testing.F) {
	w := bare(f)
	f.Add([]byte(`["0x12","` + testAddress + `"]`))
	f.Add([]byte(`["` + testAddress + `",{"types":{"EIP712Domain":[],"M":[{"name":"a","type":"uint8[]"}]},"primaryType":"M","domain":{},"message":{"a":[1]}}]`))
	f.Fuzz(func(t *testing.T, params []byte) {
		for _, method := range []string{methodText, methodTyped} {
			var d dapp.Description
			if err := w.Describe(t.Context(), &dapp.Request{Chain: w.Chain(), Method: method, Params: json.RawMessage(params)}, &d); err == nil {
				requireTold(t, d)
			} else {
				require.NotEqualValues(t, dapp.CodeInternal, dapp.ErrorOf(err).Code)
			}
		}
	})
}
