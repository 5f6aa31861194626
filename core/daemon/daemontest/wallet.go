package daemontest

import (
	"context"
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/keyring"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/wallet"
	"obverse/core/store/bunt"
)

// Wallet returns a wallet with the key K1, K2 or K3 of the recordings.
func Wallet(t testing.TB, key int, p *params.Params) (*wallet.Wallet, *keyring.Ring) {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	private := chaintest.Key(t, key).Private
	ring, err := keyring.Open(context.Background(), keyring.Config{Store: kv, Random: rand.Reader, Now: chaintest.Now, Node: private})
	require.NoError(t, err)
	return wallet.New(wallet.Config{Key: private, Ring: ring, Params: p, DataCarrierSize: mempool.DataCarrierSize}), ring
}
