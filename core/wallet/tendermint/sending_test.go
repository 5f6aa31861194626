package tendermint

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/tendermint/wire"
)

func sequenceOf(t testing.TB, raw []byte) uint64 {
	t.Helper()
	var sent wire.Tx
	require.NoError(t, wire.Decode(raw, &sent))
	var auth wire.AuthInfo
	require.NoError(t, wire.Decode(sent.AuthInfo, &auth))
	return auth.Signers[0].Sequence
}

// One account sends the coin and a token at the same time, over an activation of both
// anew: the chain makes no block meanwhile, so that it tells the same sequence all the
// time.
func TestSendingTogether(t *testing.T) {
	b := newBench(t)
	b.Queue = coin.NewSendQueue(time.Now)
	amount, err := number.ParseRational("0.00001")
	require.NoError(t, err)
	for range 2 {
		_, err := b.Activate(t.Context(), atom("CAREFUL-IBC_ATOM"))
		require.NoError(t, err)
		from := []coin.Withdrawer{get[*Platform](t, b, "ATOM"), get[*Token](t, b, "CAREFUL-IBC_ATOM")}
		var group errgroup.Group
		for i := range 10 {
			group.Go(func() error {
				_, err := from[i%2].Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: amount, Send: true})
				return err
			})
		}
		require.NoError(t, group.Wait())
		for _, ticker := range []string{"CAREFUL-IBC_ATOM", "ATOM"} {
			_, err = b.Active.Disable(t.Context(), ticker, true)
			require.NoError(t, err)
		}
	}
	sent := b.gaiad.Sent()
	require.Len(t, sent, 20)
	first := sequenceOf(t, sent[0])
	for i, raw := range sent {
		require.Equal(t, first+uint64(i), sequenceOf(t, raw))
	}
}
