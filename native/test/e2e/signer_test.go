package e2e

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
	"obverse/core/config"
	"obverse/core/key"
)

// signer returns the key of the nodes.
func signer(t testing.TB) chaintest.Signer {
	t.Helper()
	private, err := key.FromPassphrase(passphrase)
	require.NoError(t, err)
	return chaintest.Signer{Private: private}
}

// other returns the key that receives payments.
func other(t testing.TB) chaintest.Signer { return chaintest.Key(t, 2) }

// newWallet returns the wallet of the nodes' key, for the default chain of a node.
func newWallet(t testing.TB) *chaintest.Wallet {
	t.Helper()
	return chaintest.NewWallet(t, signer(t), config.Default().Chain.Options)
}

// premine returns the coin that block 1 pays to the node's key.
func (n *node) premine() chaintest.Coin {
	n.t.Helper()
	var text string
	n.call(&text, "getblock", "1", 0)
	return chaintest.Premine(n.t, text)
}

func encoded(tx *wire.Tx) string { return hex.EncodeToString(tx.Encode()) }
