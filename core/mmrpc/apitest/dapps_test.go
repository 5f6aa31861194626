package apitest

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	cosmostx "obverse/core/wallet/cosmos/tx"
	cosmoswire "obverse/core/wallet/cosmos/wire"
	"obverse/core/wallet/dapp"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// ask sends a dapp's request to the node.
func (p *paired) ask(do, chain, method string, params any, result any) *dapp.Error {
	p.t.Helper()
	request, err := json.Marshal(map[string]any{"do": do, "chain": chain, "method": method, "params": params})
	require.NoError(p.t, err)
	reply := struct {
		Result any
		Error  *dapp.Error
	}{Result: result}
	answer := p.node.DApps(p.t.Context(), request)
	require.NoError(p.t, json.Unmarshal(answer, &reply), "%s", answer)
	return reply.Error
}

// TestDAppsWithSessions lets a dapp use an account of a WalletConnect wallet through the node.
func TestDAppsWithSessions(t *testing.T) {
	p := newPaired(t, "")
	topic, _ := p.connect(p.accounts(allMethods))
	whose := spellings(topic)["data"]
	p.do("enable_tendermint_with_assets", enableHub(whose))
	p.do("enable_eth_with_tokens", enableEVM(whose))
	p.signer.Methods()
	var accounts []dapp.Account
	require.Nil(t, p.ask("accounts", "", "", nil, &accounts))
	require.Len(t, accounts, 2)
	hub, network := accounts[0], accounts[1]
	require.Equal(t, "cosmos:cosmoshub-4 "+p.signer.Cosmos("cosmos"), hub.Chain+" "+hub.Address)
	require.Equal(t, "eip155:1 "+p.signer.EVM()+" ", network.Chain+" "+network.Address+" "+network.Public)

	public, err := hex.DecodeString(hub.Public)
	require.NoError(t, err)
	draft := cosmostx.Draft{ChainID: "cosmoshub-4", Account: 1, Sequence: 2, Messages: []cosmoswire.Named{
		&cosmoswire.MsgSend{From: hub.Address, To: walletAddress, Amount: []cosmoswire.Coin{{Denom: "uatom", Amount: "1"}}}}}
	doc := draft.SignDoc([33]byte(public))
	amino, err := draft.AminoDoc()
	require.NoError(t, err)
	text, err := amino.Bytes()
	require.NoError(t, err)
	direct := map[string]any{"signerAddress": hub.Address, "signDoc": map[string]any{"bodyBytes": doc.Body, "authInfoBytes": doc.AuthInfo, "chainId": doc.ChainID, "accountNumber": "1"}}
	send := []any{map[string]string{"from": network.Address, "to": strings.ToLower(evmReceiver), "value": "0x1"}}
	requests := []struct {
		chain, method string
		params        any
		requests      string // number of requests to the wallet
	}{
		{hub.Chain, "signDirect", direct, "cosmos_signDirect"},
		{hub.Chain, "signAmino", map[string]any{"signerAddress": hub.Address, "signDoc": json.RawMessage(text)}, "cosmos_signAmino"},
		{network.Chain, "eth_sendTransaction", send, "eth_sendTransaction"},
		{network.Chain, "personal_sign", []string{"hello", network.Address}, "personal_sign"},
	}
	for _, r := range requests {
		var d dapp.Description
		require.Nil(t, p.ask("describe", r.chain, r.method, r.params, &d))
		require.Empty(t, p.signer.Methods(), "a description asks no wallet")
		require.Nil(t, p.ask("execute", r.chain, r.method, d.Params, nil))
		require.Equal(t, []string{r.requests}, p.signer.Methods())
		p.signer.Fail(&wire.Error{Code: 5000, Message: "User rejected."})
		refusal := p.ask("execute", r.chain, r.method, d.Params, nil)
		require.NotNil(t, refusal)
		require.EqualValues(t, dapp.CodeRejected, refusal.Code, refusal.Message)
		p.signer.Fail(nil)
		p.signer.Methods()
	}
	typed := []any{network.Address, json.RawMessage(`{"types":{"EIP712Domain":[],"M":[]},"primaryType":"M","domain":{},"message":{}}`)}
	refusal := p.ask("execute", network.Chain, "eth_signTypedData_v4", typed, nil)
	require.NotNil(t, refusal)
	require.EqualValues(t, dapp.CodeUnsupported, refusal.Code, refusal.Message)
	require.Empty(t, p.signer.Methods())
}
