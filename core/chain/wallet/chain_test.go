package wallet_test

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/mempool"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
)

// TestBuiltTransactionsAreAccepted makes two wallets create, transfer, burn and pay on a chain,
// in every transaction format.
func TestBuiltTransactionsAreAccepted(t *testing.T) {
	for name, upgrades := range map[string]string{
		"legacy": "ac_sapling=1000", "overwinter": "ac_overwinter=1 ac_sapling=1000", "sapling": "ac_sapling=1",
	} {
		t.Run(name, func(t *testing.T) {
			c := chaintest.InMemory(t, "ac_name=TOKTEST ac_supply=1000 ac_reward=100000000 ac_cc=2 "+upgrades)
			k1, k2 := member{c, chaintest.Key(t, 1)}, member{c, chaintest.Key(t, 2)}
			c.Mine()

			c.Mine(k1.build(t, func(w *wallet.Wallet, from wallet.Source) (*wire.Tx, error) {
				return pay(c, k1.Signer, from, k2.PubKeyHash(), 1_000_000)
			}))
			creation := k1.build(t, func(w *wallet.Wallet, from wallet.Source) (*wire.Tx, error) {
				return w.CreateToken(from, "T", 100, "fungible", nil)
			})
			c.Mine(creation)
			single := k2.build(t, func(w *wallet.Wallet, from wallet.Source) (*wire.Tx, error) {
				return w.CreateToken(from, "N", 1, "one of a kind", []byte{0xf1, 1})
			})
			c.Mine(single)
			c.Mine(k1.build(t, transferring(creation, k2.Token(), 60)))
			burn := k2.build(t, transferring(creation, token.BurnKey(), 10))
			gift := k2.build(t, transferring(single, k1.Token(), 1), burn)
			require.Equal(t, burn.ID(), gift.Inputs[0].PrevOut.Hash, "the change of the one pays for the other")
			c.Mine(burn, gift)

			require.EqualValues(t, 40, k1.tokens(t, creation, token.Eval))
			require.EqualValues(t, 50, k2.tokens(t, creation, token.Eval))
			require.EqualValues(t, 1, k1.tokens(t, single, 0xf1, token.Eval))
			require.Zero(t, k2.tokens(t, single, 0xf1, token.Eval))
		})
	}
}

// member is a key that takes part in a chain.
type member struct {
	chain *chaintest.Chain
	chaintest.Signer
}

type build = func(*wallet.Wallet, wallet.Source) (*wire.Tx, error)

// build calls f with a snapshot of the chain and a mempool. Its coins are compared with those
// of a slow reference.
func (m member) build(t *testing.T, f build, waiting ...*wire.Tx) (tx *wire.Tx) {
	t.Helper()
	w := wallet.New(wallet.Config{Key: m.Private, Params: m.chain.Params(), DataCarrierSize: relayLimit})
	pool, err := mempool.New(t.Context(), mempool.Config{Manager: m.chain.Manager, Store: m.chain.Store, Now: chaintest.Now})
	require.NoError(t, err)
	for _, tx := range waiting {
		_, err := pool.Accept(t.Context(), tx.Encode(), true)
		require.NoError(t, err)
	}
	require.NoError(t, m.chain.Read(t.Context(), func(v *chain.View) (err error) {
		from, reference := wallet.Snapshot{View: v, Pool: pool}, chainSource{View: v, pool: waiting}
		for n := 1; n <= 3; n++ {
			address := chaintest.Key(t, n).Address().Text()
			require.Equal(t, listed(t, reference.Coins(address)), listed(t, from.Coins(address)))
		}
		tx, err = f(w, from)
		return err
	}))
	return tx
}

func listed(t *testing.T, coins iter.Seq2[wallet.Coin, error]) (list []wallet.Coin) {
	t.Helper()
	for coin, err := range coins {
		require.NoError(t, err)
		list = append(list, coin)
	}
	return list
}

func transferring(creation *wire.Tx, dest token.Key, amount int64) build {
	return func(w *wallet.Wallet, from wallet.Source) (*wire.Tx, error) {
		return w.TransferToken(from, creation.ID(), dest, amount)
	}
}

func (m member) tokens(t *testing.T, creation *wire.Tx, codes ...byte) (held int64) {
	t.Helper()
	address := chain.AddressesOf(token.Script(codes, m.Token()))[0]
	require.NoError(t, m.chain.Read(t.Context(), func(v *chain.View) (err error) {
		held, err = v.TokenBalance(creation.ID(), address)
		return err
	}))
	return held
}
