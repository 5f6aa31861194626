package walletconnect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/wallet/signer/walletconnect/walletconnecttest"
	"obverse/core/wallet/signer/walletconnect/wire"
)

func TestRejections(t *testing.T) {
	for code, rejected := range map[int64]bool{5000: true, 5001: true, 5002: true, 5003: true, 4001: true, 5100: false, 1: false} {
		run(t, func(t *testing.T, w *world) {
			c, p := w.propose(t)
			w.wallet.Reject(t, p, code, "User rejected\x07.")
			_, err := w.Await(t.Context(), c.Topic)
			require.Equal(t, rejected, errors.Is(err, ErrRejected), code)
			require.Equal(t, code == 5100, errors.Is(err, ErrUnsupported), code)
			require.ErrorContains(t, err, "User rejected.")
			_, again := w.Await(t.Context(), c.Topic)
			require.Equal(t, err, again)
			require.Empty(t, w.Sessions())
		})
	}
}

func TestRequests(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, k := w.connect(t)
		type result struct {
			text string
			err  error
		}
		ask := func(ctx context.Context) <-chan result {
			done := make(chan result, 1)
			go func() {
				r, err := w.Request(ctx, s.Topic, hub, "cosmos_signDirect", map[string]string{"a": "b"})
				done <- result{string(r), err}
			}()
			return done
		}
		first, second := ask(t.Context()), ask(t.Context())
		one, two := w.request(t, wire.SessionRequest), w.request(t, wire.SessionRequest)
		require.Contains(t, string(one.Params), `{"request":{"method":"cosmos_signDirect","params":{"a":"b"},"expiryTimestamp":`)
		require.NotEqual(t, one.ID, two.ID)
		w.wallet.Send(t, k, wire.Message{ID: two.ID, Result: raw(`2`)})
		w.wallet.Send(t, k, wire.Message{ID: one.ID, Error: &wire.Error{Code: 4001, Message: "no"}})
		w.wallet.Send(t, k, wire.Message{ID: one.ID, Result: raw(`1`)}) // too late
		results := []result{<-first, <-second}
		if results[0].err == nil {
			results[0], results[1] = results[1], results[0]
		}
		require.ErrorIs(t, results[0].err, ErrRejected)
		require.Equal(t, result{"2", nil}, results[1])

		began := time.Now()
		require.ErrorIs(t, (<-ask(t.Context())).err, ErrTimeout)
		require.Equal(t, requestTime, time.Since(began))
		ctx, cancel := context.WithCancel(t.Context())
		given := ask(ctx)
		synctest.Wait()
		cancel()
		require.ErrorIs(t, (<-given).err, context.Canceled)
		require.ErrorIs(t, w.Ping(t.Context(), s.Topic), ErrTimeout)
		unanswered, _ := w.open()
		require.Zero(t, unanswered)

		for chain, method := range map[string]string{"cosmos:osmosis-1": "cosmos_signDirect", hub: "eth_sign", ethereum: "personal_sign"} {
			_, err := w.Request(t.Context(), s.Topic, chain, method, nil)
			require.ErrorIs(t, err, wire.ErrNotInSession)
		}
		_, err := w.Request(t.Context(), "x", hub, "cosmos_signDirect", nil)
		require.ErrorIs(t, err, ErrNoSession)
		_, err = w.Request(t.Context(), s.Topic, hub, "cosmos_signDirect", strings.Repeat("x", wire.MaxEnvelope))
		require.ErrorIs(t, err, wire.ErrEnvelope)

		for len(w.wallet.Messages) > 0 { // unanswered requests
			<-w.wallet.Messages
		}
		waiting := ask(t.Context())
		w.request(t, wire.SessionRequest)
		w.wallet.Send(t, k, wire.Message{ID: w.wallet.NextID(), Method: wire.SessionDelete, Params: raw(`{"code":6000,"message":"x"}`)})
		require.ErrorIs(t, (<-waiting).err, ErrDisconnected)
		require.Empty(t, w.Sessions())
	})
}

func TestChangesOfTheWallet(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, k := w.connect(t)
		send := func(id uint64, method, params string) walletconnecttest.Message {
			w.wallet.Send(t, k, wire.Message{ID: id, Method: method, Params: raw(params)})
			return w.reply(t, id)
		}
		old, id := w.wallet.NextID(), w.wallet.NextID()+5000
		updated := strings.ReplaceAll(settled, "cosmoshub-4", "osmosis-1")
		require.JSONEq(t, "true", string(send(id, wire.SessionUpdate, `{"namespaces":`+updated+`}`).Result))
		now, err := w.Session(s.Topic)
		require.NoError(t, err)
		require.Equal(t, []string{"cosmos:osmosis-1"}, now.Namespaces["cosmos"].Chains)
		require.EqualValues(t, codeInvalidUpdate, send(old, wire.SessionUpdate, `{"namespaces":`+settled+`}`).Error.Code, "an older change")
		require.EqualValues(t, codeInvalidUpdate, send(id+1000, wire.SessionUpdate, `{"namespaces":{}}`).Error.Code)
		require.EqualValues(t, codeInvalidUpdate, send(id+2000, wire.SessionUpdate, `null`).Error.Code)

		time.Sleep(24 * time.Hour)
		require.NotNil(t, send(id+3000, wire.SessionExtend, `{}`).Result)
		longer, err := w.Session(s.Topic)
		require.NoError(t, err)
		require.Equal(t, s.Expires.Add(24*time.Hour), longer.Expires)
		require.NotNil(t, send(id+4000, wire.SessionExtend, `{"expiry":99999999999999}`).Result)
		longest, err := w.Session(s.Topic)
		require.NoError(t, err)
		require.WithinDuration(t, time.Now().Add(maxSession), longest.Expires, time.Second)
		require.NotNil(t, send(id+5000, wire.SessionExtend, `{"expiry":-5}`).Result)
		same, err := w.Session(s.Topic)
		require.NoError(t, err)
		require.Equal(t, longest, same, "the expiry is never reduced")

		synctest.Wait()
		kinds := []Kind{}
		for _, e := range w.events.take() {
			kinds = append(kinds, e.Kind)
		}
		require.Equal(t, []Kind{Updated, Extended, Extended, Extended}, kinds)

		require.NotNil(t, send(id+6000, wire.SessionEvent, `{"event":{"name":"accountsChanged","data":["x"]},"chainId":"cosmos:osmosis-1"}`).Result)
		synctest.Wait()
		require.Equal(t, []Event{{Topic: s.Topic, Kind: Emitted, Chain: "cosmos:osmosis-1", Name: "accountsChanged", Data: raw(`["x"]`)}}, w.events.take())
		for _, params := range []string{`{"event":{"name":"other","data":1},"chainId":"cosmos:osmosis-1"}`, `{"event":{"name":"accountsChanged"},"chainId":"cosmos:x"}`, `1`,
			`{"event":{"name":"accountsChanged","data":"` + strings.Repeat("x", maxEventData) + `"},"chainId":"cosmos:osmosis-1"}`} {
			id += 10000
			require.EqualValues(t, codeBadEvent, send(id, wire.SessionEvent, params).Error.Code)
		}
		require.NotNil(t, send(id+1000, wire.SessionPing, `{}`).Result)
		require.EqualValues(t, codeUnauthorized, send(id+2000, wire.SessionRequest, `{}`).Error.Code)
		require.EqualValues(t, codeUnsupported, send(id+3000, "wc_other", `{}`).Error.Code)
		require.Empty(t, w.events.take())
	})
}

func TestExpiry(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		c, err := w.NewConnection(t.Context(), required(), nil)
		require.NoError(t, err)
		began := time.Now()
		_, err = w.Await(t.Context(), c.Topic)
		require.ErrorIs(t, err, ErrTimeout)
		require.WithinDuration(t, began.Add(pairingTime), time.Now(), 2*time.Second)

		s, _ := w.connect(t)
		time.Sleep(7*24*time.Hour - 2*time.Minute)
		require.Len(t, w.Sessions(), 1)
		waiting := make(chan error, 1)
		go func() {
			_, err := w.Request(t.Context(), s.Topic, hub, "cosmos_signDirect", nil)
			waiting <- err
		}()
		require.ErrorIs(t, <-waiting, ErrExpired, "the session expires during the request")
		require.Empty(t, w.Sessions())
		synctest.Wait()
		require.Equal(t, []Event{{Topic: s.Topic, Kind: Ended, Reason: ErrExpired}}, w.events.take())
		require.Empty(t, w.rows(t))
	})
}

// rows returns the keys of the store.
func (w *world) rows(t *testing.T) []store.Entry {
	t.Helper()
	rows, err := w.kv.Scan(t.Context(), prefix, "", 1000)
	require.NoError(t, err)
	return rows
}

func TestRestart(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, k := w.connect(t)
		c, p := w.propose(t)
		w.stop()
		for _, row := range w.rows(t) {
			for _, secret := range []string{"cosmos", "hkg6p4", "Test wallet", string(k[:]), "session_key"} {
				require.NotContains(t, row.Data, secret)
			}
		}
		// While the node is offline, the wallet changes the session and approves another one.
		updated := strings.ReplaceAll(settled, "cosmoshub-4", "osmosis-1")
		w.wallet.Send(t, k, wire.Message{ID: w.wallet.NextID() + 5000, Method: wire.SessionUpdate, Params: raw(`{"namespaces":` + updated + `}`)})
		w.wallet.Approve(t, p, settled, nil)
		w.relay.Down(true)
		w.start(t)
		require.Equal(t, []Session{s}, w.Sessions(), "before the relay is reachable")
		w.relay.Down(false)
		other, err := w.Await(t.Context(), c.Topic)
		require.NoError(t, err)
		synctest.Wait()
		require.Len(t, w.Sessions(), 2)
		now, err := w.Session(s.Topic)
		require.NoError(t, err)
		require.Equal(t, []string{"cosmos:osmosis-1"}, now.Namespaces["cosmos"].Chains)
		require.NotEqual(t, s.Topic, other.Topic)
		done := make(chan error, 1)
		go func() { done <- w.Ping(t.Context(), s.Topic) }()
		w.wallet.Send(t, k, wire.Message{ID: w.request(t, wire.SessionPing).ID, Result: raw("true")})
		require.NoError(t, <-done)

		w.stop()
		w.secret = [32]byte{2}
		w.start(t)
		require.Empty(t, w.Sessions(), "another passphrase has its own sessions")
		w.stop()
		w.secret = [32]byte{1}
		rows := w.rows(t)
		for n, row := range rows { // damaged in different ways, and one moved to another key
			data := []string{row.Data[:10], rows[(n+1)%len(rows)].Data}[n%2]
			var b store.Batch
			b.Put(row.Key, data)
			require.NoError(t, store.Apply(t.Context(), w.kv, b))
		}
		w.start(t)
		require.Empty(t, w.Sessions())
		require.Contains(t, w.logs.lines, "skipped damaged sessions with wallets")
	})
}

func TestRelayLost(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, k := w.connect(t)
		w.relay.Down(true)
		done := make(chan error, 1)
		go func() {
			_, err := w.Request(t.Context(), s.Topic, hub, "cosmos_signDirect", nil)
			done <- err
		}()
		time.Sleep(20 * time.Second)
		w.relay.Down(false)
		q := w.request(t, wire.SessionRequest)
		w.relay.Cut()
		w.wallet.Send(t, k, wire.Message{ID: q.ID, Result: raw("true")})
		require.NoError(t, <-done, "the relay stored the response")

		w.relay.Down(true)
		_, err := w.NewConnection(t.Context(), required(), nil)
		require.ErrorContains(t, err, "relay.example: unreachable")
		_, pairings := w.open()
		require.Zero(t, pairings)
		require.NoError(t, w.Delete(t.Context(), s.Topic), "a session can be deleted while offline")
		require.Empty(t, w.rows(t))
		time.Sleep(10 * time.Minute)
		w.relay.Down(false)
		require.Equal(t, k.Topic(), w.request(t, wire.SessionDelete).Topic, "the wallet is notified when the relay is back")
	})
}

func TestOldRelay(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.relay.Old = true
		s, _ := w.connect(t)
		w.relay.Cut()
		time.Sleep(10 * time.Minute)
		require.Equal(t, 2, w.relay.Connections(), "a known method checks the connection")
		require.NoError(t, w.Delete(t.Context(), s.Topic))
	})
}

// A relay that stops responding is detected.
func TestMuteRelay(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.connect(t)
		before := len(w.relay.URLs())
		w.relay.Mute(true)
		time.Sleep(3 * time.Minute)
		w.relay.Mute(false)
		time.Sleep(3 * time.Minute)
		require.Greater(t, len(w.relay.URLs()), before)
		require.Equal(t, 2, w.relay.Connections())
	})
}

// A proposal left by a killed node does not remove its session.
func TestProposalLeftOver(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		c, p := w.propose(t)
		k := w.wallet.Approve(t, p, settled, nil)
		s, err := w.Await(t.Context(), c.Topic)
		require.NoError(t, err)
		w.stop()
		left := &pairing{Key: p.Key, Expires: time.Now().Add(pairingTime), Approved: true, SessionKey: k}
		require.NoError(t, w.vault.put(t.Context(), kindPairing, c.Topic, left))
		w.start(t)
		time.Sleep(2 * pairingTime)
		require.Len(t, w.rows(t), 1, "the proposal is removed")
		done := make(chan error, 1)
		go func() { done <- w.Ping(t.Context(), s.Topic) }()
		w.wallet.Send(t, k, wire.Message{ID: w.request(t, wire.SessionPing).ID, Result: raw("true")})
		require.NoError(t, <-done, "the session still receives messages")
	})
}

// A response is accepted even if the relay does not confirm the request.
func TestAnswerWithoutConfirmation(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, k := w.connect(t)
		w.relay.Unconfirmed(true)
		done := make(chan error, 1)
		go func() {
			_, err := w.Request(t.Context(), s.Topic, hub, "cosmos_signDirect", nil)
			done <- err
		}()
		q := w.request(t, wire.SessionRequest)
		go func() {
			_ = w.wallet.SendPlain(t.Context(), k, fmt.Appendf(nil, `{"id":%d,"jsonrpc":"2.0","result":true}`, q.ID))
		}() // also not confirmed
		require.NoError(t, <-done)
	})
}

// TestOwnProposalComesBack checks that a restarted node ignores its own proposal, which a relay
// may return. A response to it would be mistaken for the wallet's, by the wallet or after the
// next restart.
func TestOwnProposalComesBack(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		c, p := w.propose(t)
		w.wallet.Send(t, p.Key, wire.Message{ID: p.ID, Method: wire.SessionPropose, Params: raw(`{}`)})
		synctest.Wait()
		require.Empty(t, w.wallet.Messages)
		w.wallet.Approve(t, p, settled, nil)
		_, err := w.Await(t.Context(), c.Topic)
		require.NoError(t, err)
	})
}
