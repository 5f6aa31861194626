package evm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/nodetest"
)

func little(t testing.TB) coin.WithdrawRequest {
	return coin.WithdrawRequest{To: somebody, Amount: rational(t, "0.001"), Send: true}
}

// One account sends the coin and a token, and what was signed before, at the same time.
func TestSendingTogether(t *testing.T) {
	b := newBench(t)
	b.eth.Nonce(own, 7)
	_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
	require.NoError(t, err)
	platform, token := get[*Platform](t, b, "ETH"), get[*Token](t, b, "SIX-ERC20")
	before := little(t)
	before.Send = false
	made, err := token.Withdraw(t.Context(), before)
	require.NoError(t, err)
	_, err = platform.Broadcast(t.Context(), made.Raw)
	require.NoError(t, err)
	from := []coin.Withdrawer{platform, token}
	var group errgroup.Group
	for i := range 20 {
		group.Go(func() error {
			_, err := from[i%2].Withdraw(t.Context(), little(t))
			return err
		})
	}
	require.NoError(t, group.Wait())
	var want []uint64
	for i := range uint64(21) {
		want = append(want, 7+i)
	}
	require.Equal(t, want, b.eth.Nonces(own))
}

// A refusal gives the nonce back, and a platform that is activated anew, with a node that
// has not heard of anything, knows what was sent.
func TestSendQueueGoesOn(t *testing.T) {
	b := newBench(t)
	b.Queue = coin.NewSendQueue(time.Now)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	b.eth.Refuse("txpool is full")
	_, err = get[*Platform](t, b, "ETH").Withdraw(t.Context(), little(t))
	require.ErrorAs(t, err, new(*coin.RefusedError))
	b.eth.Refuse("")
	_, err = get[*Platform](t, b, "ETH").Withdraw(t.Context(), little(t))
	require.NoError(t, err)
	require.Equal(t, []uint64{0}, b.eth.Nonces(own))

	_, err = b.Active.Disable(t.Context(), "ETH", false)
	require.NoError(t, err)
	other := nodetest.New(1, 100).Give(own, "2500000000000000001")
	b.net.Set(ethURL, other.Well)
	_, err = b.Activate(t.Context(), eth())
	require.NoError(t, err)
	_, err = get[*Platform](t, b, "ETH").Withdraw(t.Context(), little(t))
	require.NoError(t, err)
	require.Equal(t, []uint64{1}, other.Nonces(own))
}
