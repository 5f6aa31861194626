package walletconnect

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store/bunt"
	"obverse/core/wallet/signer/walletconnect/relay"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// FuzzReceive passes arbitrary texts to a Manager, encrypted with the keys of a session, of a
// proposal, and of a session that is about to be settled.
func FuzzReceive(f *testing.F) {
	for _, text := range []string{
		`{"id":5,"jsonrpc":"2.0","result":{"relay":{"protocol":"irn"},"responderPublicKey":"e57c695eb2c613c1be54eb615343e82b6a954f88409aa3ad1fa739d0041f1a26"}}`,
		`{"id":6,"jsonrpc":"2.0","method":"wc_sessionSettle","params":{"relay":{"protocol":"irn"},"namespaces":` + settled + `,"expiry":99999999999,"controller":{"publicKey":"r","metadata":{"name":"n","icons":[]}}}}`,
		`{"id":7000,"jsonrpc":"2.0","method":"wc_sessionUpdate","params":{"namespaces":` + settled + `}}`,
		`{"id":8000,"jsonrpc":"2.0","method":"wc_sessionExtend","params":{"expiry":99999999999}}`,
		`{"id":9000,"jsonrpc":"2.0","method":"wc_sessionEvent","params":{"event":{"name":"accountsChanged","data":[]},"chainId":"cosmos:cosmoshub-4"}}`,
		`{"id":5,"jsonrpc":"2.0","error":{"code":5000,"message":"User rejected."}}`,
		`{"id":5,"jsonrpc":"2.0","method":"wc_sessionDelete","params":{}}`,
	} {
		f.Add([]byte(text))
	}
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, kv.Close()) })
	f.Fuzz(func(t *testing.T, plain []byte) {
		w := &world{kv: kv, events: &events{}, logs: &logs{}}
		m, err := New(t.Context(), w.config(nil))
		require.NoError(t, err)
		namespaces, err := wire.DecodeNamespaces(raw(settled))
		require.NoError(t, err)
		expires := time.Now().Add(time.Hour)
		a, b, c, d := wire.SymKey{1}, wire.SymKey{2}, wire.SymKey{3}, wire.SymKey{4}
		m.sessions = map[string]*session{a.Topic(): {Key: a, Namespaces: namespaces, Expires: expires}}
		m.pairings = map[string]*pairing{b.Topic(): {Key: b, PrivateKey: wire.PrivateKey{1}, ID: 5, Expires: expires, Required: required()},
			c.Topic(): {Key: c, PrivateKey: wire.PrivateKey{1}, ID: 5, Expires: expires, Approved: true, Responder: "r", SessionKey: d}}
		for _, k := range []wire.SymKey{a, b, c, d} {
			text, err := wire.Seal(k, rand.Reader, plain)
			if err != nil {
				return // too long to send
			}
			m.receive(t.Context(), relay.Delivery{Topic: k.Topic(), Text: text})
		}
		for _, s := range m.Sessions() {
			require.NoError(t, s.Namespaces.Check())
			require.LessOrEqual(t, time.Until(s.Expires), maxSession)
		}
		for _, row := range w.rows(t) {
			require.NoError(t, m.vault.remove(t.Context(), "", row.Key[len(m.vault.owner):]))
		}
	})
}
