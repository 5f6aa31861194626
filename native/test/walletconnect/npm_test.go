package walletconnect

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/cosmos/wire"
	"obverse/core/wallet/signer/walletconnect"
	"obverse/core/wallet/signer/walletconnect/cosmos"
	"obverse/core/wallet/signer/walletconnect/evm"
	"obverse/native/test/walletconnect/npmpeer"
)

// The vectors that core replays on both targets must equal the results of the official libraries.
func TestVectorsAreOfficial(t *testing.T) {
	vectors, err := os.ReadFile(filepath.Join("..", "..", "..", "core", "wallet", "signer", "walletconnect", "wire", "testdata", "vectors.json"))
	require.NoError(t, err)
	require.JSONEq(t, string(npmpeer.Vectors(t)), string(vectors))
}

// ended is an event of the peer's clients about the end of a session.
type ended struct {
	End, Topic string
}

// The official client is the wallet: it accepts a session, signs for both families, changes the
// session and ends it.
func TestOfficialWallet(t *testing.T) {
	n := start(t, npmpeer.Start(t))
	s, a := n.connect(t), n.accounts(t)
	require.Equal(t, "wallet", s.Peer.Name)
	require.Equal(t, []string{a.Cosmos}, s.Namespaces.Accounts(hub))
	require.WithinDuration(t, time.Now().Add(7*24*time.Hour), s.Expires, time.Hour)
	require.NoError(t, n.Ping(t.Context(), s.Topic))
	n.peer.Do(t, "ping", npmpeer.Parameters{"by": "wallet", "topic": s.Topic}, nil)
	t.Run("cosmos", func(t *testing.T) { signCosmos(t, n, s) })
	t.Run("evm", func(t *testing.T) { signEVM(t, n, s) })
	t.Run("rejections", func(t *testing.T) { rejections(t, n, s) })
	t.Run("changes", func(t *testing.T) { changes(t, n, s, a) })

	n.peer.Do(t, "disconnect", npmpeer.Parameters{"by": "wallet", "topic": s.Topic}, nil)
	require.ErrorIs(t, n.next(t, walletconnect.Ended).Reason, walletconnect.ErrDisconnected)
	require.Empty(t, n.Sessions())
	s = n.connect(t)
	require.NoError(t, n.Delete(t.Context(), s.Topic))
	var gone ended
	n.peer.Event(t, "session_delete", &gone)
	require.Equal(t, ended{"wallet", s.Topic}, gone)
}

func (n *node) mode(t *testing.T, mode string) {
	t.Helper()
	n.peer.Do(t, "mode", npmpeer.Parameters{"mode": mode}, nil)
}

func signCosmos(t *testing.T, n *node, s walletconnect.Session) {
	accounts, err := cosmos.Accounts(t.Context(), n, s.Topic, "cosmoshub-4")
	require.NoError(t, err)
	require.Equal(t, n.accounts(t).Cosmos, accounts[0].Address.String())
	// CosmJS signs only valid protocol buffers, here a body with a memo and a fee.
	doc := wire.SignDoc{Body: []byte("\x12\x04memo"), AuthInfo: []byte("\x12\x02\x10\x05"), ChainID: "cosmoshub-4", Account: 7}
	amino := json.RawMessage(`{"account_number":"7","chain_id":"cosmoshub-4","fee":{"amount":[{"amount":"1","denom":"uatom"}],"gas":"200000"},"memo":"<a & b>","msgs":[],"sequence":"0"}`)
	signed, _, err := cosmos.SignDirect(t.Context(), n, s.Topic, accounts[0], doc)
	require.NoError(t, err)
	require.Equal(t, doc, signed)
	document, _, err := cosmos.SignAmino(t.Context(), n, s.Topic, "cosmoshub-4", accounts[0], amino)
	require.NoError(t, err)
	require.JSONEq(t, string(amino), string(document))
	n.mode(t, "wrong")
	_, _, err = cosmos.SignDirect(t.Context(), n, s.Topic, accounts[0], doc)
	require.ErrorIs(t, err, walletconnect.ErrAnswer)
	_, _, err = cosmos.SignAmino(t.Context(), n, s.Topic, "cosmoshub-4", accounts[0], amino)
	require.ErrorIs(t, err, walletconnect.ErrAnswer)
	n.mode(t, "sign")
}

func signEVM(t *testing.T, n *node, s walletconnect.Session) {
	addresses := evm.Accounts(s, 1)
	require.Equal(t, n.accounts(t).EVM, addresses[0].String())
	_, err := evm.SignText(t.Context(), n, s.Topic, 1, addresses[0], "Grüße")
	require.NoError(t, err)
	transaction := map[string]string{"from": addresses[0].String(), "to": addresses[0].String(), "value": "0x1", "gas": "0x5208", "nonce": "0x0", "gasPrice": "0x3b9aca00", "data": "0x"}
	hash, err := evm.SendTransaction(t.Context(), n, s.Topic, 1, transaction)
	require.NoError(t, err)
	require.NotZero(t, hash)
	n.mode(t, "wrong")
	_, err = evm.SignText(t.Context(), n, s.Topic, 1, addresses[0], "Grüße")
	require.ErrorIs(t, err, walletconnect.ErrAnswer)
	n.mode(t, "sign")
}

func rejections(t *testing.T, n *node, s walletconnect.Session) {
	for mode, code := range map[string]int64{"reject": 5000, "reject-evm": 4001} {
		n.mode(t, mode)
		_, err := n.Request(t.Context(), s.Topic, mainnet, "personal_sign", []string{"0x00", "0x00"})
		require.ErrorIs(t, err, walletconnect.ErrRejected)
		var refusal *walletconnect.WalletError
		require.True(t, errors.As(err, &refusal))
		require.Equal(t, code, refusal.Code)
	}
	n.mode(t, "sign")
}

func changes(t *testing.T, n *node, s walletconnect.Session, a accounts) {
	other := accounts{Cosmos: a.Cosmos, EVM: "0x0000000000000000000000000000000000000001"}
	n.peer.Do(t, "update", npmpeer.Parameters{"topic": s.Topic, "namespaces": other.namespaces()}, nil)
	require.Equal(t, s.Topic, n.next(t, walletconnect.Updated).Topic)
	now, err := n.Session(s.Topic)
	require.NoError(t, err)
	require.Equal(t, []string{other.EVM}, now.Namespaces.Accounts(mainnet))
	n.peer.Do(t, "extend", npmpeer.Parameters{"topic": s.Topic}, nil)
	n.next(t, walletconnect.Extended)
	for name, data := range map[string]any{"accountsChanged": []string{other.EVM}, "chainChanged": 1} {
		n.peer.Do(t, "emit", npmpeer.Parameters{"topic": s.Topic, "chainId": mainnet, "event": npmpeer.Parameters{"name": name, "data": data}}, nil)
		e := n.next(t, walletconnect.Emitted)
		require.Equal(t, name, e.Name)
		require.Equal(t, mainnet, e.Chain)
	}
}

// The official client is the wallet: it rejects a session, and accepts another one that then
// expires.
func TestOfficialWalletRejects(t *testing.T) {
	n := start(t, npmpeer.Start(t))
	c, p := n.propose(t)
	n.peer.Do(t, "reject", npmpeer.Parameters{"id": p.ID, "code": 5000, "message": "User rejected."}, nil)
	_, err := n.Await(t.Context(), c.Topic)
	require.ErrorIs(t, err, walletconnect.ErrRejected)
	require.Empty(t, n.Sessions())
	require.Error(t, n.peer.Try(t, "pair", npmpeer.Parameters{"uri": "wc:x@2"}, nil))

	s := n.connect(t)
	n.ahead.Store(int64(8 * 24 * time.Hour))
	require.Empty(t, n.Sessions(), "its time is over")
	_, err = n.Request(t.Context(), s.Topic, hub, cosmos.GetAccounts, struct{}{})
	require.ErrorIs(t, err, walletconnect.ErrNoSession)
	_, err = n.NewConnection(t.Context(), proposed(), nil) // removes expired sessions
	require.NoError(t, err)
	require.ErrorIs(t, n.next(t, walletconnect.Ended).Reason, walletconnect.ErrExpired)
}

// The relay is restarted, and then the node.
func TestRelayAndNodeComeBack(t *testing.T) {
	n := start(t, npmpeer.Start(t))
	s := n.connect(t)
	n.peer.Do(t, "down", nil, nil)
	answered := make(chan error, 1)
	go func() {
		_, err := n.Request(t.Context(), s.Topic, hub, cosmos.GetAccounts, struct{}{})
		answered <- err
	}()
	n.peer.Do(t, "up", nil, nil)
	require.NoError(t, <-answered)

	n.stop()
	var request ended
	n.peer.Event(t, "session_request", &request)
	other := n.accounts(t)
	other.EVM = "0x0000000000000000000000000000000000000002"
	go func() { // waits for the response of the node
		answered <- n.peer.Try(t, "update", npmpeer.Parameters{"topic": s.Topic, "namespaces": other.namespaces()}, nil)
	}()
	n.begin(t)
	require.NoError(t, <-answered)
	n.next(t, walletconnect.Updated)
	now, err := n.Session(s.Topic)
	require.NoError(t, err)
	require.Equal(t, []string{other.EVM}, now.Namespaces.Accounts(mainnet))
	require.NoError(t, n.Ping(t.Context(), s.Topic))
	var seen map[string]int
	n.peer.Do(t, "seen", nil, &seen)
	require.Positive(t, seen["wc_proposeSession"])
	require.Positive(t, seen["wc_approveSession"])
}

// A relay without wc_ methods receives the proposal as an ordinary message. This version of the
// official wallet needs these methods to accept, so it rejects the proposal.
func TestOldRelay(t *testing.T) {
	n := start(t, npmpeer.Start(t, "--old"))
	c, p := n.propose(t)
	n.peer.Do(t, "reject", npmpeer.Parameters{"id": p.ID, "code": 5002, "message": "User rejected methods."}, nil)
	_, err := n.Await(t.Context(), c.Topic)
	require.ErrorIs(t, err, walletconnect.ErrRejected)
}
