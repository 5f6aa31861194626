package walletconnect

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/walletconnect/walletconnecttest"
	"obverse/core/wallet/signer/walletconnect/wire"
	"obverse/native/fetch"
	"obverse/native/test/walletconnect/npmpeer"
)

// The official client is the dapp, and the wallet is the simulated one of this repository's tests.
// This checks that the simulated wallet follows the protocol.
func TestOfficialApp(t *testing.T) {
	peer := npmpeer.Start(t)
	client := fetch.New("test")
	t.Cleanup(client.Close)
	wallet := walletconnecttest.NewWallet(t, client, peer.Relay)
	wallet.Answer = func(q wire.Request) (any, *wire.Error) {
		if q.Request.Method == "personal_sign" {
			return nil, &wire.Error{Code: 5000, Message: "User rejected."}
		}
		return []string{q.Chain}, nil
	}
	connect := func() walletconnecttest.Proposal {
		var uri string
		peer.Do(t, "connect", npmpeer.Parameters{"namespaces": proposed()}, &uri)
		wallet.Pair(t, uri)
		return wallet.NextProposal(t)
	}
	p := connect()
	require.Equal(t, proposed(), p.Optional)
	wallet.Reject(t, p, 5001, "User rejected chains.")
	var refused wire.Error
	peer.Event(t, "rejected", &refused)
	require.Equal(t, wire.Error{Code: 5001, Message: "User rejected chains."}, refused)

	namespaces, err := json.Marshal(accounts{"cosmos1abc", "0x0000000000000000000000000000000000000001"}.namespaces())
	require.NoError(t, err)
	k := wallet.Approve(t, connect(), string(namespaces), nil)
	var session struct{ Topic string }
	peer.Event(t, "approved", &session)
	require.Equal(t, k.Topic(), session.Topic)
	var result []string
	peer.Do(t, "request", npmpeer.Parameters{"topic": session.Topic, "chainId": hub, "method": "cosmos_getAccounts", "params": npmpeer.Parameters{}}, &result)
	require.Equal(t, []string{hub}, result)
	err = peer.Try(t, "request", npmpeer.Parameters{"topic": session.Topic, "chainId": mainnet, "method": "personal_sign", "params": []string{}}, nil)
	require.Equal(t, &npmpeer.Failure{Code: 5000, Message: "User rejected."}, err)
	peer.Do(t, "disconnect", npmpeer.Parameters{"by": "app", "topic": session.Topic}, nil)
	wallet.Next(t, func(m walletconnecttest.Message) bool { return m.Method == wire.SessionDelete })
}
