package evm

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/coin"
)

func TestIsContract(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	b.eth.Delegate(hugeAt)
	platform := get[*Platform](t, b, "ETH")
	for address, want := range map[string]bool{sixAt: true, hugeAt: false, payee: false} {
		is, err := platform.IsContract(t.Context(), address)
		require.NoError(t, err)
		require.Equal(t, want, is, address)
	}
	_, err = platform.IsContract(t.Context(), "0x12")
	var invalid *coin.InvalidError
	require.True(t, errors.As(err, &invalid))
	require.Equal(t, coin.FieldTo, invalid.Field)
	b.net.Set(ethURL, func(context.Context, fetch.Request) (fetch.Response, error) {
		return fetch.Response{}, errors.New("unreachable")
	})
	_, err = platform.IsContract(t.Context(), sixAt)
	require.ErrorIs(t, err, coin.ErrTransport)
}

// A replacement has the nonce of the transaction, and nodes accept it.
func TestReplaceSent(t *testing.T) {
	b := newBench(t)
	b.eth.Nonce(walletAddress, 7)
	_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
	require.NoError(t, err)
	for _, ticker := range []string{"ETH", "SIX-ERC20"} {
		active, err := b.Active.Get(ticker)
		require.NoError(t, err)
		r := little(t)
		r.Send = false
		made, err := active.(coin.Withdrawer).Withdraw(t.Context(), r)
		require.NoError(t, err)
		for _, cancel := range []bool{false, true} {
			replaced, err := active.(coin.Replacer).Replace(t.Context(), made.Raw, cancel)
			require.NoError(t, err)
			require.NotEqual(t, made.Hash, replaced.Hash)
			require.Equal(t, 1, replaced.Fee.GasPrice.Cmp(made.Fee.GasPrice))
		}
	}
	_, err = get[*Platform](t, b, "ETH").Replace(t.Context(), []byte{1}, false)
	require.ErrorAs(t, err, new(*coin.InvalidError))
}
