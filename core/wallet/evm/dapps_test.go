package evm

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	common "obverse/core/wallet/dapp"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

// reply is the response to a request.
type reply struct {
	Result json.RawMessage
	Error  *common.Error
}

// ask passes a request of a program to the active coins.
func (b *bench) ask(t testing.TB, request string) (r reply) {
	t.Helper()
	answer := common.Front{Active: b.Active}.Answer(t.Context(), []byte(request))
	require.NoError(t, json.Unmarshal(answer, &r), "%s", answer)
	require.NotEqual(t, r.Result == nil, r.Error == nil, "%s", answer)
	return r
}

// request returns a request to ETH. params are JSON.
func request(do, method, params string) string {
	return `{"do":"` + do + `","chain":"eip155:1","method":"` + method + `","params":` + params + `}`
}

// describe returns the description of a request, and fails the test if it is missing.
func (b *bench) describe(t testing.TB, method, params string) (d common.Description) {
	t.Helper()
	r := b.ask(t, request("describe", method, params))
	require.Nil(t, r.Error)
	require.NoError(t, json.Unmarshal(r.Result, &d))
	require.Equal(t, "ETH eip155:1", d.Coin+" "+d.Chain)
	return d
}

// summary returns a description as a short text.
func summary(d common.Description) string {
	lines := []string{string(d.Kind)}
	for _, l := range d.Lines {
		lines = append(lines, l.Name+": "+l.Value)
	}
	for _, w := range d.Warnings {
		lines = append(lines, "! "+w)
	}
	return strings.Join(lines, "\n")
}

func textOf(t testing.TB, r reply) (text string) {
	t.Helper()
	require.Nil(t, r.Error)
	require.NoError(t, json.Unmarshal(r.Result, &text))
	return text
}

// vectors holds transactions and texts that viem signed.
type vectors struct {
	Secret, Address string
	Texts           []struct{ Data, Signature string }
	Typed           []struct {
		Name, Signature string
		Data            json.RawMessage
	}
	Transactions []struct {
		Name, Raw string
		Order     map[string]string
	}
}

// vectorBench returns a node with the key of viem's vectors.
func vectorBench(t *testing.T) (*bench, vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/viem.json")
	require.NoError(t, err)
	var v vectors
	require.NoError(t, json.Unmarshal(text, &v))
	b := newBench(t)
	ring, err := key.Open(v.Secret, false)
	require.NoError(t, err)
	b.Providers = key.Providers{ring}
	b.eth.Give(v.Address, "3000000000000000000").Nonce(v.Address, 4)
	_, err = b.Activate(t.Context(), eth())
	require.NoError(t, err)
	return b, v
}

func TestDAppVectors(t *testing.T) {
	_, v := vectorBench(t)
	for _, c := range v.Texts {
		b, _ := vectorBench(t)
		for _, params := range []string{`["` + c.Data + `","` + v.Address + `"]`, `["` + c.Data + `","` + strings.ToLower(v.Address) + `"]`, `["` + v.Address + `","` + c.Data + `"]`} {
			require.Equal(t, common.Message, b.describe(t, "personal_sign", params).Kind)
			require.Equal(t, c.Signature, textOf(t, b.ask(t, request("execute", "personal_sign", params))), c.Data)
		}
	}
	for _, c := range v.Typed {
		t.Run(c.Name, func(t *testing.T) {
			b, _ := vectorBench(t)
			quoted, err := json.Marshal(string(c.Data))
			require.NoError(t, err)
			for _, data := range []string{string(c.Data), string(quoted)} {
				params := `["` + v.Address + `",` + data + `]`
				require.Equal(t, common.TypedData, b.describe(t, "eth_signTypedData_v4", params).Kind)
				require.Equal(t, c.Signature, textOf(t, b.ask(t, request("execute", "eth_signTypedData_v4", params))))
			}
		})
	}
	for _, c := range v.Transactions {
		t.Run(c.Name, func(t *testing.T) {
			b, _ := vectorBench(t)
			c.Order["from"] = v.Address
			params, err := json.Marshal([]any{c.Order})
			require.NoError(t, err)
			d := b.describe(t, "eth_sendTransaction", string(params))
			raw, err := hex.DecodeString(c.Raw[2:])
			require.NoError(t, err)
			hash := wire.Hash(raw)
			for _, params := range []string{string(params), string(d.Params)} {
				b.eth.Nonce(v.Address, 4)
				b, _ := vectorBench(t) // a new node, so that the nonce is always the same
				require.Equal(t, "0x"+hex.EncodeToString(hash[:]), textOf(t, b.ask(t, request("execute", "eth_sendTransaction", params))))
				require.Equal(t, 1, b.eth.Sent())
			}
		})
	}
}

func word(digits string) string { return strings.Repeat("0", 64-len(digits)) + digits }

func TestDAppTransactions(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
	require.NoError(t, err)
	recipient, six, huge := strings.ToLower(payee[2:]), `"to":"`+sixAt+`"`, `"to":"`+hugeAt+`"`
	all := strings.Repeat("f", 64)
	at := "Token contract: SIX-ERC20 (" + sixAt + ")"
	nft := func(id string) string {
		return "approve\nAmount or token id, in the smallest unit: " + id + "\nSpender: " + payee + "\nToken contract: " + swaps + "\n! This token is not in your coins list. Its name and decimals are unknown." +
			"\n! The spender can take this amount, or the NFT with this id, at any time, without asking you again."
	}
	for name, c := range map[string]struct{ order, want string }{
		"send":         {`"to":"` + payee + `","value":"0xde0b6b3a7640000"`, "send\nAmount: 1 ETH\nTo: " + payee},
		"zero address": {`"to":"0x0000000000000000000000000000000000000000","value":"0x0"`, "send\nAmount: 0 ETH\nTo: 0x0000000000000000000000000000000000000000\n! The receiver is the zero address. Anything sent there is lost."},
		"too much":     {`"to":"` + payee + `","value":"0x29a2241af62c0000"`, "send\nAmount: 3 ETH\nTo: " + payee + "\n! You only have 2.500000000000000001 ETH, which is not enough for the amount and the fee."},
		"dear":         {`"to":"` + payee + `","gas":"0x5208","gasPrice":"0x3b9aca000000"`, "send\nAmount: 0 ETH\nTo: " + payee + "\n! The network fee is unusually high."},
		"token":        {six + `,"data":"0xa9059cbb` + word(recipient) + word("0f4240") + `"`, "transfer\nAmount: 1 SIX-ERC20\nTo: " + payee + "\n" + at},
		"by input":     {six + `,"input":"0xa9059cbb` + word(recipient) + word("0f4240") + `"`, "transfer\nAmount: 1 SIX-ERC20\nTo: " + payee + "\n" + at},
		"with coin":    {six + `,"value":"0x1","data":"0xa9059cbb` + word(recipient) + word("0f4240") + `"`, "transfer\nAmount: 1 SIX-ERC20\nTo: " + payee + "\n" + at + "\nAmount: 0.000000000000000001 ETH"},
		"lost":         {six + `,"data":"0xa9059cbb` + word(strings.ToLower(sixAt[2:])) + word("01") + `"`, "transfer\nAmount: 0.000001 SIX-ERC20\nTo: " + sixAt + "\n" + at + "\n! The receiver is the token's contract or the zero address. Anything sent there is lost."},
		"not active, but in the coins list": {huge + `,"data":"0xa9059cbb` + word(recipient) + word("0de0b6b3a7640000") + `"`,
			"transfer\nAmount: 1 HUGE-ERC20\nTo: " + payee + "\nToken contract: HUGE-ERC20 (" + hugeAt + ")"},
		"unknown token": {`"to":"` + swaps + `","data":"0xa9059cbb` + word(recipient) + word("10") + `"`, "transfer\nAmount or token id, in the smallest unit: 16\nTo: " + payee + "\nToken contract: " + swaps +
			"\n! This token is not in your coins list. Its name and decimals are unknown."},
		"of another": {six + `,"data":"0x23b872dd` + word(recipient) + word(strings.ToLower(walletAddress[2:])) + word("01") + `"`,
			"transfer\nFrom: " + payee + "\nAmount: 0.000001 SIX-ERC20\nTo: " + walletAddress + "\n" + at + "\n! It moves tokens of another account."},
		"NFT": {`"to":"` + swaps + `","data":"0x42842e0e` + word(strings.ToLower(walletAddress[2:])) + word(recipient) + word("ff") + `"`, "transfer\nToken id: 255\nTo: " + payee + "\nToken contract: " + swaps},
		"approve": {six + `,"data":"0x095ea7b3` + word(recipient) + word("0f4240") + `"`,
			"approve\nAmount: 1 SIX-ERC20\nSpender: " + payee + "\n" + at + "\n! The spender can take this amount at any time, without asking you again."},
		"approve all": {six + `,"data":"0x095ea7b3` + word(recipient) + all + `"`,
			"approve\nAmount: unlimited\nSpender: " + payee + "\n" + at + "\n! The spender can take all your tokens of this contract, now and later."},
		"approve 2^96-1": {six + `,"data":"0x39509351` + word(recipient) + word(strings.Repeat("f", 24)) + `"`,
			"approve\nAmount: unlimited\nSpender: " + payee + "\n" + at + "\n! The spender can take all your tokens of this contract, now and later."},
		"take back":                     {six + `,"data":"0x095ea7b3` + word(recipient) + word("") + `"`, "approve\nAmount: 0: takes an earlier approval back\nSpender: " + payee + "\n" + at},
		"approve the NFT with the id 0": {`"to":"` + swaps + `","data":"0x095ea7b3` + word(recipient) + word("") + `"`, nft("0")},
		"approve the NFT with a long id": {`"to":"` + swaps + `","data":"0x095ea7b3` + word(recipient) + word("80"+strings.Repeat("0", 62)) + `"`,
			strings.Replace(nft("57896044618658097711785492504343953926634992332820282019728792003956564819968"), "this amount, or the NFT with this id, at any time, without asking you again", "all your tokens of this contract, now and later", 1)},
		"approve NFTs": {`"to":"` + swaps + `","data":"0xa22cb465` + word(recipient) + word("01") + `"`,
			"approve\nNFTs: all of this contract\nSpender: " + payee + "\nToken contract: " + swaps + "\n! The spender can take all your NFTs of this contract, now and later."},
		"no NFTs": {`"to":"` + swaps + `","data":"0xa22cb465` + word(recipient) + word("") + `"`, "approve\nNFTs: none: takes an earlier approval back\nSpender: " + payee + "\nToken contract: " + swaps},
		"call":    {`"to":"` + swaps + `","data":"0xdeadbeef01"`, "call\nContract: " + swaps + "\nFunction: 0xdeadbeef\nData: 0xdeadbeef01\n" + unknownCall},
		"short":   {`"to":"` + swaps + `","data":"0xde"`, "call\nContract: " + swaps + "\nData: 0xde\n" + unknownCall},
		"long": {`"to":"` + swaps + `","data":"0x` + strings.Repeat("11", 513) + `"`, "call\nContract: " + swaps + "\nFunction: 0x11111111\nData: 0x" + strings.Repeat("11", 512) +
			"\nNot shown: Data: the last 2 of 1028 bytes\n! A part of this request is too long to be shown. Sign it only if you know all of it.\n" + unknownCall},
		"more than an address": {six + `,"data":"0xa9059cbb` + strings.Repeat("1", 64) + word("01") + `"`,
			"call\nContract: SIX-ERC20 (" + sixAt + ")\nFunction: 0xa9059cbb\nData: 0xa9059cbb" + strings.Repeat("1", 64) + word("01") + "\n" + unknownCall},
		"deploy": {`"data":"0x6000","value":"0x1"`, "deploy\nDeploys a contract of: 2 bytes\nAmount: 0.000000000000000001 ETH"},
	} {
		t.Run(name, func(t *testing.T) {
			d := b.describe(t, "eth_sendTransaction", `[{"from":"`+walletAddress+`",`+c.order+`}]`)
			require.Equal(t, c.want, summary(d))
			require.Equal(t, "ETH", d.Fee.Coin)
		})
	}
}

const unknownCall = "! It is not known what this contract call does. It may move all your tokens that the contract has access to."

// An executed transaction has the gas and prices that were described, regardless of later
// answers of nodes.
func TestDAppFee(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	params := `[{"from":"` + walletAddress + `","to":"` + payee + `","data":"0xdeadbeef"}]`
	d := b.describe(t, "eth_sendTransaction", params)
	require.JSONEq(t, `[{"from":"`+walletAddress+`","to":"`+payee+`","value":"0x0","data":"0xdeadbeef","gas":"0x668a","chainId":"0x1","maxFeePerGas":"0x7d2b7500","maxPriorityFeePerGas":"0x5f5e100"}]`, string(d.Params))
	require.Equal(t, "0.000055125", d.Fee.Amount, "26250 at 2.1 billionths")
	r := b.ask(t, request("execute", "eth_sendTransaction", params))
	require.Equal(t, &common.Error{Code: common.CodeInvalid, Message: "the transaction has no gas or no price: execute the params of its description"}, r.Error)
	for _, open := range []string{`"gas":"0x5208"`, `"gasPrice":"0x1"`, `"gas":"0x5208","maxFeePerGas":"0x1"`, `"gas":"0x5208","maxPriorityFeePerGas":"0x1"`} {
		r = b.ask(t, request("execute", "eth_sendTransaction", `[{"from":"`+walletAddress+`","to":"`+payee+`",`+open+`}]`))
		require.NotNil(t, r.Error, open)
		require.Contains(t, r.Error.Message, "no gas or no price")
	}
	require.Zero(t, b.eth.Sent())
	free := `[{"from":"` + walletAddress + `","to":"` + payee + `","gas":"0x5208","gasPrice":"0x0"}]`
	require.Equal(t, "0", b.describe(t, "eth_sendTransaction", free).Fee.Amount)
	require.Len(t, textOf(t, b.ask(t, request("execute", "eth_sendTransaction", free))), 66)
	require.Len(t, textOf(t, b.ask(t, request("execute", "eth_sendTransaction", string(d.Params)))), 66)

	b.eth.Fail("eth_estimateGas", `{"code":3,"message":"execution reverted: paused","data":"0x"}`)
	r = b.ask(t, request("describe", "eth_sendTransaction", params))
	require.EqualValues(t, common.CodeRefused, r.Error.Code)
	require.Contains(t, r.Error.Message, "paused")
	d = b.describe(t, "eth_sendTransaction", string(d.Params))
	require.Contains(t, summary(d), "The network says that the transaction would fail")
	b.eth.Refuse("nonce too low")
	r = b.ask(t, request("execute", "eth_sendTransaction", string(d.Params)))
	require.EqualValues(t, common.CodeRefused, r.Error.Code)
	b.net.Set(ethURL, network.Dead)
	r = b.ask(t, request("execute", "eth_sendTransaction", string(d.Params)))
	require.EqualValues(t, common.CodeDisconnected, r.Error.Code)
}

func TestDAppRefusals(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	typed := func(text string) string { return `["` + walletAddress + `",` + text + `]` }
	order := func(rest string) string { return `[{"from":"` + walletAddress + `","to":"` + payee + `"` + rest + `}]` }
	const domain = `"types":{"EIP712Domain":[{"name":"chainId","type":"uint256"}],"M":[{"name":"x","type":"uint8"}]},"primaryType":"M"`
	for name, c := range map[string]struct {
		request string
		code    int64
		message string
	}{
		"no JSON":          {`{`, common.CodeInvalid, "the request is invalid"},
		"too large":        {`"` + strings.Repeat("x", common.MaxRequest) + `"`, common.CodeInvalid, "limit is 1048576"},
		"no chain":         {`{"do":"describe"}`, common.CodeUnknownChain, `the chain ""`},
		"other chain":      {`{"do":"describe","chain":"eip155:2"}`, common.CodeUnknownChain, `the chain "eip155:2": activate`},
		"no do":            {`{"chain":"eip155:1"}`, common.CodeInvalid, "want accounts, describe, execute or read"},
		"method":           {request("describe", "eth_sign", "[]"), common.CodeUnsupported, `"eth_sign" is not supported, want eth_sendTransaction`},
		"execute a method": {request("execute", "eth_sign", "[]"), common.CodeUnsupported, `"eth_sign"`},
		"no params":        {request("describe", "eth_sendTransaction", "null"), common.CodeInvalid, "got 0"},
		"two":              {request("describe", "eth_sendTransaction", "[{},{}]"), common.CodeInvalid, "got 2"},
		"no sender":        {request("describe", "eth_sendTransaction", "[{}]"), common.CodeUnauthorized, walletAddress},
		"other sender":     {request("execute", "eth_sendTransaction", `[{"from":"`+payee+`","to":"`+walletAddress+`"}]`), common.CodeUnauthorized, payee},
		"nothing":          {request("describe", "eth_sendTransaction", `[{"from":"`+walletAddress+`"}]`), common.CodeInvalid, "to and data are missing"},
		"to":               {request("describe", "eth_sendTransaction", `[{"from":"`+walletAddress+`","to":""}]`), common.CodeInvalid, "to: an address"},
		"data":             {request("describe", "eth_sendTransaction", order(`,"data":"0x1"`)), common.CodeInvalid, "data must be"},
		"two data":         {request("describe", "eth_sendTransaction", order(`,"data":"0x01","input":"0x02"`)), common.CodeInvalid, "data and input differ"},
		"value":            {request("describe", "eth_sendTransaction", order(`,"value":"1"`)), common.CodeInvalid, "value must be 0x"},
		"negative":         {request("describe", "eth_sendTransaction", order(`,"value":"0x-1"`)), common.CodeInvalid, "value must be 0x"},
		"huge":             {request("describe", "eth_sendTransaction", order(`,"value":"0x1`+strings.Repeat("0", 64)+`"`)), common.CodeInvalid, "value must be 0x"},
		"gas":              {request("describe", "eth_sendTransaction", order(`,"gas":"0x10000000000000000"`)), common.CodeInvalid, "gas must be"},
		"two prices":       {request("describe", "eth_sendTransaction", order(`,"gasPrice":"0x1","maxFeePerGas":"0x1"`)), common.CodeInvalid, "want one of them"},
		"tip":              {request("describe", "eth_sendTransaction", order(`,"maxPriorityFeePerGas":"0x2","maxFeePerGas":"0x1"`)), common.CodeInvalid, ""},
		"chain id":         {request("describe", "eth_sendTransaction", order(`,"chainId":"0x2"`)), common.CodeInvalid, "chainId is 2, want 1"},
		"access list":      {request("describe", "eth_sendTransaction", order(`,"accessList":[{}]`)), common.CodeUnsupported, "access lists"},
		"delegation":       {request("describe", "eth_sendTransaction", order(`,"type":"0x4"`)), common.CodeUnsupported, "authorizations"},
		"text params":      {request("describe", "personal_sign", `["0x12"]`), common.CodeInvalid, "list of 2"},
		"text numbers":     {request("describe", "personal_sign", `[1,2]`), common.CodeInvalid, "list of 2 texts"},
		"empty text":       {request("describe", "personal_sign", `["0x","`+walletAddress+`"]`), common.CodeInvalid, "the message is empty"},
		"other's text":     {request("execute", "personal_sign", `["hi","`+payee+`"]`), common.CodeUnauthorized, payee},
		"other's data":     {request("execute", "eth_signTypedData_v4", `["`+payee+`",{}]`), common.CodeUnauthorized, payee},
		"no data":          {request("describe", "eth_signTypedData_v4", typed(`{}`)), common.CodeInvalid, `types has no "EIP712Domain"`},
		"data's chain":     {request("execute", "eth_signTypedData_v4", typed(`{`+domain+`,"domain":{"chainId":5},"message":{"x":1}}`)), common.CodeInvalid, "chain id 5, want 1"},
		"data's value":     {request("describe", "eth_signTypedData_v4", typed(`{`+domain+`,"domain":{"chainId":1},"message":{"x":256}}`)), common.CodeInvalid, "x: the number does not fit into 8 bits"},
		"read":             {request("read", "eth_sendRawTransaction", `["0x"]`), common.CodeUnsupported, "eth_sendRawTransaction"},
		"read params":      {request("read", "eth_call", `{}`), common.CodeInvalid, "list of at most"},
		"read much":        {request("read", "eth_call", `["`+strings.Repeat("0", 300<<10)+`"]`), common.CodeInvalid, "list of at most"},
		"node's no":        {request("read", "eth_getStorageAt", `["`+walletAddress+`","0x0","latest"]`), -32601, "Method not found"},
	} {
		t.Run(name, func(t *testing.T) {
			r := b.ask(t, c.request)
			require.NotNil(t, r.Error)
			require.Equal(t, c.code, r.Error.Code, r.Error.Message)
			require.Contains(t, r.Error.Message, c.message)
			require.Zero(t, b.eth.Sent())
		})
	}
}

// Invisible characters, and those that change the text around them, are escaped.
func TestDAppUnreadable(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	for text, want := range map[string]string{
		"0x68690a7468657265": "message\nMessage: hi\nthere",
		"not hex":            "message\nMessage: not hex",
		"0xff":               "message\nMessage (hexadecimal): 0xff\n! The message is not readable text. Sign it only if you know what it means.",
		`a\u202eb`:           "message\nMessage (hexadecimal): 0x61e280ae62\n! The message is not readable text. Sign it only if you know what it means.",
	} {
		require.Equal(t, want, summary(b.describe(t, "personal_sign", `["`+text+`","`+walletAddress+`"]`)))
	}
	d := b.describe(t, "eth_signTypedData_v4", `["`+walletAddress+`",{"types":{"EIP712Domain":[],"M":[{"name":"s","type":"string"},{"name":"spender","type":"address"}]},"primaryType":"M","domain":{},`+
		`"message":{"s":"a\u202eb","spender":"`+payee+`","not signed":1}}]`)
	require.Equal(t, "typedData\nType: M\nM.s: \"a\\u202eb\"\nM.spender: "+payee+"\n! The program can use this signature at any time, without asking you again.\n! With this signature "+payee+
		" may be able to take your tokens.\n! The signature is not limited to one network.", summary(d))
}

func TestDAppRead(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	require.Equal(t, "0x1", textOf(t, b.ask(t, request("read", "eth_chainId", "null"))))
	require.Equal(t, "0x22b1c8c1227a0001", textOf(t, b.ask(t, request("read", "eth_getBalance", `["`+walletAddress+`","latest"]`))))
	r := b.ask(t, request("read", "eth_getTransactionReceipt", `["0x`+word("01")+`"]`))
	require.Equal(t, "null", string(r.Result))
	r = b.ask(t, request("read", "eth_call", `[{"to":"`+sixAt+`","data":"0x01"},"latest"]`))
	require.Equal(t, &common.Error{Code: 3, Message: "execution reverted", Data: "0x"}, r.Error)
	b.net.Set(ethURL, network.Dead)
	r = b.ask(t, request("read", "eth_gasPrice", "[]"))
	require.EqualValues(t, common.CodeDisconnected, r.Error.Code)
}

func TestDAppAccounts(t *testing.T) {
	b := newBench(t)
	require.JSONEq(t, `[]`, string(b.ask(t, `{"do":"accounts"}`).Result))
	_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
	require.NoError(t, err)
	require.JSONEq(t, `[{"chain":"eip155:1","coin":"ETH","address":"`+walletAddress+`","pubkey":"`+publicKey+`","policy":"ContextPrivKey"}]`, string(b.ask(t, `{"do":"accounts"}`).Result))
}

const publicKey = "02031d4256c4bc9f99ac88bf3dba21773132281f65f9bf23a59928bce08961e2f3"

// An external wallet signs and sends supported requests. Others are refused with an explanation.
func TestDAppWithBrowserWallet(t *testing.T) {
	b, page := walletBench(t, bunttest.Memory(t))
	_, err := b.Activate(t.Context(), byWallet(eth()))
	require.NoError(t, err)
	send := `[{"from":"` + walletAddress + `","to":"` + payee + `","value":"0x1"}]`
	d := b.describe(t, "eth_sendTransaction", send)
	require.Len(t, textOf(t, b.ask(t, request("execute", "eth_sendTransaction", string(d.Params)))), 66)
	require.Equal(t, 1, b.eth.Sent())
	require.Len(t, textOf(t, b.ask(t, request("execute", "personal_sign", `["0x6869","`+walletAddress+`"]`))), 132)
	deploy := `[{"from":"` + walletAddress + `","data":"0x6000","gas":"0x10000","gasPrice":"0x1"}]`
	data := `["` + walletAddress + `",{"types":{"EIP712Domain":[],"M":[]},"primaryType":"M","domain":{},"message":{}}]`
	page.Requests()
	for method, params := range map[string]string{"eth_sendTransaction": deploy, "eth_signTypedData_v4": data, "personal_sign": `["0xff","` + walletAddress + `"]`} {
		b.describe(t, method, params)
		r := b.ask(t, request("execute", method, params))
		require.NotNil(t, r.Error)
		require.EqualValues(t, common.CodeUnsupported, r.Error.Code, r.Error.Message)
		require.Contains(t, r.Error.Message, "BrowserWallet")
		require.Equal(t, []string{"account 1"}, page.Requests())
	}
	for fault, code := range map[key.WalletFault]int64{key.WalletRefused: common.CodeRejected, key.WalletSwitched: common.CodeUnauthorized, key.WalletGone: common.CodeInternal} {
		page.Fail(&key.WalletError{Fault: fault, Text: "words"})
		r := b.ask(t, request("execute", "eth_sendTransaction", string(d.Params)))
		require.Equal(t, code, r.Error.Code)
		require.Contains(t, r.Error.Message, "words")
	}
	require.Equal(t, 1, b.eth.Sent())
}

func TestDAppWithDevice(t *testing.T) {
	b, d, platform := deviceEth(t)
	described := b.describe(t, "eth_sendTransaction", `[{"from":"`+onDevice+`","to":"`+payee+`","value":"0x1"}]`)
	require.Len(t, textOf(t, b.ask(t, request("execute", "eth_sendTransaction", string(described.Params)))), 66)
	require.Equal(t, 1, b.eth.Sent())
	signature := textOf(t, b.ask(t, request("execute", "personal_sign", `["0x6869","`+onDevice+`"]`)))
	valid, err := platform.VerifyMessage(t.Context(), coin.MessageProof{Message: "hi", Signature: signature, Address: onDevice})
	require.NoError(t, err)
	require.True(t, valid)

	data := `["` + onDevice + `",{"types":{"EIP712Domain":[],"M":[]},"primaryType":"M","domain":{},"message":{}}]`
	r := b.ask(t, request("execute", "eth_signTypedData_v4", data))
	require.NotNil(t, r.Error)
	require.Contains(t, r.Error.Message, "lind signing")
	d.Set(func(s *ledgertest.Settings) { s.BlindSigning = true })
	require.Len(t, textOf(t, b.ask(t, request("execute", "eth_signTypedData_v4", data))), 132)
	d.Use(ledgertest.Reject)
	for method, params := range map[string]string{"eth_sendTransaction": string(described.Params), "personal_sign": `["0x6869","` + onDevice + `"]`, "eth_signTypedData_v4": data} {
		r := b.ask(t, request("execute", method, params))
		require.NotNil(t, r.Error)
		require.EqualValues(t, common.CodeRejected, r.Error.Code, r.Error.Message)
	}
	require.Equal(t, 1, b.eth.Sent())
}
