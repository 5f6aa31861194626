package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/stretchr/testify/require"
)

// chain holds the recordings of one chain.
type chain struct {
	ID       string `json:"chain_id"`
	Denom    string
	Accounts map[string]struct{ Address string }
	Balances map[string][]struct{ Denom, Amount string }

	queries map[string]query // by name
	txs     map[string][]byte
}

type query struct {
	path       string
	data, sent []byte
	code       int
}

// entry is a recorded request with its response.
type entry struct {
	Name    string
	Request struct {
		Method string
		Params json.RawMessage
	}
	Response struct{ Result json.RawMessage }
}

func chains(t *testing.T) (all []chain) {
	t.Helper()
	for _, kind := range []string{"gaiad", "iris"} {
		read := func(file string, into any) {
			text, err := os.ReadFile("../testdata/" + kind + "/" + file)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, into))
		}
		c := chain{queries: map[string]query{}, txs: map[string][]byte{}}
		read("chain.json", &c)
		for _, file := range []string{"query.json", "broadcast.json", "history.json", "events.json"} {
			var entries []entry
			read(file, &entries)
			for _, e := range entries {
				c.note(t, e)
			}
		}
		require.Greater(t, len(c.queries), 80)
		require.Greater(t, len(c.txs), 40)
		all = append(all, c)
	}
	return all
}

func (c *chain) note(t *testing.T, e entry) {
	if e.Request.Method == "abci_query" {
		var sent struct{ Path, Data string }
		var got struct {
			Response struct {
				Code  int
				Value []byte
			}
		}
		if json.Unmarshal(e.Request.Params, &sent) != nil || len(e.Response.Result) == 0 {
			return // the response is an error
		}
		require.NoError(t, json.Unmarshal(e.Response.Result, &got))
		data, err := hex.DecodeString(sent.Data)
		require.NoError(t, err)
		c.queries[e.Name] = query{sent.Path, got.Response.Value, data, got.Response.Code}
	}
	for _, text := range []string{string(e.Request.Params), string(e.Response.Result)} {
		for _, part := range strings.Split(text, `"tx":"`)[1:] {
			raw, err := base64.StdEncoding.DecodeString(part[:strings.IndexByte(part, '"')])
			if err == nil && len(raw) > 100 {
				c.txs[string(raw)] = raw
			}
		}
	}
}

// same decodes bytes, encodes the result, and requires the same bytes.
func same(t *testing.T, b []byte, m Message) {
	t.Helper()
	require.NoError(t, Decode(b, m))
	require.Equal(t, hex.EncodeToString(b), hex.EncodeToString(Encode(m)))
}

func TestRecordedTransactions(t *testing.T) {
	for _, c := range chains(t) {
		kinds, modes := map[string]int{}, map[SignMode]int{}
		for _, raw := range c.txs {
			var tx Tx
			var body TxBody
			var auth AuthInfo
			same(t, raw, &tx)
			same(t, tx.Body, &body)
			same(t, tx.AuthInfo, &auth)
			require.Len(t, auth.Signers, len(tx.Signatures))
			modes[auth.Signers[0].Mode.Single]++
			require.NotZero(t, auth.Fee.GasLimit)
			for _, packed := range body.Messages {
				m, err := packed.Unpack()
				if packed.TypeURL == "/cosmos.feegrant.v1beta1.MsgGrantAllowance" {
					require.ErrorIs(t, err, ErrUnknownType)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, packed, Pack(m))
				kinds[packed.TypeURL]++
			}
		}
		require.Greater(t, kinds[(*MsgSend)(nil).TypeURL()], 30)
		for _, m := range []Named{&MsgMultiSend{}, &MsgTransfer{}, &MsgDelegate{}, &MsgUndelegate{}, &MsgWithdrawDelegatorReward{}} {
			require.NotZero(t, kinds[m.TypeURL()], m.TypeURL())
		}
		require.Greater(t, modes[SignDirect], 30)
		require.NotZero(t, modes[SignAmino])
	}
}

// TestRecordedSignatures checks the sign document with signatures that the chain accepted.
func TestRecordedSignatures(t *testing.T) {
	for _, c := range chains(t) {
		var answer AccountResponse
		same(t, c.queries["account"].data, &answer)
		user, err := answer.Base(c.Accounts["user"].Address)
		require.NoError(t, err)
		require.Equal(t, c.Accounts["user"].Address, user.Address)
		key, err := user.PubKey.Unpack()
		require.NoError(t, err)
		public, err := btcec.ParsePubKey(key.(*PubKey).Key)
		require.NoError(t, err)
		good := 0
		for _, raw := range c.txs {
			var tx Tx
			var auth AuthInfo
			require.NoError(t, Decode(raw, &tx))
			require.NoError(t, Decode(tx.AuthInfo, &auth))
			if len(tx.Signatures[0]) != 64 || auth.Signers[0].Mode.Single != SignDirect || !same33(auth.Signers[0].PubKey, key) {
				continue
			}
			hash := sha256.Sum256(Encode(&SignDoc{tx.Body, tx.AuthInfo, c.ID, user.Number}))
			var r, s btcec.ModNScalar
			r.SetByteSlice(tx.Signatures[0][:32])
			s.SetByteSlice(tx.Signatures[0][32:])
			if ecdsa.NewSignature(&r, &s).Verify(hash[:], public) {
				good++
			}
		}
		require.Greater(t, good, 20, "but for those that are signed wrongly")
	}
}

func same33(a Any, k Named) bool { return string(a.Value) == string(Encode(k)) }

func TestRecordedRequests(t *testing.T) {
	for _, c := range chains(t) {
		user := c.Accounts["user"].Address
		for name, want := range map[string]struct {
			path string
			m    Message
		}{
			"balance":                      {PathBalance, &BalanceRequest{user, c.Denom}},
			"balance of no address":        {PathBalance, &BalanceRequest{Denom: c.Denom}},
			"all balances":                 {PathAllBalances, &AllBalancesRequest{Address: user}},
			"all balances, first page":     {PathAllBalances, &AllBalancesRequest{user, &PageRequest{Limit: 1}}},
			"spendable balances":           {PathSpendableBalances, &AllBalancesRequest{Address: user}},
			"account":                      {PathAccount, &AccountRequest{user}},
			"channel, expired":             {PathChannel, &ChannelRequest{"transfer", "channel-1"}},
			"client of a channel, expired": {PathChannelClient, &ChannelRequest{"transfer", "channel-1"}},
			"status of a client, expired":  {PathClientStatus, &ClientStatusRequest{"07-tendermint-1"}},
			"where a voucher came from":    {PathDenomTrace, &DenomTraceRequest{"27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2"}},
		} {
			q, ok := c.queries[name]
			require.True(t, ok, name)
			require.Equal(t, want.path, q.path, name)
			require.Equal(t, hex.EncodeToString(q.sent), hex.EncodeToString(Encode(want.m)), name)
		}
		q := c.queries["simulate: coin"]
		require.Equal(t, PathSimulate, q.path)
		var simulate SimulateRequest
		same(t, q.sent, &simulate)
		same(t, simulate.Tx, &Tx{})
	}
}

func TestRecordedBalances(t *testing.T) {
	for _, c := range chains(t) {
		var all AllBalancesResponse
		same(t, c.queries["all balances"].data, &all)
		require.EqualValues(t, len(all.Balances), all.Page.Total)
		require.Len(t, all.Balances, len(c.Balances["user"]))
		for i, want := range c.Balances["user"] {
			require.Equal(t, Coin{want.Denom, want.Amount}, all.Balances[i])
		}
		same(t, c.queries["all balances, first page"].data, &all)
		require.Len(t, all.Balances, 1)
		require.NotEmpty(t, all.Page.NextKey)
		same(t, c.queries["all balances of nobody"].data, &all)
		require.Empty(t, all.Balances)
		var one BalanceResponse
		same(t, c.queries["balance beyond 64 bits"].data, &one)
		n, err := one.Balance.Units()
		require.NoError(t, err)
		require.Equal(t, one.Balance.Amount, n.String())
		require.Greater(t, n.BitLen(), 64)
		same(t, c.queries["balance of nobody"].data, &one)
		require.Equal(t, Coin{c.Denom, "0"}, one.Balance)
	}
}

func TestRecordedAnswers(t *testing.T) {
	for _, c := range chains(t) {
		var account AccountResponse
		same(t, c.queries["account that never signed"].data, &account)
		base, err := account.Base(c.Accounts["passphrase"].Address)
		require.NoError(t, err)
		require.Equal(t, BaseAccount{Address: c.Accounts["passphrase"].Address, Number: base.Number}, base)

		for name, want := range map[string]ChannelState{"channel, healthy": ChannelOpen, "channel, expired": ChannelOpen, "channel, closed": ChannelClosed} {
			var channel ChannelResponse
			require.NoError(t, Decode(c.queries[name].data, &channel))
			require.Equal(t, want, channel.Channel.State)
			require.Equal(t, "ics20-1", channel.Channel.Version)
			require.Equal(t, "transfer", channel.Channel.Counterparty.Port)
			require.Len(t, channel.Channel.Connections, 1)
		}
		var client ChannelClientResponse
		require.NoError(t, Decode(c.queries["client of a channel, frozen"].data, &client))
		require.Equal(t, "07-tendermint-2", client.Client.ID)
		state, err := client.Client.State.Unpack()
		require.NoError(t, err)
		require.Equal(t, &ClientState{ChainID: "counterparty-1", TrustingPeriod: Duration{Seconds: 14 * 24 * 3600},
			FrozenHeight: Height{1, 900}, LatestHeight: Height{1, 1000}}, state)
		for name, want := range map[string]string{"healthy": ClientActive, "expired": ClientExpired, "frozen": ClientFrozen} {
			var status ClientStatusResponse
			same(t, c.queries["status of a client, "+name].data, &status)
			require.Equal(t, want, status.Status)
		}
		var trace DenomTraceResponse
		same(t, c.queries["where a voucher came from"].data, &trace)
		require.Equal(t, DenomTrace{"transfer/channel-0", "uatom"}, trace.Trace)

		var gas SimulateResponse
		require.NoError(t, Decode(c.queries["simulate: coin"].data, &gas))
		if c.queries["simulate: coin"].code == 0 {
			require.Greater(t, gas.Gas.Used, uint64(40_000))
		}
	}
}
