package tx

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/wire"
)

// recorded is a real chain that replays its recorded responses.
type recorded struct {
	*fakeChain
	name  string
	tapes map[string]tape
}

func newRecorded(t *testing.T, chain string) recorded {
	t.Helper()
	r := recorded{newChain(), chain, map[string]tape{}}
	for _, file := range []string{"query", "broadcast"} {
		for _, entry := range readTapes(t, chain, file) {
			r.tapes[entry.Name] = entry
		}
	}
	r.channels = map[string]wire.Channel{}
	return r
}

// answer decodes the response of an abci_query: a message, or an error.
func (r recorded) answer(t *testing.T, name string) ([]byte, error) {
	t.Helper()
	entry, is := r.tapes[name]
	require.True(t, is, name)
	var a struct {
		Result struct {
			Response struct {
				Code           uint32
				Codespace, Log string
				Value          []byte
			}
		}
	}
	require.NoError(t, json.Unmarshal(entry.Response, &a))
	if v := a.Result.Response; v.Code != 0 {
		return nil, refusedBy(Verdict{v.Code, v.Codespace, v.Log})
	}
	return a.Result.Response.Value, nil
}

// way adds a channel of the chain with its client.
func (r recorded) way(t *testing.T, health string) {
	t.Helper()
	var channel wire.ChannelResponse
	value, err := r.answer(t, "channel, "+health)
	require.NoError(t, err)
	require.NoError(t, wire.Decode(value, &channel))
	r.channels["channel-0"] = channel.Channel
	var client wire.ChannelClientResponse
	value, err = r.answer(t, "client of a channel, "+health)
	require.NoError(t, err)
	require.NoError(t, wire.Decode(value, &client))
	r.client = client.Client
	var status wire.ClientStatusResponse
	value, err = r.answer(t, "status of a client, "+health)
	require.NoError(t, err)
	require.NoError(t, wire.Decode(value, &status))
	r.status = status.Status
}

// wallet returns a wallet with the recorded account.
func (r recorded) wallet(t *testing.T) *Wallet {
	t.Helper()
	prefix, denom := "cosmos", "uatom"
	if r.name == "iris" {
		prefix, denom = "iaa", "uiris"
	}
	w := newWallet(t, r.fakeChain)
	var err error
	w.Chain, err = ChainOf("COIN", coin.Cosmos{Decimals: 6, Denom: denom, AccountPrefix: prefix, ChainID: recordedChainID(t, r.name),
		IBCChannels: map[string]uint64{"osmo": 0}})
	require.NoError(t, err)
	w.Address, err = address.New(prefix, w.Address.Bytes())
	require.NoError(t, err)
	r.balances[denom] = "5000000"
	return w
}

func TestRecordedChannels(t *testing.T) {
	for _, chain := range chains {
		for health, want := range map[string]string{
			"healthy": "",
			"expired": "its client 07-tendermint-1 has expired: no update from CHAIN about counterparty-1 in time",
			"frozen":  "its client 07-tendermint-2 is frozen: CHAIN saw counterparty-1 contradict itself",
		} {
			r := newRecorded(t, chain)
			r.way(t, health)
			w := r.wallet(t)
			got, err := w.Withdraw(t.Context(), w.Chain.Native, coin.WithdrawRequest{To: osmosis, Amount: rat(t, "1")})
			if want == "" {
				require.NoError(t, err)
				require.Equal(t, coin.KindIBCTransfer, got.Kind)
				continue
			}
			require.ErrorAs(t, err, new(*coin.ChannelError))
			require.ErrorContains(t, err, strings.ReplaceAll(want, "CHAIN", w.Chain.ID))
		}
	}
}

// TestRecordedSimulations checks that errors of simulations are recognized regardless of the
// text around them.
func TestRecordedSimulations(t *testing.T) {
	transfer := coin.WithdrawRequest{To: osmosis, Amount: rat(t, "1")}
	for name, c := range map[string]struct {
		want any // error type
		text string
	}{
		"IBC, expired client":     {new(*coin.ChannelError), "status Expired"},
		"IBC, frozen client":      {new(*coin.ChannelError), "status Frozen"},
		"IBC, closed channel":     {new(*coin.ChannelError), "channel is CLOSED"},
		"more than it has":        {new(*coin.ShortageError), "not enough COIN: available 99"},
		"fee is more than it has": {new(*coin.ShortageError), "required 99999.999999"},
		"has no coin for the fee": {new(*coin.ShortageError), "available 0.000003, required 0.1"},
		"more than it may spend":  {new(*coin.ShortageError), "not enough COIN: available "},
		"sequence of the future":  {new(*coin.RefusedError), "account sequence mismatch"},
		"no such account":         {new(*coin.RefusedError), "unknown address"},
		"no transaction":          {new(*coin.RefusedError), "tx parse error"},
		"on a node without gRPC":  {new(*coin.RefusedError), "unknown query path"}, // a Node handles this itself
	} {
		t.Run(name, func(t *testing.T) {
			for _, chain := range chains {
				r := newRecorded(t, chain)
				r.way(t, "healthy")
				_, err := r.answer(t, "simulate: "+name)
				require.Error(t, err)
				r.fails["simulate"] = err
				w := r.wallet(t)
				_, err = w.Withdraw(t.Context(), w.Chain.Native, transfer)
				require.ErrorAs(t, err, c.want, chain)
				require.ErrorContains(t, err, c.text)
			}
		})
	}
}

// TestRecordedGas checks that the gas of recorded simulations, with its margin, is sufficient
// for the same transactions in blocks.
func TestRecordedGas(t *testing.T) {
	for _, chain := range chains {
		r := newRecorded(t, chain)
		used := map[string]uint64{}
		for _, name := range []string{"coin", "coin, signed", "coin, without gas and fee", "voucher", "IBC", "voucher over IBC"} {
			var simulated wire.SimulateResponse
			value, err := r.answer(t, "simulate: "+name)
			require.NoError(t, err)
			require.NoError(t, wire.Decode(value, &simulated))
			used[name] = simulated.Gas.Used
		}
		require.Less(t, used["coin, without gas and fee"], used["coin"], "that is why simulations pay a fee")
		require.Greater(t, gasLimit(used["coin"]), used["coin, signed"])
		require.Less(t, gasLimit(used["coin"]), uint64(TransferGas))
		require.Less(t, gasLimit(used["IBC"]), uint64(IBCGas))
	}
}

// TestRecordedBroadcasts checks that a transaction which nodes have already is not refused, see
// Node, and that other errors have the chain's text.
func TestRecordedBroadcasts(t *testing.T) {
	for _, chain := range chains {
		r := newRecorded(t, chain)
		w := r.wallet(t)
		refusals := 0
		for name, entry := range r.tapes {
			var answer struct {
				Result *struct {
					Code           uint32
					Codespace, Log string
					Hash           string
				}
			}
			var request struct{ Tx []byte }
			if json.Unmarshal(entry.Response, &answer) != nil || answer.Result == nil || answer.Result.Hash == "" || json.Unmarshal(entry.parameters(), &request) != nil {
				continue
			}
			v := answer.Result
			r.verdict = Verdict{v.Code, v.Codespace, v.Log}
			hash, err := w.Broadcast(t.Context(), request.Tx)
			require.Equal(t, v.Hash, hash, name)
			if v.Code == 0 {
				require.NoError(t, err, name)
				continue
			}
			refusals++
			var refusal *coin.RefusedError
			require.ErrorAs(t, err, &refusal, name)
			require.ErrorContains(t, err, v.Log)
			require.Equal(t, v.Code, refusal.Code)
		}
		require.Greater(t, refusals, 12)
	}
}

func TestRecordedAmountsInLogs(t *testing.T) {
	for text, want := range map[string]string{
		"5uatom is smaller than 6uatom":                                    "uatom 5 6",
		"spendable balance 5uatom is smaller than 6uatom: insufficient":    "uatom 5 6",
		"x (5" + voucherDenom + " is smaller than 6" + voucherDenom + ")":  voucherDenom + " 5 6",
		"desc = 1uiris,5uatom is smaller than 6uatom,7uiris: insufficient": "uatom 5 6",
		"5uatom is smaller than 6uiris":                                    "",
		"5 is smaller than 6":                                              "",
		"uatom is smaller than uatom":                                      "",
		"-5uatom is smaller than 6uatom":                                   "",
		" is smaller than ":                                                "",
		strings.Repeat("9", 79) + "u is smaller than 6u":                   "",
	} {
		denom, available, required, ok := shortage(text)
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want, denom+" "+available.String()+" "+required.String())
			require.Positive(t, available.Cmp(big.NewInt(4)))
		}
	}
}
