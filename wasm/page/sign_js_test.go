package main

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/wasm/jsval"
)

// evmPage is a page with an EIP-1193 wallet and a node of its network.
const evmPage = `(client, text) => {
	const {do: what} = JSON.parse(text);
	if (what === "account") return JSON.stringify({address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"});
	throw Object.assign(new Error("client " + client + " refused " + what), {kind: "WalletRefused"});
}`

// evmNode is a minimal node of the network on this machine.
const evmNode = `(() => {
	const answer = ({id, method}) => ({jsonrpc: "2.0", id, result: {eth_chainId: "0x1", eth_syncing: false}[method] ?? "0x10"});
	const server = require("http").createServer(async (request, response) => {
		const asked = JSON.parse(Buffer.concat(await request.toArray()).toString());
		response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
	});
	return new Promise(resolve => server.listen(0, "127.0.0.1", () => resolve(server)));
})()`

// serve starts the node and returns its URL.
func serve(t *testing.T) string {
	promise, err := jsval.Global().Call("eval", evmNode)
	require.NoError(t, err)
	server, err := jsval.Await(t.Context(), promise)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, _ = server.Call("closeAllConnections")
		_, _ = server.Call("close")
	})
	address, err := server.Call("address")
	require.NoError(t, err)
	port, err := address.Get("port").Whole()
	require.NoError(t, err)
	return "http://127.0.0.1:" + strconv.FormatInt(port, 10)
}

// Requests of dapps are executed only for the page's own code, with the wallet of the page that
// makes the call.
func TestSigning(t *testing.T) {
	p := loadWithWallet(t, evmPage)
	require.NoError(t, p.begin(configOf(t, nil)))
	t.Cleanup(func() {
		_, err := p.stop(nil)
		require.NoError(t, err)
	})
	sign := func(request string) string {
		reply, err := p.sign(args(request, 7))
		require.NoError(t, err)
		return reply.(string)
	}
	require.JSONEq(t, `{"result":[]}`, sign(`{"do":"accounts"}`))
	require.Contains(t, sign(`{`), `"code":-32602`)
	status, body := p.reply(p.call(args("enable_eth_with_tokens", `{"ticker":"ETH","nodes":[{"url":"`+serve(t)+`"}],"erc20_tokens_requests":[],"swap_contract_address":"0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80","priv_key_policy":{"type":"BrowserWallet"}}`, 7)))
	require.Equal(t, 200, status, body)
	const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	require.JSONEq(t, `{"result":[{"chain":"eip155:1","coin":"ETH","address":"`+address+`","policy":"BrowserWallet"}]}`, sign(`{"do":"accounts"}`))
	require.JSONEq(t, `{"result":"0x10"}`, sign(`{"do":"read","chain":"eip155:1","method":"eth_blockNumber","params":[]}`))
	require.Contains(t, sign(`{"do":"describe","chain":"eip155:1","method":"personal_sign","params":["0x6869","`+address+`"]}`), `"lines":[{"name":"Message","value":"hi"}]`)
	require.JSONEq(t, `{"error":{"code":4001,"message":"client 7 refused sign"}}`, sign(`{"do":"execute","chain":"eip155:1","method":"personal_sign","params":["0x6869","`+address+`"]}`))
	for _, method := range []string{"sign", "accounts", "describe", "execute"} {
		_, body := p.reply(p.call(args(method, `{"do":"accounts"}`)))
		require.Contains(t, body, `"error_type":"NoSuchMethod"`)
	}
}
