package walletconnect

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/walletconnect/relay"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// A settlement that does not match the proposal is rejected.
func TestSettlementsRefused(t *testing.T) {
	account := `"accounts":["cosmos:cosmoshub-4:cosmos1abc"]`
	for name, c := range map[string]struct {
		namespaces string
		change     func(*wire.Settlement)
	}{
		"no namespaces":    {`{}`, nil},
		"null":             {`null`, nil},
		"a list":           {`[1]`, nil},
		"no accounts":      {`{"cosmos":{"chains":["cosmos:cosmoshub-4"],"methods":["cosmos_getAccounts","cosmos_signDirect"]}}`, nil},
		"missing method":   {`{"cosmos":{"methods":["cosmos_getAccounts"],` + account + `}}`, nil},
		"other chain":      {strings.ReplaceAll(settled, "cosmoshub-4", "osmosis-1"), nil},
		"expired":          {settled, func(s *wire.Settlement) { s.Expires = time.Now().Unix() }},
		"negative expiry":  {settled, func(s *wire.Settlement) { s.Expires = -1 << 63 }},
		"other controller": {settled, func(s *wire.Settlement) { s.Controller.PublicKey = strings.Repeat("0", 64) }},
	} {
		run(t, func(t *testing.T, w *world) {
			conn, p := w.propose(t)
			k := w.wallet.Approve(t, p, c.namespaces, c.change)
			_, err := w.Await(t.Context(), conn.Topic)
			require.ErrorContains(t, err, "Invalid session settle request", name)
			m := w.refused(t, k)
			require.EqualValues(t, codeInvalidSettle, m.Error.Code, name)
			require.Empty(t, w.Sessions())
			require.Empty(t, w.rows(t))
		})
	}
}

// refused waits for an error response under a key.
func (w *world) refused(t *testing.T, k wire.SymKey) wire.Message {
	t.Helper()
	for {
		m := <-w.wallet.Messages
		if m.Topic == k.Topic() && m.Error != nil {
			return m.Message
		}
	}
}

// An invalid approval changes nothing; a later valid one is accepted.
func TestApprovalsRefused(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		c, p := w.propose(t)
		for _, result := range []string{`null`, `1`, `{}`, `{"responderPublicKey":"00"}`, `{"responderPublicKey":"` + strings.Repeat("0", 64) + `"}`} {
			w.wallet.Send(t, p.Key, wire.Message{ID: p.ID, Result: raw(result)})
		}
		w.wallet.Send(t, p.Key, wire.Message{ID: p.ID + 1, Error: &wire.Error{Code: 5000}})
		w.wallet.Send(t, p.Key, wire.Message{ID: p.ID + 2, Method: wire.SessionSettle, Params: raw(`{}`)})
		w.wallet.Send(t, p.Key, wire.Message{ID: p.ID + 3, Method: wire.PairingPing, Params: raw(`{}`)})
		require.NotNil(t, w.reply(t, p.ID+2).Error)
		require.NotNil(t, w.reply(t, p.ID+3).Result)
		w.wallet.Approve(t, p, settled, nil)
		_, err := w.Await(t.Context(), c.Topic)
		require.NoError(t, err)
	})
}

func TestPairingDeleted(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		c, p := w.propose(t)
		w.wallet.Send(t, p.Key, wire.Message{ID: w.wallet.NextID(), Method: wire.PairingDelete, Params: raw(`{}`)})
		_, err := w.Await(t.Context(), c.Topic)
		require.ErrorIs(t, err, ErrDisconnected)
	})
}

// Messages that are invalid or encrypted with another key are dropped, and the session still
// works afterwards.
func TestHostileMessages(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, k := w.connect(t)
		publish := func(topic, text string) {
			require.NoError(t, w.wallet.Client.Publish(t.Context(), relay.Publication{Delivery: relay.Delivery{Topic: topic, Text: text}, TTL: time.Minute}))
		}
		foreign, err := wire.Seal(wire.SymKey{9}, strings.NewReader(strings.Repeat("n", 12)), []byte(`{"id":1,"method":"wc_sessionDelete","params":{}}`))
		require.NoError(t, err)
		for _, text := range []string{"", "x", "AA==", foreign, strings.Repeat("A", 400<<10)} {
			publish(s.Topic, text)
		}
		for _, plain := range []string{"", "x", "[]", `{"id":1}`, strings.Repeat(`{"id":`, 9000), `{"id":1,"method":"wc_sessionUpdate","params":[]}`,
			`{"id":18446744073709551615,"result":1}`, `{"id":1,"method":"wc_sessionDelete2"}`} {
			require.NoError(t, w.wallet.SendPlain(t.Context(), k, []byte(plain)))
		}
		done := make(chan error, 1)
		go func() { done <- w.Ping(t.Context(), s.Topic) }()
		ping := w.request(t, wire.SessionPing)
		w.wallet.Send(t, k, wire.Message{ID: ping.ID + 1, Result: raw("true")}) // an unknown id
		w.wallet.Send(t, k, wire.Message{ID: ping.ID, Result: raw("true")})
		require.NoError(t, <-done)
		require.Empty(t, w.events.take())
		require.Len(t, w.Sessions(), 1)
	})
}

// A wallet cannot answer requests of another session.
func TestAnswerOfAnotherSession(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		a, ka := w.connect(t)
		_, kb := w.connect(t)
		done := make(chan string, 1)
		go func() {
			r, _ := w.Request(t.Context(), a.Topic, hub, "cosmos_signDirect", nil)
			done <- string(r)
		}()
		q := w.request(t, wire.SessionRequest)
		w.wallet.Send(t, kb, wire.Message{ID: q.ID, Result: raw(`"false"`)})
		synctest.Wait()
		w.wallet.Send(t, ka, wire.Message{ID: q.ID, Result: raw(`"true"`)})
		require.Equal(t, `"true"`, <-done)
	})
}

// Duplicate messages and the client's own messages from the relay are ignored.
func TestReplays(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, k := w.connect(t)
		id := w.wallet.NextID() + 5000
		plain, err := wire.Message{ID: id, Method: wire.SessionPing, Params: raw(`{}`)}.Encode()
		require.NoError(t, err)
		text, err := wire.Seal(k, strings.NewReader(strings.Repeat("n", 12)), plain)
		require.NoError(t, err)
		for n := range 3 {
			w.relay.Say(`{"id":` + strconv.Itoa(n+1) + `,"jsonrpc":"2.0","method":"irn_subscription","params":{"id":"x","data":{"topic":"` + s.Topic + `","message":"` + text + `"}}}`)
		}
		time.Sleep(time.Second)
		answers := 0
		for len(w.wallet.Messages) > 0 {
			if m := <-w.wallet.Messages; !m.IsRequest() && m.ID == id {
				answers++
			}
		}
		require.Equal(t, 1, answers)
	})
}

// A wallet that sends endless messages does not block the node. Responses to it are dropped.
func TestFloodOfTheWallet(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, k := w.connect(t)
		for range 1000 {
			w.wallet.Send(t, k, wire.Message{ID: w.wallet.NextID(), Method: wire.SessionPing, Params: raw(`{}`)})
		}
		time.Sleep(time.Minute)
		require.LessOrEqual(t, len(w.outbox), maxOutbox)
		require.NoError(t, w.Delete(t.Context(), s.Topic))
	})
}

// TestFloodOfNotices checks that most of the endless changes and events of a wallet are
// refused, so that they fill neither the store nor the log, and that other wallets are not
// affected.
func TestFloodOfNotices(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		_, flooding := w.connect(t)
		_, other := w.connect(t)
		update := func(k wire.SymKey) {
			w.wallet.Send(t, k, wire.Message{ID: w.wallet.NextID(), Method: wire.SessionUpdate, Params: raw(`{"namespaces":` + settled + `}`)})
		}
		changed := func() (n int) {
			time.Sleep(time.Second)
			return len(w.events.take())
		}
		for range 50 {
			time.Sleep(10 * time.Millisecond)
			update(flooding)
			w.wallet.Send(t, flooding, wire.Message{ID: w.wallet.NextID(), Method: wire.SessionExtend, Params: raw(`{}`)})
		}
		require.Equal(t, maxNotices, changed())
		require.EqualValues(t, codeInvalidUpdate, w.refused(t, flooding).Error.Code)
		for range 50 {
			w.wallet.Send(t, flooding, wire.Message{ID: w.wallet.NextID(), Method: wire.SessionEvent, Params: raw(`{"event":{"name":"accountsChanged","data":[]},"chainId":"` + hub + `"}`)})
		}
		require.Equal(t, maxNotices, changed())
		update(other)
		require.Equal(t, 1, changed())
		time.Sleep(noticeTime)
		update(flooding)
		update(flooding)
		require.Equal(t, 1, changed())
	})
}

// TestFloodBehindARelay checks that responses to one wallet, which wait for a relay that does not
// confirm, do not displace a message to another wallet.
func TestFloodBehindARelay(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		_, flooding := w.connect(t)
		s, _ := w.connect(t)
		w.relay.Down(true)
		for id := range uint64(2 * maxOutbox) {
			w.Manager.reply(flooding, wire.Message{ID: id, Method: wire.SessionPing}, nil)
		}
		require.NoError(t, w.Delete(t.Context(), s.Topic))
		synctest.Wait()
		w.relay.Down(false)
		require.Equal(t, s.Topic, w.request(t, wire.SessionDelete).Topic)
	})
}

func TestLimits(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		for range maxPairings {
			_, err := w.NewConnection(t.Context(), required(), nil)
			require.NoError(t, err)
		}
		_, err := w.NewConnection(t.Context(), required(), nil)
		require.ErrorIs(t, err, ErrBusy)
		time.Sleep(pairingTime + 2*time.Second)
		s, _ := w.connect(t)
		for range maxWaiting {
			go func() { _, _ = w.Request(t.Context(), s.Topic, hub, "cosmos_signDirect", nil) }()
		}
		synctest.Wait()
		_, err = w.Request(t.Context(), s.Topic, hub, "cosmos_signDirect", nil)
		require.ErrorIs(t, err, ErrBusy)
		time.Sleep(requestTime)
		waiting, _ := w.open()
		require.Zero(t, waiting)
	})
}

func TestProposalsRefused(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		for name, n := range map[string]wire.Namespaces{
			"none": nil, "no chains": {"cosmos": {}}, "bad chain": {"cosmos": {Chains: []string{"x"}}},
			"accounts": {"cosmos": {Chains: []string{hub}, Accounts: []string{hub + ":a"}}},
		} {
			_, err := w.NewConnection(t.Context(), n, nil)
			require.ErrorIs(t, err, wire.ErrNamespaces, name)
		}
		_, err := w.Await(t.Context(), "x")
		require.ErrorIs(t, err, ErrNoSession)
		require.Empty(t, w.relay.URLs(), "no connection to the relay")
	})
}
