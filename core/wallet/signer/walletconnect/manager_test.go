package walletconnect

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/walletconnect/walletconnecttest"
	"obverse/core/wallet/signer/walletconnect/wire"
)

func TestSession(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		c, p := w.propose(t)
		require.Empty(t, w.Sessions())
		require.Equal(t, required(), p.Required)
		require.Equal(t, c.Topic, p.Pairing)
		require.Equal(t, "Obverse", p.Proposer.Metadata.Name)
		k := w.wallet.Approve(t, p, settled, nil)
		s, err := w.Await(t.Context(), c.Topic)
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, []Event{{Topic: s.Topic, Kind: Settled}}, w.events.take())
		require.Equal(t, k.Topic(), s.Topic)
		require.Equal(t, c.Topic, s.Pairing)
		require.Equal(t, []string{hub}, s.Namespaces["cosmos"].Chains, "the wallet sent null")
		require.Equal(t, "Test wallet", s.Peer.Name)
		require.Equal(t, []Session{s}, w.Sessions())
		require.JSONEq(t, "true", string(w.wallet.Next(t, func(m walletconnecttest.Message) bool { return m.Topic == s.Topic }).Result), "the wallet is notified")

		done := make(chan error, 1)
		go func() { done <- w.Ping(t.Context(), s.Topic) }()
		ping := w.request(t, wire.SessionPing)
		w.wallet.Send(t, k, wire.Message{ID: ping.ID, Result: raw("true")})
		require.NoError(t, <-done)

		require.NoError(t, w.Delete(t.Context(), s.Topic))
		require.JSONEq(t, `{"code":6000,"message":"User disconnected."}`, string(w.request(t, wire.SessionDelete).Params))
		require.Empty(t, w.Sessions())
		require.ErrorIs(t, w.Delete(t.Context(), s.Topic), ErrNoSession)
		require.ErrorIs(t, w.Ping(t.Context(), s.Topic), ErrNoSession)
		_, err = w.Session(s.Topic)
		require.ErrorIs(t, err, ErrNoSession)
		require.Equal(t, []Event{{Topic: s.Topic, Kind: Ended, Reason: ErrDeleted}}, w.events.take())
		time.Sleep(10 * time.Minute)
		require.Zero(t, w.relay.Connections()-1, "with nothing to wait for the connection ends; the wallet's stays")
	})
}
