package wallet_test

import (
	"context"
	"crypto/rand"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/keyring"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/store/bunt"
)

// pay builds a payment from the coins of one key.
func pay(c *chaintest.Chain, from chaintest.Signer, source wallet.Source, pkScript []byte, amount int64) (*wire.Tx, error) {
	p := wallet.Payment{Params: c.Params(), Height: source.NextHeight(), Change: from.PubKey(), Recipients: []wallet.Recipient{{Script: pkScript, Amount: amount}}}
	for coin, err := range source.Coins(from.Address().Text()) {
		if err != nil {
			return nil, err
		}
		p.Candidates = append(p.Candidates, wallet.Candidate{Coin: coin, Depth: 6})
	}
	p.Sign = signWith(wallet.Given([]keyring.Signer{{Private: from.Private, Public: public(from)}}, nil), c.Params().BranchID(source.NextHeight()))
	paid, err := p.Build()
	return paid.Tx, err
}

func public(s chaintest.Signer) []byte {
	key := s.PublicKey()
	return key[:]
}

func signWith(keys wallet.Keys, branch uint32) func(tx *wire.Tx, coins []wallet.Coin) error {
	return func(tx *wire.Tx, coins []wallet.Coin) error {
		in := wallet.InputSigner{Keys: keys, Tx: tx, Branch: branch, HashType: script.SigHashAll}
		for i, c := range coins {
			tx.Inputs[i].ScriptSig = in.Sign(i, c.Script, c.Value)
		}
		return nil
	}
}

// payment returns a payment from coins of the given values, with signatures of a fixed size.
func payment(t *testing.T, recipients []wallet.Recipient, values ...int64) *wallet.Payment {
	p := &wallet.Payment{Params: chaintest.Params(t, "ac_name=PAY ac_supply=1000 ac_cc=2 ac_sapling=1"), Height: 10, LockTime: 7, Recipients: recipients, Change: chaintest.Key(t, 1).PubKey()}
	for i, v := range values {
		p.Candidates = append(p.Candidates, wallet.Candidate{Coin: coin(t, i, v), Depth: 10})
	}
	p.Sign = func(tx *wire.Tx, _ []wallet.Coin) error {
		for i := range tx.Inputs {
			tx.Inputs[i].ScriptSig = make([]byte, 72)
		}
		return nil
	}
	return p
}

// TestPayment checks the choice of coins, the position of the change and the fee with komodod's rules.
func TestPayment(t *testing.T) {
	to := chaintest.Key(t, 2).PubKeyHash()
	const unit = 100_000_000
	for _, c := range []struct {
		name       string
		recipients []wallet.Recipient
		values     []int64
		inputs     []int
		outputs    []int64
		change     int
		err        error
	}{
		{"the smallest coin above the amount and a hundredth", []wallet.Recipient{{Script: to, Amount: unit}}, []int64{5 * unit, 2 * unit, 3 * unit}, []int{1}, []int64{unit - 5000, unit}, 0, nil},
		{"a coin of just amount and fee", []wallet.Recipient{{Script: to, Amount: unit}}, []int64{5 * unit, unit + 5000}, []int{1}, []int64{unit}, -1, nil},
		{"all small coins", []wallet.Recipient{{Script: to, Amount: 3 * unit}}, []int64{unit, unit, unit + 5000}, []int{0, 1, 2}, []int64{3 * unit}, -1, nil},
		{"the change is before the last recipient", []wallet.Recipient{{Script: to, Amount: unit}, {Script: to, Amount: 2 * unit}}, []int64{5 * unit}, []int{0}, []int64{unit, 2*unit - 5000, 2 * unit}, 1, nil},
		{"the recipient pays the fee", []wallet.Recipient{{Script: to, Amount: unit, PaysFee: true}}, []int64{5 * unit}, []int{0}, []int64{4 * unit, unit - 5000}, 0, nil},
		{"two pay the fee", []wallet.Recipient{{Script: to, Amount: unit, PaysFee: true}, {Script: to, Amount: unit, PaysFee: true}}, []int64{2 * unit}, []int{0}, []int64{unit - 2500, unit - 2500}, -1, nil},
		{"change that would be dust is fee", []wallet.Recipient{{Script: to, Amount: unit}}, []int64{unit + 5053}, []int{0}, []int64{unit}, -1, nil},
		{"dust", []wallet.Recipient{{Script: to, Amount: 53}}, []int64{unit}, nil, nil, 0, wallet.ErrDust},
		{"nothing", nil, []int64{unit}, nil, nil, 0, wallet.ErrNoRecipients},
		{"too little", []wallet.Recipient{{Script: to, Amount: 2 * unit}}, []int64{unit}, nil, nil, 0, wallet.ErrFunds},
		{"too little for the fee", []wallet.Recipient{{Script: to, Amount: unit}}, []int64{unit}, nil, nil, 0, wallet.ErrFunds},
		{"an amount below the fee", []wallet.Recipient{{Script: to, Amount: 4000, PaysFee: true}}, []int64{unit}, nil, nil, 0, wallet.ErrTooLittle},
		{"an amount just above the fee", []wallet.Recipient{{Script: to, Amount: 5050, PaysFee: true}}, []int64{unit}, nil, nil, 0, wallet.ErrDustAfterFee},
	} {
		t.Run(c.name, func(t *testing.T) {
			paid, err := payment(t, c.recipients, c.values...).Build()
			require.ErrorIs(t, err, c.err)
			if c.err != nil {
				return
			}
			got := inputs(paid.Tx)
			slices.Sort(got)
			require.Equal(t, c.inputs, got)
			var values []int64
			for _, out := range paid.Tx.Outputs {
				values = append(values, out.Value)
			}
			require.Equal(t, c.outputs, values)
			require.Equal(t, c.change, paid.Change)
			require.EqualValues(t, 7, paid.Tx.LockTime)
		})
	}
}

// TestPaymentFees checks the minimum fee, fees by size and the fee of settxfee.
func TestPaymentFees(t *testing.T) {
	to := chaintest.Key(t, 2).PubKeyHash()
	var small []int64
	for range 100 {
		small = append(small, 1_000_000)
	}
	p := payment(t, []wallet.Recipient{{Script: to, Amount: 90_000_000}}, small...)
	paid, err := p.Build()
	require.NoError(t, err)
	require.EqualValues(t, len(paid.Tx.Encode()), paid.Fee, "a satoshi a byte")

	p = payment(t, []wallet.Recipient{{Script: to, Amount: 1_000_000}}, 50_000_000)
	p.FeeRate = 100_000
	paid, err = p.Build()
	require.NoError(t, err)
	require.EqualValues(t, 100_000, paid.Fee, "never less than the rate itself")
	p.FeeRate = 500_000_000
	paid, err = p.Build()
	require.NoError(t, err)
	require.EqualValues(t, 10_000_000, paid.Fee, "never more than a tenth of a coin")
}

// FuzzPayment checks payments from coins of any values: each coin must be spent once, and the inputs
// must equal the outputs plus the fee.
func FuzzPayment(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 255}, uint32(4_000_000))
	f.Add([]byte{}, uint32(1))
	f.Add([]byte{50, 50, 50, 50, 50, 50, 50, 50}, uint32(30_000_000))
	f.Fuzz(func(t *testing.T, values []byte, amount uint32) {
		values = values[:min(len(values), 500)]
		var list []int64
		var total int64
		for _, v := range values {
			list, total = append(list, int64(v)*100_000), total+int64(v)*100_000
		}
		p := payment(t, []wallet.Recipient{{Script: chaintest.Key(t, 2).PubKeyHash(), Amount: int64(amount)}}, list...)
		paid, err := p.Build()
		if err != nil {
			require.True(t, amount < 54 || total < int64(amount)+200_000, "%v", err)
			return
		}
		seen, left := map[int]bool{}, int64(0)
		for _, n := range inputs(paid.Tx) {
			require.False(t, seen[n], "spent twice")
			seen[n] = true
			left += list[n]
		}
		for _, out := range paid.Tx.Outputs {
			left -= out.Value
		}
		require.Equal(t, paid.Fee, left)
		require.GreaterOrEqual(t, left, int64(5000))
	})
}

// TestFeeCoinsOfOtherKeys checks that a key without coins can transfer tokens, since another key of
// the ring pays the fee.
func TestFeeCoinsOfOtherKeys(t *testing.T) {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	defer kv.Close()
	k1, k2 := chaintest.Key(t, 1), chaintest.Key(t, 2)
	ring, err := keyring.Open(context.Background(), keyring.Config{Store: kv, Random: rand.Reader, Node: k2.Private, Now: func() time.Time { return time.Unix(1, 0) }})
	require.NoError(t, err)
	_, _, err = ring.Import(t.Context(), k1.Private, true, 1)
	require.NoError(t, err)

	source := tokens(t, 10)
	source.coins, source.creation = nil, &token.Creation{}
	source.coins = []wallet.Coin{{Out: outPoint(9), Value: 50_000, Script: k2.PubKeyHash(), Height: 1}, {Out: outPoint(3), Value: 60_000, Script: k2.PubKey(), Height: 1}}
	w := wallet.New(wallet.Config{Key: k1.Private, Ring: ring, Params: chaintest.Params(t, "ac_name=PAY ac_supply=1000 ac_cc=2 ac_sapling=1")})
	only := byAddress{&source, k2.Address().Text()}
	tx, err := w.TransferToken(only, wire.Hash{1}, k2.Token(), 4)
	require.NoError(t, err)
	require.Len(t, tx.Inputs, 2)
	require.Equal(t, k1.PubKey(), tx.Outputs[2].Script, "the change goes to the key that signs")
	require.NotEmpty(t, tx.Inputs[0].ScriptSig)

	ring.LockCoin(outPoint(3), true)
	ring.LockCoin(outPoint(9), true)
	_, err = w.TransferToken(only, wire.Hash{1}, k2.Token(), 4)
	require.ErrorIs(t, err, wallet.ErrFee, "locked coins pay no fees")
}

// byAddress is a source whose plain coins have one address.
type byAddress struct {
	*listSource
	address script.Address
}

func (s byAddress) Coins(a script.Address) iter.Seq2[wallet.Coin, error] {
	if a != s.address {
		return yieldAll(nil, nil)
	}
	return s.listSource.Coins(a)
}
