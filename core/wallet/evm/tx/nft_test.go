package tx

import (
	"encoding/hex"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/wire"
)

// TestWithdrawNFT checks that the signed transaction sends NFTs with the id, and no coins.
func TestWithdrawNFT(t *testing.T) {
	word := func(text string) string { return strings.Repeat("0", 64-len(text)) + strings.ToLower(text) }
	parties := word(walletAddress[2:]) + word(payee[2:]) + word("e")
	for _, c := range []struct {
		name         string
		erc1155      bool
		amount       *big.Int
		total, input string
	}{
		{"one", false, big.NewInt(1), "1", "42842e0e" + parties},
		{"some of an id", true, big.NewInt(3), "3", "f242432a" + parties + word("3") + word("a0") + word("")},
		{"all of an id", true, nil, "5500000", "f242432a" + parties + word("53ec60") + word("a0") + word("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, s := wallet(t)
			s.owner = w.Address
			n := NFT{Contract: parse(t, contract), ID: big.NewInt(14), ERC1155: c.erc1155, Amount: c.amount}
			done, err := w.WithdrawNFT(t.Context(), n, coin.WithdrawRequest{To: payee})
			require.NoError(t, err)
			require.Equal(t, c.total, done.Total.String())
			require.Equal(t, coin.KindNFTTransfer, done.Kind)
			require.Equal(t, []string{payee}, done.To)
			sent, err := wire.Decode(done.Raw)
			require.NoError(t, err)
			require.Equal(t, contract, sent.To.String())
			require.Zero(t, sent.Value.Sign())
			require.Equal(t, c.input, hex.EncodeToString(sent.Data))
			require.Equal(t, s.estimated.Data, sent.Data)
			require.Empty(t, s.sent)
		})
	}
}

func TestNFTsThatAreNotThere(t *testing.T) {
	w, s := wallet(t)
	s.owner = parse(t, payee)
	one := NFT{Contract: parse(t, contract), ID: big.NewInt(14)}
	_, err := w.WithdrawNFT(t.Context(), one, coin.WithdrawRequest{To: payee, Send: true})
	var owner *NotOwnerError
	require.ErrorAs(t, err, &owner)
	require.Equal(t, payee, owner.Owner.String())
	for amount, required := range map[*big.Int]string{nil: "1", big.NewInt(2): "2"} {
		s.tokens = new(big.Int)
		var short *NFTShortageError
		_, err = w.WithdrawNFT(t.Context(), NFT{Contract: one.Contract, ID: one.ID, ERC1155: true, Amount: amount}, coin.WithdrawRequest{To: payee, Send: true})
		require.ErrorAs(t, err, &short)
		require.Equal(t, "0 "+required, short.Available.String()+" "+short.Required.String())
	}
	for _, to := range []string{contract, "0x0000000000000000000000000000000000000000", "0x12"} {
		var invalid *coin.InvalidError
		_, err = w.WithdrawNFT(t.Context(), one, coin.WithdrawRequest{To: to})
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, coin.FieldTo, invalid.Field)
	}
	s.owner, s.coins = w.Address, big.NewInt(1)
	_, err = w.WithdrawNFT(t.Context(), one, coin.WithdrawRequest{To: payee, Send: true})
	var short *coin.ShortageError
	require.ErrorAs(t, err, &short)
	require.True(t, short.ForFee)
	require.Empty(t, s.sent)
}
