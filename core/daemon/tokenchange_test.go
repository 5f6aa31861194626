package daemon_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
)

// TestTransfersInARow checks that repeated transfers from one output of a token spend the
// change of the previous transfer without a block in between.
func TestTransfersInARow(t *testing.T) {
	s, id := newTokenStation(t)
	count := 200
	if testing.Short() {
		count = 20
	}
	for range count {
		s.send("tokentransfer", id, k2, "3")
	}
	require.Equal(t, count, result[struct{ Size int }](s, "getmempoolinfo").Size)
	result[[]string](s, "generate", 1)
	require.Zero(t, result[struct{ Size int }](s, "getmempoolinfo").Size)
	require.Equal(t, 3*count, s.tokens(id, k2))
	require.Equal(t, 1000-3*count, s.tokens(id, k1))
}

// tokens returns the balance of a key.
func (s *station) tokens(id, key string) int {
	s.t.Helper()
	return result[struct{ Balance int }](s, "tokenbalance", id, key).Balance
}

// TestForeignUnconfirmedTokens checks that tokens that another key has paid cannot be spent
// until they are in a block.
func TestForeignUnconfirmedTokens(t *testing.T) {
	s, id := newTokenStation(t)
	key, p := chaintest.Key(t, 2), s.Manager.Params()
	moved := s.send("tokentransfer", id, k2, "600")
	paid := result[string](s, "sendtoaddress", key.Address().Text().String(), "1")
	result[[]string](s, "generate", 1)
	from := []chaintest.Coin{chaintest.Output(s.transaction(wireHash(t, paid)), 1), chaintest.Output(s.transaction(wireHash(t, moved)), 0)}
	tx := chaintest.Spend(p, 5, from, chaintest.Pay(chaintest.Key(t, 1).Tokens(), 100), chaintest.Pay(key.Tokens(), 500),
		chaintest.Pay(key.PubKey(), 99_000_000), chaintest.Transfer(wireHash(t, id), chaintest.Key(t, 1)))
	result[string](s, "sendrawtransaction", hex.EncodeToString(chaintest.Sign(t, tx, p.BranchID(5), from, key).Encode()), true)
	_, hint := s.hinted(id, k2, "401")
	require.Equal(t, "amount is 401, the node's key has 400 confirmed tokens of this id, and 100 wait for the next block", hint)
	result[[]string](s, "generate", 1)
	s.send("tokentransfer", id, k2, "401")
}
