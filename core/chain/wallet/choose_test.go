package wallet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
)

// TestSelection spends coins for a creation whose marker and supply are worth amount, and the fee.
func TestSelection(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []int64
		amount int64
		want   []int
	}{
		{"the first that suffices, not the best of all", []int64{5, 90_000, 30_000}, 20_000, []int{1}},
		{"a larger one that ends the gathering", []int64{20_000, 15_000, 90_000}, 30_000, []int{2}},
		{"largest first when each is too small", []int64{10_000, 20_000, 15_000}, 34_000, []int{1, 2, 0}},
		{"the smallest that suffices for the rest", []int64{12_000, 20_000, 25_000}, 26_000, []int{2, 0}},
		{"an exact match", []int64{11_000, 20_000, 15_000}, 36_000, []int{1, 2, 0}},
		{"the last moves into the gap", []int64{40_000, 10_000, 10_000, 10_000}, 55_000, []int{0, 3, 2, 1}},
		{"the first of equals", []int64{20_000, 20_000, 20_000}, 45_000, []int{0, 2, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := &listSource{next: 2, coins: coins(t, c.values...)}
			tx, err := newWallet(t, "").CreateToken(source, "T", c.amount-wallet.Fee, "", nil)
			require.NoError(t, err)
			require.Equal(t, c.want, inputs(tx))
		})
	}
}

// TestCreationInputs checks that a creation has at most 64 coins as inputs, each of which is
// worth its share.
func TestCreationInputs(t *testing.T) {
	const supply = 64*1000 - 20_000 // requires 64 coins with a value of 1000
	for _, c := range []struct {
		name   string
		coins  []wallet.Coin
		supply int64
		want   int
	}{
		{"64 coins of their share", repeat(t, 64, 1000), supply, 64},
		{"63 are too few", repeat(t, 63, 1000), supply, 0},
		{"a coin below its share counts for nothing", append(repeat(t, 63, 1000), coin(t, 63, 999), coin(t, 64, 1000)), supply, 64},
		{"a share is rounded down", repeat(t, 65, 1000), supply + 63, 0},
		{"one large coin behind many small ones", append(repeat(t, 500, 999), coin(t, 500, 70_000)), supply, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			tx, err := newWallet(t, "").CreateToken(&listSource{next: 2, coins: c.coins}, "T", c.supply, "", nil)
			if c.want == 0 {
				require.ErrorIs(t, err, wallet.ErrCoins)
				return
			}
			require.NoError(t, err)
			require.Len(t, tx.Inputs, c.want)
		})
	}
}

// TestTransferInputs checks that a transfer has at most 3 coins and 60 token outputs as inputs,
// in the order coin, tokens, further coins.
func TestTransferInputs(t *testing.T) {
	w, id, k2 := newWallet(t, ""), wire.Hash{1}, chaintest.Key(t, 2).Token()
	transfer := func(s listSource, amount int64) (*wire.Tx, error) { return w.TransferToken(&s, id, k2, amount) }

	three := tokens(t, 5, 5)
	three.coins = coins(t, 3333, 3333, 3334)
	tx, err := transfer(three, 10)
	require.NoError(t, err)
	require.Equal(t, []int{2, 1000, 1001, 0, 1}, inputs(tx))
	require.Len(t, tx.Outputs, 2, "no change of either kind")

	tx, err = transfer(tokens(t, 1, 7, 2, 9), 8)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1000, 1001}, inputs(tx), "the first that come, though 9 would do")

	sixty := make([]int64, 61)
	for i := range sixty {
		sixty[i] = 10
	}
	tx, err = transfer(tokens(t, sixty...), 600)
	require.NoError(t, err)
	require.Len(t, tx.Inputs, 61)
	_, err = transfer(tokens(t, sixty...), 601)
	require.ErrorIs(t, err, wallet.ErrFewTokens, "a sixty-first output is not spent")

	sixty[0] = 9 // less than 600/60
	tx, err = transfer(tokens(t, sixty...), 600)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1001}, inputs(tx)[:2])
	_, err = transfer(tokens(t, 9, 9), 600)
	require.ErrorIs(t, err, wallet.ErrNoTokens, "all are below their share")
}

func TestChange(t *testing.T) {
	k1 := chaintest.Key(t, 1)
	for _, c := range []struct {
		name string
		in   int64
		want int64 // 0 if there is no change output and the fee is higher
	}{
		{"exactly the fee", 30_000, 0},
		{"one satoshi below twice the fee", 39_999, 0},
		{"twice the fee", 40_000, 10_000},
		{"more", 1_000_000, 970_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := &listSource{next: 2, coins: coins(t, c.in)}
			creation, err := newWallet(t, "").CreateToken(source, "T", 10_000, "", nil)
			require.NoError(t, err)
			change := []wire.TxOut{{Value: c.want, Script: k1.PubKey()}}
			if c.want == 0 {
				change = []wire.TxOut{}
			}
			require.Equal(t, change, creation.Outputs[2:len(creation.Outputs)-1])
		})
	}
}

// TestUnusableCoins checks that a creation skips coins that it could not spend.
func TestUnusableCoins(t *testing.T) {
	k1, k2 := chaintest.Key(t, 1), chaintest.Key(t, 2)
	const maturity, next = 10, 20
	pub1, pub2 := k1.PublicKey(), k2.PublicKey()
	for _, c := range []struct {
		name   string
		change func(*wallet.Coin)
		usable bool
	}{
		{"plain coin", func(*wallet.Coin) {}, true},
		{"P2PKH", func(c *wallet.Coin) { c.Script = k1.PubKeyHash() }, true},
		{"of the mempool", func(c *wallet.Coin) { c.Height = next }, true},
		{"ripe coinbase", func(c *wallet.Coin) { c.Coinbase, c.Height = true, next-maturity }, true},
		{"unripe coinbase", func(c *wallet.Coin) { c.Coinbase, c.Height = true, next-maturity+1 }, false},
		{"another key's", func(c *wallet.Coin) { c.Script = k2.PubKey() }, false},
		{"multisig with the key", func(c *wallet.Coin) { c.Script = chaintest.MultiSig(1, pub1[:], pub2[:]) }, false},
		{"locked by time", func(c *wallet.Coin) {
			c.Script = append([]byte{1, 99, script.OpCheckLockTimeVerify, script.OpDrop}, k1.PubKey()...)
		}, false},
		{"tokens", func(c *wallet.Coin) { c.Script = k1.Tokens() }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := coin(t, 7, 50_000)
			c.change(&first)
			source := &listSource{next: next, coins: []wallet.Coin{first, coin(t, 8, 50_000)}}
			tx, err := newWallet(t, "ac_cbmaturity=10").CreateToken(source, "T", 1, "", nil)
			require.NoError(t, err)
			want := 8
			if c.usable {
				want = 7
			}
			require.Equal(t, []int{want}, inputs(tx))
		})
	}
}

// TestDataConditions checks the eval codes that follow from the first byte of a token's data:
// those of the first output, of the search for tokens, and of the outputs of a transfer.
func TestDataConditions(t *testing.T) {
	k1, k2 := chaintest.Key(t, 1).Token(), chaintest.Key(t, 2).Token()
	for name, c := range map[string]struct {
		data                     []byte
		created, looked, paidOut []byte
	}{
		"fungible":             {nil, []byte{token.Eval}, []byte{token.Eval}, []byte{token.Eval}},
		"of another module":    {[]byte{0xf1, 5}, []byte{0xf1, token.Eval}, []byte{0xf1, token.Eval}, []byte{0xf1, token.Eval}},
		"of the tokens module": {[]byte{0xf2}, []byte{token.Eval}, []byte{token.Eval, token.Eval}, []byte{token.Eval}},
		"of no module":         {[]byte{0}, []byte{0, token.Eval}, []byte{token.Eval}, []byte{0, token.Eval}},
	} {
		t.Run(name, func(t *testing.T) {
			w := wallet.New(wallet.Config{Key: chaintest.Key(t, 1).Private, DataCarrierSize: relayLimit, AllowUnheld: true,
				Params: chaintest.Params(t, "ac_name=TOKTEST ac_cc=2 ac_sapling=1")})
			creation, err := w.CreateToken(&listSource{next: 2, coins: coins(t, 50_000)}, "T", 1, "", c.data)
			require.NoError(t, err)
			require.Equal(t, wire.TxOut{Value: 10_000, Script: token.MarkerScript()}, creation.Outputs[0])
			require.Equal(t, wire.TxOut{Value: 1, Script: token.Script(c.created, k1)}, creation.Outputs[1])
			payload, err := token.DecodePayload(creation.Outputs[3].Script)
			require.NoError(t, err)
			require.Equal(t, c.data, payload.Blob(token.NFTData))
			require.Equal(t, k1[:], payload.Owner)

			info, held := payload.Creation(), token.Script(c.looked, k1)
			source := &listSource{next: 2, coins: coins(t, wallet.Fee), creation: &info,
				tokens: map[script.Address][]wallet.Coin{script.PubKeyAddress(held): {{Out: outPoint(9), Value: 3, Script: held}}}}
			transfer, err := w.TransferToken(source, creation.ID(), k2, 2)
			require.NoError(t, err)
			require.Equal(t, wire.TxOut{Value: 2, Script: token.Script(c.paidOut, k2)}, transfer.Outputs[0])
			require.Equal(t, wire.TxOut{Value: 1, Script: token.Script(c.paidOut, k1)}, transfer.Outputs[1])
			requireSpends(t, transfer, [][]byte{chaintest.Key(t, 1).PubKey(), held}, wallet.Fee, 3)
		})
	}
}

// TestUnheldTokens checks that a token that no key would hold is refused, unless it is allowed
// or the chain is regtest.
func TestUnheldTokens(t *testing.T) {
	for first, lost := range map[byte]bool{0: true, token.Eval: true, 1: false, 0xf1: false, 0xf3: false, 'h': false} {
		from := &listSource{next: 2, coins: coins(t, 50_000)}
		data := []byte{first, 2, 3}
		_, err := newWallet(t, "").CreateToken(from, "T", 1, "", data)
		if lost {
			require.ErrorIs(t, err, wallet.ErrUnheld, first)
		} else {
			require.NoError(t, err, first)
		}
		_, err = newWallet(t, "regtest=true").CreateToken(from, "T", 1, "", data)
		require.NoError(t, err, first)
	}
}

// requireSpends runs the scripts of a transaction in a Sapling block.
func requireSpends(t *testing.T, tx *wire.Tx, scripts [][]byte, values ...int64) {
	t.Helper()
	for i := range tx.Inputs {
		spend := script.Spend{Tx: tx, Index: i, Amount: values[i], BranchID: 0x76b809bb}
		require.NoError(t, spend.Verify(scripts[i], script.StandardFlags))
	}
}

// TestForeignTokens checks that tokens in another form of the condition are spent, and that a
// token output that the key cannot spend is an error of the source.
func TestForeignTokens(t *testing.T) {
	k1, k2 := chaintest.Key(t, 1), chaintest.Key(t, 2)
	w := newWallet(t, "")
	transfer := func(pkScript []byte) (*wire.Tx, error) {
		s := tokens(t, 5)
		s.tokens[script.PubKeyAddress(k1.Tokens())][0].Script = pkScript
		return w.TransferToken(&s, wire.Hash{1}, k2.Token(), 5)
	}
	withData := append(k1.Tokens(), 1, 42, script.OpDrop)
	tx, err := transfer(withData)
	require.NoError(t, err)
	requireSpends(t, tx, [][]byte{k1.PubKey(), withData}, wallet.Fee, 5)

	for _, foreign := range [][]byte{k2.Tokens(), k2.PubKey(), token.Script([]byte{0xe3, token.Eval}, k1.Token())} {
		tx, err = transfer(foreign)
		require.Nil(t, tx)
		require.ErrorIs(t, err, wallet.ErrForeign)
	}
}
