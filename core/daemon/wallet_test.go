package daemon_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/daemon"
	"obverse/core/number"
)

func TestBalance(t *testing.T) {
	s := mined(t, 3)
	premine := s.Manager.Params().Subsidy(1)
	coins := func(params ...any) string { return string(s.answer("getbalance", params...).Result) }
	whole := func(satoshis int64) string { return number.Coins(satoshis).String() }
	require.Equal(t, whole(premine+2e8), coins())
	require.Equal(t, whole(premine+1e8), coins("*", 2))
	require.Equal(t, whole(premine), coins("", 3))
	require.Equal(t, whole(0), coins("*", 4))

	result[string](s, "sendtoaddress", chaintest.Key(t, 2).Address().Text().String(), 10)
	require.Equal(t, whole(premine+2e8-10e8-5_000), coins(), "its own change counts before it is confirmed")
	require.NotEqual(t, coins("*", 1), coins("*", 0))
	require.Equal(t, whole(0), coins("savings"))
	require.Equal(t, coins(), string(result[map[string]json.RawMessage](s, "getinfo")["balance"]))
}

// TestBalanceTrust checks that payments from others count only after they are confirmed, while
// change counts immediately.
func TestBalanceTrust(t *testing.T) {
	s := mined(t, 2)
	k1, k2 := chaintest.Key(t, 1), chaintest.Key(t, 2)
	result[string](s, "sendtoaddress", k2.Address().Text().String(), 10)
	result[[]string](s, "generate", 1)
	before := string(s.answer("getbalance").Result)
	from := result[[]struct {
		TxID        string
		OutputIndex uint32
	}](s, "getaddressutxos", k2.Address().Text().String())
	payment := s.signed(from[0].TxID, from[0].OutputIndex, k2, chaintest.Pay(k1.PubKey(), 10e8-10_000))
	result[string](s, "sendrawtransaction", payment)
	require.Equal(t, before, string(s.answer("getbalance").Result))
	require.Len(t, result[[]any](s, "listunspent", 0), len(result[[]any](s, "listunspent"))+1)
	result[[]string](s, "generate", 1)
	require.NotEqual(t, before, string(s.answer("getbalance").Result))
}

// signed returns a transaction that spends one coin of a key to one output, in hexadecimal.
func (s *station) signed(from string, index uint32, by chaintest.Signer, to wire.TxOut) string {
	id, err := wire.ParseHash(from)
	require.NoError(s.t, err)
	coins := []chaintest.Coin{chaintest.Output(s.transaction(id), int(index))}
	next := result[int](s, "getblockcount") + 1
	tx := chaintest.Spend(s.Manager.Params(), next, coins, to)
	return hex.EncodeToString(chaintest.Sign(s.t, tx, s.Manager.Params().BranchID(next), coins, by).Encode())
}

// TestSendingWhileStalled checks that a transaction is accepted while the validators make no
// blocks, and that the reply warns that the transaction is waiting.
func TestSendingWhileStalled(t *testing.T) {
	s := mined(t, 3)
	to := chaintest.Key(t, 2).Address().Text().String()
	var stalled error
	s.Stalled = func() error { return stalled }
	require.NotContains(t, s.ask("sendtoaddress", to, 1), "warning")
	require.JSONEq(t, `""`, string(result[map[string]json.RawMessage](s, "getinfo")["errors"]))

	stalled = errors.New("stalled: no block for 20 s")
	var reply struct {
		Result, Warning string
		Error           any
		ID              string
	}
	require.NoError(t, json.Unmarshal([]byte(s.ask("sendtoaddress", to, 1)), &reply))
	require.Len(t, reply.Result, 64)
	require.Nil(t, reply.Error)
	require.Equal(t, "q", reply.ID)
	require.Equal(t, "stalled: no block for 20 s; the transaction is kept and waits: do not send it again", reply.Warning)
	raw := result[string](s, "getrawtransaction", reply.Result)
	require.Contains(t, s.ask("sendrawtransaction", raw), `"warning":"stalled: `)
	require.JSONEq(t, `"stalled: no block for 20 s"`, string(result[map[string]json.RawMessage](s, "getinfo")["errors"]))
	require.JSONEq(t, `"stalled: no block for 20 s"`, string(result[map[string]json.RawMessage](s, "getnetworkinfo")["warnings"]))
	require.NotContains(t, s.ask("getblockcount"), "warning")
}

// TestNetworkOfGetInfo checks the fields of getinfo about the network and the disk.
func TestNetworkOfGetInfo(t *testing.T) {
	s := mined(t, 3)
	type info struct {
		Synced           bool
		Connections      int
		P2PPort          int
		Errors, Warnings string
	}
	var network daemon.Network
	var failed, broken error
	s.Port = func() int { return 7771 }
	require.Equal(t, info{}, result[info](s, "getinfo"), "regtest")
	s.Network = func(context.Context) (daemon.Network, error) { return network, failed }
	s.Healthy = func() error { return broken }
	for _, step := range []struct {
		network        daemon.Network
		failed, broken error
		want           info
	}{
		{daemon.Network{Connections: 3, Port: 26656}, nil, nil, info{Synced: true, Connections: 3, P2PPort: 26656}},
		{daemon.Network{Connections: 1, Port: 26656, CatchingUp: true}, nil, nil, info{Connections: 1, P2PPort: 26656}},
		{daemon.Network{}, errors.New("no answer"), nil, info{Errors: "no answer"}},
		{daemon.Network{Connections: 3}, nil, errors.New("disk full"), info{Synced: true, Connections: 3, Errors: "disk full"}},
	} {
		network, failed, broken = step.network, step.failed, step.broken
		require.Equal(t, step.want, result[info](s, "getinfo"))
		require.Equal(t, step.want.Synced, result[info](s, "getblockchaininfo").Synced)
		require.Equal(t, step.want.Errors, result[info](s, "getmininginfo").Errors)
		require.Equal(t, info{Connections: step.want.Connections, Warnings: step.want.Errors}, result[info](s, "getnetworkinfo"))
	}
}

func TestListUnspent(t *testing.T) {
	s := mined(t, 3)
	result[string](s, "sendtoaddress", chaintest.Key(t, 2).Address().Text().String(), 1)
	result[[]string](s, "generate", 1)
	address := chaintest.Key(t, 1).Address().Text().String()
	type coin struct {
		TxID, Address string
		Vout          int
		Generated     bool
		SegID         int
		Amount        json.Number
		Interest      *json.Number
		Confirmations int
	}
	all := result[[]coin](s, "listunspent")
	require.Len(t, all, 3)
	for _, c := range all {
		require.Equal(t, address, c.Address)
		require.Equal(t, 1, c.SegID)
		require.Equal(t, json.Number("0.00000000"), *c.Interest, "coinbases and payments have a lock time")
	}
	require.Len(t, result[[]coin](s, "listunspent", 1, 1), 2)
	require.Len(t, result[[]coin](s, "listunspent", 5), 0)
	require.Equal(t, all, result[[]coin](s, "listunspent", 1, 99, []string{address}))
	require.Empty(t, result[[]coin](s, "listunspent", 1, 99, []string{chaintest.Key(t, 2).Address().Text().String()}))
	s.refused(-3, "Expected type number, got string", "listunspent", "1")
	s.refused(-3, "Expected type array, got string", "listunspent", 1, 99, address)
	s.refused(-5, "Invalid Komodo address: x", "listunspent", 1, 99, []string{address, "x"})
	s.refused(-8, "Invalid parameter, duplicated address: "+address, "listunspent", 1, 99, []string{address, address})
	s.refused(-1, "JSON value is not a string as expected", "listunspent", 1, 99, []any{5})
}

func TestSendToAddress(t *testing.T) {
	s := mined(t, 2)
	to := chaintest.Key(t, 2).Address().Text().String()
	id := result[string](s, "sendtoaddress", to, 1.5, "a comment", "a name", false)
	require.Equal(t, []string{id}, result[[]string](s, "getrawmempool"))
	require.Equal(t, "1.50000000", string(result[map[string]json.RawMessage](s, "gettxout", id, 1)["value"]))
	for _, test := range []struct {
		code    int
		message string
		params  []any
	}{
		{-5, "Invalid Komodo address", []any{"x", 1}},
		{-3, "Invalid amount", []any{to, "abc"}},
		{-3, "Invalid amount", []any{to, json.Number("0.000000001")}},
		{-3, "Invalid amount", []any{to, json.Number("1e99")}},
		{-3, "Invalid amount for send", []any{to, 0}},
		{-3, "Amount out of range", []any{to, -1}},
		{-6, "Insufficient funds", []any{to, 5000}},
	} {
		s.refused(test.code, test.message, "sendtoaddress", test.params...)
	}
}

// TestSendToTokens checks that a payment to a token address is refused, since the coins could
// never be spent.
func TestSendToTokens(t *testing.T) {
	s := mined(t, 2)
	key2 := chaintest.Key(t, 2).PublicKey()
	second := hex.EncodeToString(key2[:])
	addresses := result[map[string]any](s, "tokenaddress", second)
	const lost = "it is an address of tokens, where no key could spend coins: pay to the address of a key, as myaddress of tokenaddress is"
	refused := func(name, reason string) {
		t.Helper()
		to := addresses[name].(string)
		s.refused(-5, fmt.Sprintf("Invalid Komodo address %q: %s", to, reason), "sendtoaddress", to, 1)
	}
	refused("myCCAddress(Tokens)", lost)
	refused("TokensCCAddress", lost)
	const public = "the private key of the tokens' module is public, so that anyone could take the coins"
	refused("TokensNormalAddress", public)
	global := token.GlobalKey()
	s.refused(-5, fmt.Sprintf("Invalid Komodo address %q: %s", addresses["TokensNormalAddress"], public), "sendmany", "", map[string]any{hex.EncodeToString(global[:]): 1})
	result[string](s, "sendtoaddress", addresses["myaddress"], 1)

	id := s.send("tokencreate", "ABC", "1")
	result[[]string](s, "generate", 1)
	s.send("tokentransfer", id, second, "5")
	result[[]string](s, "generate", 1)
	refused("PubkeyCCaddress(Tokens)", lost)
	result[string](s, "sendtoaddress", chaintest.Key(t, 2).Address().Text().String(), 1)
}

func TestWithoutKey(t *testing.T) {
	s := mined(t, 2)
	address := chaintest.Key(t, 1).Address().Text().String()
	s.Wallet, s.Ring = nil, nil
	s.refused(-4, "this node has no key: start it with a passphrase", "sendtoaddress", address, 1)
	s.refused(-4, "Private key for address "+address+" is not known", "dumpprivkey", address)
	require.Equal(t, "0.00000000", string(s.answer("getbalance").Result))
	require.Empty(t, result[[]any](s, "listunspent"))
	require.NotContains(t, result[map[string]any](s, "getinfo"), "pubkey")
}

func TestDumpPrivKey(t *testing.T) {
	s := mined(t, 0)
	require.Equal(t, "Ut1pMYZRM4tEFeVAEURQqcPAgKwyJ2vdMSALmHCtfFgzbocgQmSL", result[string](s, "dumpprivkey", "RRFHw4kaRyNBjbZTMPBXsCFBuEwx6f3opQ"))
	s.refused(-4, "Private key for address RM5pADBEh8WCceff6mKU2U9JKAFhvQKhwf is not known", "dumpprivkey", "RM5pADBEh8WCceff6mKU2U9JKAFhvQKhwf")
	s.refused(-5, "Invalid transparent address", "dumpprivkey", "x")
}
