package servertest

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc/keys"
	"obverse/core/net/proxyauth"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/swap"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft"
	"obverse/core/wallet/nft/nfttest"
)

// BobsKeys returns the keys of bob's passphrase and of a known identity.
func BobsKeys(t *testing.T) keys.Keys {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	identity, err := key.OpenIdentity(t.Context(), kv, bytes.NewReader(bytes.Repeat([]byte{0x7b}, 32)))
	require.NoError(t, err)
	require.NoError(t, kv.Close())
	ring, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	return keys.Keys{Ring: ring, Identity: identity}
}

// NFTIndexer is the URL of the indexer in documented calls.
const NFTIndexer = "https://moralis-proxy.komodo.earth"

// NewGallery returns a gallery that sends all requests to one server.
func NewGallery(kv store.KV, active *coin.Active, identity proxyauth.Signer, world *nfttest.Server) *nft.Gallery {
	return nft.New(nft.Config{Active: active, Registry: coin.NewRegistry(nil), Store: kv, Fetcher: world, Identity: identity, Now: time.Now})
}

// BeginSwap adds a swap to a ledger.
func BeginSwap(t testing.TB, ledger *swap.Ledger, id, ticker, volume, fee string) {
	t.Helper()
	amount, err := number.ParseRational(volume)
	require.NoError(t, err)
	cost, err := number.ParseRational(fee)
	require.NoError(t, err)
	require.NoError(t, ledger.Begin(t.Context(), swap.Swap{ID: id, Side: swap.Maker,
		Payment: swap.Payment{Coin: ticker, Amount: amount, Fee: swap.Fee{Coin: ticker, Amount: cost}}}))
}
