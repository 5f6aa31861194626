package cosmos

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
	common "obverse/core/wallet/dapp"
	"obverse/core/wallet/signer/keplr/keplrtest"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

// reply is the response to a request.
type reply struct {
	Result json.RawMessage
	Error  *common.Error
}

// ask passes a request of a program to the active coins.
func (b *bench) ask(t testing.TB, do, method string, params any) (r reply) {
	t.Helper()
	request, err := json.Marshal(map[string]any{"do": do, "chain": "cosmos:cosmoshub-4", "method": method, "params": params})
	require.NoError(t, err)
	answer := common.Front{Active: b.Active}.Answer(t.Context(), request)
	require.NoError(t, json.Unmarshal(answer, &r), "%s", answer)
	require.NotEqual(t, r.Result == nil, r.Error == nil, "%s", answer)
	return r
}

// describe returns the description of a request, and fails the test if it is missing.
func (b *bench) describe(t testing.TB, method string, params any) (d common.Description) {
	t.Helper()
	r := b.ask(t, "describe", method, params)
	require.Nil(t, r.Error)
	require.NoError(t, json.Unmarshal(r.Result, &d))
	require.Equal(t, "ATOM cosmos:cosmoshub-4", d.Coin+" "+d.Chain)
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

// signedDoc is the result of signing a document.
type signedDoc struct {
	Signed    json.RawMessage
	Signature json.RawMessage
}

func (b *bench) sign(t testing.TB, method string, params any) (s signedDoc) {
	t.Helper()
	r := b.ask(t, "execute", method, params)
	require.Nil(t, r.Error)
	require.NoError(t, json.Unmarshal(r.Result, &s))
	return s
}

// vectors holds documents that CosmJS signed.
type vectors struct {
	Secret, Address, Pubkey string
	Cases                   []struct {
		Name, Method string
		Params       struct {
			Signer string          `json:"signerAddress"`
			Doc    json.RawMessage `json:"signDoc"`
		}
		Signature json.RawMessage
	}
}

func readVectors(t testing.TB) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/cosmjs.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

// vectorBench returns a node with the key of CosmJS's vectors.
func vectorBench(t testing.TB, tokens ...string) (*bench, vectors) {
	t.Helper()
	v, b := readVectors(t), newBench(t)
	ring, err := key.Open("0x"+v.Secret, false)
	require.NoError(t, err)
	b.Providers = key.Providers{ring}
	_, err = b.Activate(t.Context(), atom(tokens...))
	require.NoError(t, err)
	return b, v
}

const (
	other      = "cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz"
	validator  = "cosmosvaloper1jrkmdcwgq94uaamx6zax2luewlhf7u4kr3ncsd"
	validator2 = "cosmosvaloper19rl4cm2hmr8afy4kldpxz3fka4jguq0az7ddgl"
	unknownMsg = "\n! It is not known what a message of this transaction does. It may move all your coins, or let others do so."
	otherFee   = "\n! The network fee is in another coin than the chain's own. Whether it is usual is not known."
	cut        = "\n! A part of this request is too long to be shown. Sign it only if you know all of it."
	unknownWas = "\n! It is not known what this contract call does. It may move all coins that the contract has access to."
)

// described holds the descriptions of the vectors, by method if they differ.
var described = map[string]string{
	"send":            "send\nTo: " + other + "\nAmount: 1.5 ATOM\nMemo: Grüße <&> 🚀",
	"send of a token": "transfer\nTo: " + other + "\nAmount: 1 HUGE-IBC_ATOM",
	"many receivers":  "transaction\nTo: " + other + "\nAmount: 0.000001 ATOM\nTo: cosmos1hkfq3zahaqkkzx5mjnamwjsfpq2jk7z0emlrvp\nAmount: 0.000002 ATOM",
	"ibc":             "send\nTo another chain, by IBC: osmo1jrkmdcwgq94uaamx6zax2luewlhf7u4kgcgg0e\nChannel: transfer/channel-141\nAmount: 1 ATOM",
	"ibc with a memo": "send\nTo another chain, by IBC: osmo1jrkmdcwgq94uaamx6zax2luewlhf7u4kgcgg0e\nChannel: transfer/channel-141\nMemo for the other chain: {\"forward\":{}}\nAmount: 1 ATOM" +
		"\n! The other chain may act on the memo of a transfer, and send the coins on.",
	"delegate":               "transaction\nStake with: " + validator + "\nAmount: 2 ATOM",
	"undelegate":             "transaction\nUnstake from: " + validator + "\nAmount: 2 ATOM",
	"redelegate":             "transaction\nMove stake from: " + validator + "\nTo: " + validator2 + "\nAmount: 2 ATOM",
	"rewards":                "transaction\nCollect rewards from: " + validator,
	"contract signDirect":    "call\nContract: " + other + "\nCall: {\"swap\":{\"b\":1,\"a\":\"<&>\"}}\nAmount for the contract: 0.000005 ATOM" + unknownWas,
	"contract signAmino":     "call\nContract: " + other + "\nCall: {\"swap\":{\"a\":\"\\u003c\\u0026\\u003e\",\"b\":1}}\nAmount for the contract: 0.000005 ATOM" + unknownWas,
	"contract without funds": "call\nContract: " + other + "\nCall: {\"claim\":{}}" + unknownWas,
	"several signDirect":     "transaction\nMessage 1 of 2: /cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward\nCollect rewards from: " + validator + "\nMessage 2 of 2: /cosmos.staking.v1beta1.MsgDelegate\nStake with: " + validator + "\nAmount: 2 ATOM",
	"several signAmino":      "transaction\nMessage 1 of 2: cosmos-sdk/MsgWithdrawDelegationReward\nCollect rewards from: " + validator + "\nMessage 2 of 2: cosmos-sdk/MsgDelegate\nStake with: " + validator + "\nAmount: 2 ATOM",
	"vote signDirect":        "transaction\nType: /cosmos.gov.v1beta1.MsgVote\nContent: CAcSLWNvc21vczFoa2ZxM3phaGFxa2t6eDVtam5hbXdqc2ZwcTJqazd6MGVtbHJ2cBgB" + unknownMsg,
	"vote signAmino":         "transaction\nType: cosmos-sdk/MsgVote\nContent: {\"option\":1,\"proposal_id\":\"7\",\"voter\":\"cosmos1hkfq3zahaqkkzx5mjnamwjsfpq2jk7z0emlrvp\"}" + unknownMsg,
	"text":                   "message\nMessage: Sign in to <example>",
}

func TestDAppVectors(t *testing.T) {
	b, v := vectorBench(t)
	for _, c := range v.Cases {
		t.Run(c.Name+" "+c.Method, func(t *testing.T) {
			want := described[c.Name+" "+c.Method] + described[c.Name]
			d := b.describe(t, c.Method, c.Params)
			require.Equal(t, want, summary(d))
			require.Equal(t, v.Address, d.Address)
			if c.Name == "text" {
				require.Nil(t, d.Fee)
			} else {
				require.Equal(t, common.Fee{Coin: "ATOM", Amount: "0.0025"}, *d.Fee)
			}
			s := b.sign(t, c.Method, c.Params)
			require.JSONEq(t, string(c.Params.Doc), string(s.Signed))
			require.JSONEq(t, string(c.Signature), string(s.Signature))
		})
	}
}

// draft is a document to be changed before the request.
type draft struct {
	body wire.TxBody
	auth wire.AuthInfo
	doc  wire.SignDoc
}

func (d draft) params(signer string) any {
	return map[string]any{"signerAddress": signer, "signDoc": map[string]any{
		"bodyBytes": d.doc.Body, "authInfoBytes": d.doc.AuthInfo, "chainId": d.doc.ChainID, "accountNumber": d.doc.Account}}
}

// draftOf returns a draft with a message and a change.
func draftOf(m wire.Named, public []byte, change func(d *draft)) draft {
	d := draft{
		wire.TxBody{Messages: []wire.Any{wire.Pack(m)}},
		wire.AuthInfo{Signers: []wire.SignerInfo{{PubKey: wire.Pack(&wire.PubKey{Key: public}), Mode: wire.ModeInfo{Single: wire.SignDirect}, Sequence: 2}},
			Fee: wire.Fee{Amount: []wire.Coin{{Denom: "uatom", Amount: "1"}}, GasLimit: 3}},
		wire.SignDoc{ChainID: "cosmoshub-4", Account: 5}}
	change(&d)
	if d.doc.Body == nil {
		d.doc.Body = wire.Encode(&d.body)
	}
	if d.doc.AuthInfo == nil {
		d.doc.AuthInfo = wire.Encode(&d.auth)
	}
	return d
}

func TestDAppDirectDocuments(t *testing.T) {
	b, v := vectorBench(t)
	public, err := base64.StdEncoding.DecodeString(v.Pubkey)
	require.NoError(t, err)
	send := &wire.MsgSend{From: v.Address, To: other, Amount: []wire.Coin{{Denom: "uatom", Amount: "1"}}}
	fromOther := &wire.MsgSend{From: other, To: v.Address, Amount: []wire.Coin{{Denom: "unknown", Amount: "7"}, {Denom: "uatom", Amount: "1"}}}
	for name, c := range map[string]struct {
		change func(d *draft)
		want   string // part of a description or of an error
	}{
		"plain": {func(*draft) {}, "send\nTo: " + other + "\nAmount: 0.000001 ATOM"},
		"of another account": {func(d *draft) { d.body.Messages = []wire.Any{wire.Pack(fromOther)} },
			"transfer\nFrom: " + other + "\nTo: " + v.Address + "\nAmount: 7 units of unknown\nAmount: 0.000001 ATOM\n! It acts for another account." +
				"\n! A coin of this transaction is not in your coins list. Its name and decimals are unknown."},
		"another signer": {func(d *draft) {
			d.auth.Signers = append(d.auth.Signers, wire.SignerInfo{PubKey: wire.Pack(&wire.PubKey{Key: append([]byte{3}, public[1:]...)}), Mode: wire.ModeInfo{Single: wire.SignAmino}})
		}, "send\nAlso signed by: cosmos16yn40t2hwj0mcrpedkcuclmsazvr5ja4ygnhln\nTo: " + other + "\nAmount: 0.000001 ATOM"},
		"payer":    {func(d *draft) { d.auth.Fee.Payer, d.auth.Fee.Granter = v.Address, other }, "send\nTo: " + other + "\nAmount: 0.000001 ATOM\nFee paid by: " + other},
		"two fees": {func(d *draft) { d.auth.Fee.Amount = append(d.auth.Fee.Amount, wire.Coin{Denom: "x", Amount: "5"}) }, "send\nTo: " + other + "\nAmount: 0.000001 ATOM\nFee in another coin: 5 units of x\n! A coin of this transaction is not in your coins list. Its name and decimals are unknown." + otherFee},
		"fee in a token": {func(d *draft) {
			d.auth.Fee.Amount = []wire.Coin{{Denom: "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2", Amount: "5"}}
		}, "send\nTo: " + other + "\nAmount: 0.000001 ATOM" + otherFee},
		"no fee in a token": {func(d *draft) { d.auth.Fee.Amount = []wire.Coin{{Denom: "x", Amount: "0"}} }, "send\nTo: " + other + "\nAmount: 0.000001 ATOM\n! A coin of this transaction is not in your coins list. Its name and decimals are unknown.$"},
		"long call": {func(d *draft) {
			d.body.Messages[0] = wire.Pack(&wire.MsgExecuteContract{Sender: v.Address, Contract: other, Msg: []byte(`{"a":"` + strings.Repeat("b", 4090) + `","send":{}}`)})
		}, "call\nContract: " + other + "\nCall: {\"a\":\"" + strings.Repeat("b", 4090) + "\nNot shown: Call: the last 12 of 4108 bytes" + cut + unknownWas + "$"},
		"whole call": {func(d *draft) {
			d.body.Messages[0] = wire.Pack(&wire.MsgExecuteContract{Sender: v.Address, Contract: other, Msg: []byte(`{"a":"` + strings.Repeat("b", 4088) + `"}`)})
		}, "call\nContract: " + other + "\nCall: {\"a\":\"" + strings.Repeat("b", 4088) + "\"}" + unknownWas + "$"},
		"long message": {func(d *draft) { d.body.Messages[0] = wire.Any{TypeURL: "/x", Value: make([]byte, 6000)} }, "transaction\nType: /x\nContent: " + strings.Repeat("A", 4096) + "\nNot shown: Content: the last 3904 of 8000 bytes" + cut + unknownMsg + "$"},
		"usual fee":    {func(d *draft) { d.auth.Fee.Amount[0].Amount = "120000" }, "send\nTo: " + other + "\nAmount: 0.000001 ATOM"},
		"high fee":     {func(d *draft) { d.auth.Fee.Amount[0].Amount = "120001" }, "send\nTo: " + other + "\nAmount: 0.000001 ATOM\n! The network fee is unusually high."},
		"timeout":      {func(d *draft) { d.body.TimeoutHeight = 9 }, "send\nTo: " + other + "\nAmount: 0.000001 ATOM\nValid until block: 9"},
		"extension":    {func(d *draft) { d.body.Extensions = []wire.Any{{TypeURL: "/x", Value: []byte{1}}} }, "send\nTo: " + other + "\nAmount: 0.000001 ATOM\nExtension: /x\n! It is not known what the extension of this transaction does."},
		"key is known": {func(d *draft) { d.auth.Signers[0].PubKey = wire.Any{} }, "send\nTo: " + other + "\nAmount: 0.000001 ATOM"},
		"memo":         {func(d *draft) { d.body.Memo = "a\u202eb" }, "send\nTo: " + other + "\nAmount: 0.000001 ATOM\nMemo: \"a\\u202eb\""},
		"more in it":   {func(d *draft) { d.body.Messages[0].Value = append(d.body.Messages[0].Value, 0x22, 0) }, "transaction\nType: /cosmos.bank.v1beta1.MsgSend\nContent: "},
		"contract":     {func(d *draft) { d.body.Messages[0] = wire.Pack(&wire.MsgExecuteContract{Msg: []byte("{")}) }, "transaction\nType: /cosmwasm.wasm.v1.MsgExecuteContract\nContent: {"},
		"no messages":  {func(d *draft) { d.body.Messages = nil }, "the transaction has no messages"},
		"no amount":    {func(d *draft) { d.body.Messages[0] = wire.Pack(&wire.MsgDelegate{}) }, "not an amount of a coin"},
		"chain":        {func(d *draft) { d.doc.ChainID = "osmosis-1" }, `the document is for the chain "osmosis-1", want "cosmoshub-4"`},
		"not a signer": {func(d *draft) {
			d.auth.Signers[0].PubKey = wire.Pack(&wire.PubKey{Key: append([]byte{3}, public[1:]...)})
		}, "the public key of " + v.Address + " is not among the signers"},
		"no signer":      {func(d *draft) { d.auth.Signers = nil }, "is not among the signers"},
		"another mode":   {func(d *draft) { d.auth.Signers[0].Mode.Single = wire.SignAmino }, "the account is to sign in mode 127, want 1 (direct)"},
		"several keys":   {func(d *draft) { d.auth.Signers[0].Mode = wire.ModeInfo{Multi: []byte{}} }, "want 1 (direct)"},
		"too much":       {func(d *draft) { d.body.Messages = slices.Repeat(d.body.Messages, 400) }, "facts to show, limit is 500"},
		"endless coins":  {func(d *draft) { d.auth.Fee.Amount = slices.Repeat(d.auth.Fee.Amount, 5000) }, "facts to show, limit is 500"},
		"trailing bytes": {func(d *draft) { d.doc.Body = append(wire.Encode(&d.body), 0x20, 1) }, "body has unknown fields"},
		"tip":            {func(d *draft) { d.doc.AuthInfo = append(wire.Encode(&d.auth), 0x1a, 0) }, "auth info has unknown fields"},
		"no body":        {func(d *draft) { d.doc.Body = []byte{0xff} }, "body: malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			d := draftOf(send, public, c.change)
			r := b.ask(t, "describe", "signDirect", d.params(v.Address))
			if r.Error != nil {
				require.Contains(t, r.Error.Message, c.want)
				again := b.ask(t, "execute", "signDirect", d.params(v.Address))
				if r.Error.Code != common.CodeUnsupported { // a request that is only described is unsupported
					require.Equal(t, r.Error, again.Error)
				}
				return
			}
			var got common.Description
			require.NoError(t, json.Unmarshal(r.Result, &got))
			require.True(t, strings.HasPrefix(summary(got)+"$", c.want), summary(got))
			require.NotEmpty(t, b.sign(t, "signDirect", d.params(v.Address)).Signature)
		})
	}
}

func TestDAppRefusals(t *testing.T) {
	b, v := vectorBench(t)
	const std = `{"account_number":"1","chain_id":"cosmoshub-4","fee":{"amount":[],"gas":"1"},"memo":"","msgs":[{"type":"cosmos-sdk/MsgSend","value":{}}],"sequence":"1"}`
	amino := func(from, to string) any {
		return map[string]any{"signerAddress": v.Address, "signDoc": json.RawMessage(strings.Replace(std, from, to, 1))}
	}
	for name, c := range map[string]struct {
		method  string
		params  any
		code    int64
		message string
	}{
		"method":       {"signArbitrary", nil, common.CodeUnsupported, "want signDirect or signAmino"},
		"params":       {"signDirect", []int{}, common.CodeInvalid, "params must be an object"},
		"other signer": {"signDirect", map[string]any{"signerAddress": other}, common.CodeUnauthorized, other},
		"no document":  {"signDirect", map[string]any{"signerAddress": v.Address}, common.CodeInvalid, "signDoc must have"},
		"no base64":    {"signDirect", map[string]any{"signerAddress": v.Address, "signDoc": map[string]any{"bodyBytes": "*"}}, common.CodeInvalid, "base64"},
		"no number":    {"signDirect", map[string]any{"signerAddress": v.Address, "signDoc": map[string]any{}}, common.CodeInvalid, "accountNumber must be a whole number"},
		"no amino":     {"signAmino", map[string]any{"signerAddress": v.Address}, common.CodeInvalid, "not a sign document"},
		"more in it":   {"signAmino", amino(`"memo"`, `"x":1,"memo"`), common.CodeInvalid, "not a sign document"},
		"chain":        {"signAmino", amino("cosmoshub-4", "osmosis-1"), common.CodeInvalid, "osmosis-1"},
		"no chain":     {"signAmino", amino("cosmoshub-4", ""), common.CodeInvalid, `the chain ""`},
		"a recovery phrase": {"signAmino", amino(`"memo":""`, `"memo":"legal winner thank year wave sausage worth useful legal winner thank yellow"`),
			common.CodeInvalid, "text contains a recovery phrase"},
		"no message": {"signAmino", amino(`{"type":"cosmos-sdk/MsgSend","value":{}}`, ``), common.CodeInvalid, "no messages"},
		"not a text": {"signAmino", map[string]any{"signerAddress": v.Address, "signDoc": json.RawMessage(
			`{"account_number":"1","chain_id":"","fee":{"amount":[],"gas":"0"},"memo":"","msgs":[{"type":"sign/MsgSignData","value":{"signer":"` + v.Address + `","data":"eA=="}}],"sequence":"0"}`)},
			common.CodeInvalid, `the chain ""`},
		"text of another": {"signAmino", map[string]any{"signerAddress": v.Address, "signDoc": json.RawMessage(
			`{"account_number":"0","chain_id":"","fee":{"amount":[],"gas":"0"},"memo":"","msgs":[{"type":"sign/MsgSignData","value":{"signer":"` + other + `","data":"eA=="}}],"sequence":"0"}`)},
			common.CodeInvalid, `the chain ""`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, do := range []string{"describe", "execute"} {
				r := b.ask(t, do, c.method, c.params)
				require.NotNil(t, r.Error)
				require.Equal(t, c.code, r.Error.Code, r.Error.Message)
				require.Contains(t, r.Error.Message, c.message)
			}
		})
	}
	require.EqualValues(t, common.CodeUnsupported, b.ask(t, "read", "eth_call", nil).Error.Code)
	// A message of an unknown form is displayed unchanged.
	d := b.describe(t, "signAmino", amino(`"value":{}`, `"value":{"from_address":"`+v.Address+`","to_address":"`+other+`","amount":[],"more":1,"more":2}`))
	require.Contains(t, summary(d), `Content: {"amount":[],"from_address":"`+v.Address+`","more":2,"to_address":"`+other+`"}`+unknownMsg)
}

func TestDAppAccounts(t *testing.T) {
	b, v := vectorBench(t, "HUGE-IBC_ATOM")
	public, err := base64.StdEncoding.DecodeString(v.Pubkey)
	require.NoError(t, err)
	require.JSONEq(t, `[{"chain":"cosmos:cosmoshub-4","coin":"ATOM","address":"`+v.Address+`","pubkey":"`+hex.EncodeToString(public)+`","policy":"ContextPrivKey"}]`, string(b.ask(t, "accounts", "", nil).Result))
}

// documents returns a document in both signing modes.
func documents(t testing.TB, signer string, public [33]byte) (direct, amino any) {
	t.Helper()
	d := tx.Draft{ChainID: "cosmoshub-4", Account: 1, Sequence: 2, Messages: []wire.Named{&wire.MsgSend{From: signer, To: other, Amount: []wire.Coin{{Denom: "uatom", Amount: "1"}}}},
		Fee: wire.Fee{Amount: []wire.Coin{{Denom: "uatom", Amount: "9"}}, GasLimit: 8}}
	doc, err := d.AminoDoc()
	require.NoError(t, err)
	text, err := doc.Bytes()
	require.NoError(t, err)
	return draft{doc: d.SignDoc(public)}.params(signer), map[string]any{"signerAddress": signer, "signDoc": json.RawMessage(text)}
}

// An external wallet signs in the modes that it supports.
func TestDAppWithBrowserWallet(t *testing.T) {
	w := keplrtest.New(t, passphrase)
	b := walletBench(t, bunttest.Memory(t), w)
	_, err := b.Activate(t.Context(), byWallet(atom()))
	require.NoError(t, err)
	direct, amino := documents(t, atomAddress, *get[*Platform](t, b, "ATOM").Owner().PublicKey)
	for method, params := range map[string]any{"signDirect": direct, "signAmino": amino} {
		b.describe(t, method, params)
		require.NotEmpty(t, b.sign(t, method, params).Signature)
	}
	w.Device(true)
	require.EqualValues(t, common.CodeUnsupported, b.ask(t, "execute", "signDirect", direct).Error.Code)
	b.sign(t, "signAmino", amino)
	w.Fail(&key.WalletError{Fault: key.WalletRefused, Text: "no"})
	require.EqualValues(t, common.CodeRejected, b.ask(t, "execute", "signAmino", amino).Error.Code)
}

func TestDAppWithDevice(t *testing.T) {
	b, d := deviceBench(t, bunttest.Memory(t))
	_, err := b.Activate(t.Context(), byDevice(atom()))
	require.NoError(t, err)
	direct, amino := documents(t, onDevice, *get[*Platform](t, b, "ATOM").Owner().PublicKey)
	r := b.ask(t, "execute", "signDirect", direct)
	require.EqualValues(t, common.CodeUnsupported, r.Error.Code)
	require.Contains(t, r.Error.Message, "only amino JSON")
	require.Empty(t, d.Screens())
	b.sign(t, "signAmino", amino)
	require.Len(t, d.Screens(), 1)
	d.Use(ledgertest.Reject)
	require.EqualValues(t, common.CodeRejected, b.ask(t, "execute", "signAmino", amino).Error.Code)
}

// A watch-only address cannot sign.
func TestDAppWatchOnly(t *testing.T) {
	b := newBench(t)
	ring, err := key.Open(passphrase, false)
	require.NoError(t, err)
	public := ring.Node().PublicKey()
	external, err := key.NewExternalKey(key.Secp256k1, public[:])
	require.NoError(t, err)
	p := atom()
	p.Policy = key.WithPubkey{Key: external}
	_, err = b.Activate(t.Context(), p)
	require.NoError(t, err)
	direct, amino := documents(t, atomAddress, public)
	for method, params := range map[string]any{"signDirect": direct, "signAmino": amino} {
		b.describe(t, method, params)
		require.EqualValues(t, common.CodeUnsupported, b.ask(t, "execute", method, params).Error.Code)
	}
}
