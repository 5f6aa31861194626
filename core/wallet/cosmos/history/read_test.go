package history

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
)

// short returns the name of an address in the recording.
func (r *recorded) short(address string) string {
	for name, account := range r.Accounts {
		if account.Address == address {
			return name
		}
	}
	if strings.HasPrefix(address, "counterparty") || len(address) < 10 {
		return address
	}
	if strings.Contains(address, "valoper1") || strings.HasPrefix(address, "iva1") {
		return "validator"
	}
	return "other"
}

// compact formats an entry in one line.
func (r *recorded) compact(e Entry) string {
	name := func(addresses []string) string {
		var list []string
		for _, address := range addresses {
			list = append(list, r.short(address))
		}
		return strings.Join(list, "+")
	}
	denom := e.Denom
	for n, v := range r.Vouchers {
		if v.Denom == denom {
			denom = fmt.Sprintf("voucher%d", n+1)
		}
	}
	if denom == r.Denom {
		denom = "coin"
	}
	kind := string(e.Kind)
	if e.Message != "" {
		kind += "(" + e.Message + ")"
	}
	return fmt.Sprintf("%s %s %s>%s total %s spent %s received %s", denom, kind, name(e.From), name(e.To), e.Total, e.Spent, e.Received)
}

// expected holds the entries of the recorded transactions. Every transaction costs 100000. The
// reward of a stake is written as $, and the reward with the fee as $+.
var expected = map[string][]string{
	"coin out, with memo": {"coin StandardTransfer user>other total 1100000 spent 1100000 received 0"},
	"coin in":             {"coin StandardTransfer other>user total 2500000 spent 0 received 2500000"},
	"voucher out":         {"voucher1 StandardTransfer user>other total 3000000 spent 3000000 received 0", onlyFee},
	"voucher in":          {"voucher1 StandardTransfer other>user total 4000000 spent 0 received 4000000"},
	"beyond 64 bits out": {"voucher2 StandardTransfer user>other total 100000000000000000000000000 spent 100000000000000000000000000 received 0",
		onlyFee},
	"beyond 64 bits in": {"voucher2 StandardTransfer other>user total 36893488147419103232 spent 0 received 36893488147419103232"},
	"to itself":         {"coin StandardTransfer user>user total 100005 spent 100005 received 5"},
	"coin and voucher in one message": {"voucher1 StandardTransfer user>other total 7 spent 7 received 0",
		"coin StandardTransfer user>other total 100006 spent 100006 received 0"},
	"to a new account":                       {"voucher1 StandardTransfer user>other total 8 spent 8 received 0", onlyFee},
	"more than it has":                       {onlyFee},
	"out of gas in its message":              {onlyFee},
	"stake":                                  {"coin StakingDelegation user>validator total 5100000 spent 5100000 received 0"},
	"reward":                                 {"coin ClaimDelegationRewards validator>user total $+ spent 100000 received $"},
	"stake back":                             {"coin RemoveDelegation user> total $+ spent 100000 received $"},
	"over IBC":                               {"coin TendermintIBCTransfer user>counterparty1receiver total 100010 spent 100010 received 0"},
	"voucher over IBC":                       {"voucher1 TendermintIBCTransfer user>counterparty1receiver total 11 spent 11 received 0", onlyFee},
	"over IBC by an expired client":          {onlyFee},
	"grant, which moves no coin but its fee": {onlyFee},
	"amino":                                  {"coin StandardTransfer user>other total 100013 spent 100013 received 0"},
	"multi-send out":                         {"coin StandardTransfer user>other+poor total 100003 spent 100003 received 0"},
	"multi-send in":                          {"coin StandardTransfer other>user total 2 spent 0 received 2"},
	"two messages": {"coin StandardTransfer user>other total 100014 spent 100014 received 0",
		"voucher1 StandardTransfer user>passphrase total 15 spent 15 received 0"},
	"out, in one block with the next": {"coin StandardTransfer user>other total 100016 spent 100016 received 0"},
	"in, in one block with the last":  {"coin StandardTransfer other>user total 17 spent 0 received 17"},
	"seen to go out":                  {"coin StandardTransfer user>other total 100031 spent 100031 received 0"},
	"seen to come in":                 {"voucher1 StandardTransfer other>user total 32 spent 0 received 32"},
	"seen on both sides":              {"coin StandardTransfer user>user total 100033 spent 100033 received 33"},
	"seen to fail":                    {onlyFee},
	"sync, taken":                     {taken},
	"async, taken":                    {taken},
	"commit, taken":                   {taken},
	"commit, fails in its block":      {onlyFee},
	"sync, fails in its block":        {onlyFee},
	"sync, taken again":               {taken},
	"first of a queue":                {"coin StandardTransfer user>other total 100022 spent 100022 received 0"},
	"second of a queue":               {"coin StandardTransfer user>other total 100022 spent 100022 received 0"},
}

const (
	onlyFee = "coin FeeForTokenTx user> total 100000 spent 100000 received 0"
	taken   = "coin StandardTransfer user>other total 100021 spent 100021 received 0"
	cost    = 100000
)

// TestReadRecordings checks the entries of every recorded transaction.
func TestReadRecordings(t *testing.T) {
	for _, kind := range kinds {
		r := replay(t, kind)
		for _, tx := range r.txs {
			t.Run(kind+" "+r.title(tx), func(t *testing.T) {
				want, is := expected[r.title(tx)]
				require.True(t, is, "a transaction of which nothing is expected")
				want = slices.Clone(want)
				got := Read(tx, r.user())
				earned := changes(t, tx, r.user())[r.Denom]
				for n, e := range got.Entries {
					require.Less(t, n, len(want))
					if earned != nil {
						reward := new(big.Int).Add(earned, big.NewInt(cost))
						want[n] = strings.ReplaceAll(strings.ReplaceAll(want[n], "$+", new(big.Int).Add(reward, big.NewInt(cost)).String()), "$", reward.String())
					}
					require.Equal(t, want[n], r.compact(e))
				}
				require.Len(t, got.Entries, len(want))
				require.Equal(t, Fee{Denom: r.Denom, Amount: big.NewInt(cost), GasLimit: got.Fee.GasLimit}, got.Fee)
				require.NotZero(t, got.Fee.GasLimit)
				sum := sha256.Sum256(got.Raw)
				require.Equal(t, got.Hash, strings.ToUpper(hex.EncodeToString(sum[:])))
			})
		}
		require.Equal(t, "Grüße, \"first\" <memo> & 🚀", Read(r.titled(t, "coin out, with memo"), r.user()).Memo)
		require.Empty(t, Read(r.titled(t, "coin in"), r.user()).Memo)
		require.Equal(t, uint64(300000), Read(r.titled(t, "coin in"), r.user()).Fee.GasLimit)
	}
}

// TestReadSumsUpToTheBalance checks that the recorded balance at the end equals the balance at
// the start plus the sum of the entries. Nodes before SDK 0.46 do not index failed
// transactions, so that the fees of these are missing.
func TestReadSumsUpToTheBalance(t *testing.T) {
	for _, kind := range kinds {
		r := replay(t, kind)
		start := map[string]string{r.Denom: "1000000000", r.Vouchers[0].Denom: "777000000", r.Vouchers[1].Denom: "123456789012345678901234567890"}
		require.Len(t, r.Balances["user"], len(start))
		for _, final := range r.Balances["user"] {
			balance, _ := new(big.Int).SetString(start[final.Denom], 10)
			for _, tx := range r.txs {
				for _, e := range Read(tx, r.user()).Entries {
					if e.Denom == final.Denom {
						balance.Add(balance, e.Received).Sub(balance, e.Spent)
					}
				}
			}
			if final.Denom == r.Denom {
				for _, s := range r.Story {
					known := slices.ContainsFunc(r.txs, func(tx node.Tx) bool { return tx.Hash == s.Hash })
					require.True(t, known || kind == "gaiad" && s.Code != 0, s.Name)
					if !known {
						balance.Sub(balance, big.NewInt(cost))
					}
				}
			}
			require.Equal(t, final.Amount, balance.String(), final.Denom)
		}
	}
}

// TestReadForEverybody checks the invariant for every address in a transaction.
func TestReadForEverybody(t *testing.T) {
	for _, kind := range kinds {
		r := replay(t, kind)
		for _, tx := range r.txs {
			for name, account := range r.Accounts {
				requireSums(t, tx, account.Address, name+": "+r.title(tx))
			}
		}
		other := Read(r.titled(t, "coin in"), r.Accounts["other"].Address)
		require.Len(t, other.Entries, 1)
		require.Equal(t, "coin StandardTransfer other>user total 2600000 spent 2600000 received 0", r.compact(other.Entries[0]))
		require.Empty(t, Read(r.titled(t, "coin in"), r.Accounts["empty"].Address).Entries)
	}
}

func requireSums(t *testing.T, tx node.Tx, address, name string) {
	t.Helper()
	got := make(map[string]*big.Int)
	for _, e := range Read(tx, address).Entries {
		if got[e.Denom] == nil {
			got[e.Denom] = new(big.Int)
		}
		got[e.Denom].Add(got[e.Denom], e.Received).Sub(got[e.Denom], e.Spent)
		require.NotEmpty(t, append(e.From, e.To...), name)
	}
	require.Equal(t, fmt.Sprint(changes(t, tx, address)), fmt.Sprint(got), name)
}

// TestReadOtherVersions checks that the entries are the same with the events of later versions:
// Tendermint stopped encoding them in base64, and SDK 0.50 added the number of the message.
func TestReadOtherVersions(t *testing.T) {
	for _, kind := range kinds {
		r := replay(t, kind)
		for _, tx := range r.txs {
			want := Read(tx, r.user())
			require.Equal(t, want, Read(inPlain(t, tx), r.user()), r.title(tx))
			require.Equal(t, want, Read(numbered(t, tx), r.user()), r.title(tx))
		}
	}
}

func inPlain(t *testing.T, tx node.Tx) node.Tx {
	t.Helper()
	events := make([]node.Event, len(tx.Events))
	for n, e := range tx.Events {
		events[n].Type = e.Type
		for _, a := range e.Attributes {
			key, err := base64.StdEncoding.DecodeString(a.Key)
			require.NoError(t, err)
			value, err := base64.StdEncoding.DecodeString(a.Value)
			require.NoError(t, err)
			events[n].Attributes = append(events[n].Attributes, node.Attribute{Key: string(key), Value: string(value)})
		}
	}
	tx.Events = events
	return tx
}

func numbered(t *testing.T, tx node.Tx) node.Tx {
	t.Helper()
	tx = inPlain(t, tx)
	message := -1
	for n, e := range tx.Events {
		if e.Type == "message" && e.Attributes[0].Key == "action" {
			message++
		}
		if message >= 0 {
			tx.Events[n].Attributes = append(e.Attributes, node.Attribute{Key: "msg_index", Value: fmt.Sprint(message)})
		}
	}
	return tx
}

// happened parses events such as "transfer recipient=a sender=b amount=1x".
func happened(cursors ...string) (events []node.Event) {
	for _, line := range cursors {
		words := strings.Fields(line)
		e := node.Event{Type: words[0]}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			e.Attributes = append(e.Attributes, node.Attribute{Key: key, Value: value})
		}
		events = append(events, e)
	}
	return events
}

var feeOfMe = []string{"coin_spent spender=me amount=5x0", "coin_received receiver=fees amount=5x0", "transfer recipient=fees sender=me amount=5x0",
	"tx fee=5x0 fee_payer=me", "tx acc_seq=me/1", "tx signature=s"}

func TestReadEvents(t *testing.T) {
	r := &recorded{}
	for _, c := range []struct {
		name   string
		events []string
		code   uint32
		want   []string
	}{
		{"nothing", nil, 0, nil},
		{"fee by another account", []string{"coin_spent spender=b amount=5x0", "message action=m", "coin_received receiver=me amount=7x0",
			"transfer recipient=me sender=b amount=7x0"}, 0, []string{"x0 StandardTransfer b>me total 7 spent 0 received 7"}},
		{"granted fee", append(slices.Clone(feeOfMe), "message action=m", "coin_spent spender=b amount=7x0"), 0,
			[]string{"x0 FeeForTokenTx me> total 5 spent 5 received 0"}},
		{"part of the fee comes back", append(slices.Clone(feeOfMe), "coin_received receiver=me amount=2x0 mode=post", "message action=m",
			"message msg_index=0"), 0, []string{"x0 FeeForTokenTx me> total 3 spent 3 received 0"}},
		{"more than the fee comes back", append(slices.Clone(feeOfMe), "coin_received receiver=me amount=9x0"), 1,
			[]string{"x0 StandardTransfer >me total 4 spent 0 received 4"}},
		{"no message is named", append(slices.Clone(feeOfMe), "coin_spent spender=me amount=7x0", "transfer recipient=b sender=me amount=7x0"), 0,
			[]string{"x0 StandardTransfer me>b total 12 spent 12 received 0"}},
		{"neither message nor check is named", []string{"coin_spent spender=me amount=7x0", "transfer recipient=b sender=me amount=7x0"}, 0,
			[]string{"x0 StandardTransfer me>b total 7 spent 7 received 0"}},
		{"failed, and the message's events are there", append(slices.Clone(feeOfMe), "message action=m", "coin_spent spender=me amount=7x0"), 1,
			[]string{"x0 FeeForTokenTx me> total 5 spent 5 received 0"}},
		{"several events in one", []string{"message action=m", "coin_received receiver=b amount=1x0 receiver=me amount=2x0 receiver=me amount=3x1",
			"transfer recipient=b sender=c amount=1x0 recipient=me sender=d amount=2x0"}, 0,
			[]string{"x0 StandardTransfer d>me total 2 spent 0 received 2", "x1 StandardTransfer >me total 3 spent 0 received 3"}},
		{"swap", []string{"message action=m", "coin_spent spender=me amount=7x0", "transfer recipient=pool sender=me amount=7x0",
			"coin_received receiver=me amount=3x1,1x0", "transfer recipient=me sender=pool amount=3x1,1x0"}, 0,
			[]string{"x0 StandardTransfer me+pool>pool+me total 7 spent 7 received 1", "x1 StandardTransfer pool>me total 3 spent 0 received 3"}},
		{"minted", []string{"message action=m", "coin_received receiver=me amount=3x1"}, 0, []string{"x1 StandardTransfer >me total 3 spent 0 received 3"}},
		{"multi-send by two", []string{"message action=m", "coin_spent spender=b amount=1x0", "coin_spent spender=me amount=1x0",
			"transfer recipient=c amount=2x0"}, 0, []string{"x0 StandardTransfer me>c total 1 spent 1 received 0"}},
		{"received over IBC", []string{"message action=/ibc.core.channel.v1.MsgRecvPacket",
			"fungible_token_packet module=transfer sender=cosmos1b receiver=me amount=3", "coin_received receiver=me amount=3ibc/AA",
			"transfer recipient=me sender=escrow amount=3ibc/AA"}, 0, []string{"ibc/AA TendermintIBCTransfer cosmos1b>me total 3 spent 0 received 3"}},
		{"relayed with others' packets", []string{"message action=m", "fungible_token_packet sender=cosmos1x receiver=b", "coin_received receiver=b amount=3x0",
			"message action=m", "fungible_token_packet sender=cosmos1y receiver=me", "coin_received receiver=me amount=4x0"}, 0,
			[]string{"x0 TendermintIBCTransfer cosmos1y>me total 4 spent 0 received 4"}},
		{"came back over IBC in time", []string{"message action=m", "timeout refund_receiver=me refund_amount=3", "coin_received receiver=me amount=3x0",
			"transfer recipient=me sender=escrow amount=3x0"}, 0, []string{"x0 TendermintIBCTransfer escrow>me total 3 spent 0 received 3"}},
		{"came back over IBC refused", []string{"message action=m", "fungible_token_packet sender=me receiver=b", "coin_received receiver=me amount=3x0",
			"transfer recipient=me sender=escrow amount=3x0"}, 0, []string{"x0 TendermintIBCTransfer escrow>me total 3 spent 0 received 3"}},
		{"stake more", append(slices.Clone(feeOfMe), "message action=m", "coin_received receiver=me amount=1x0,2x1", "transfer recipient=me sender=pot amount=1x0,2x1",
			"withdraw_rewards validator=v delegator=me amount=1x0,2x1", "coin_spent spender=me amount=9x0", "delegate validator=v delegator=me amount=9x0"), 0,
			[]string{"x0 StakingDelegation me>v total 14 spent 14 received 1", "x1 ClaimDelegationRewards v>me total 2 spent 0 received 2"}},
		{"stake back with rewards", []string{"message action=m", "coin_received receiver=me amount=1x0,2x1", "withdraw_rewards validator=v delegator=me amount=1x0,2x1",
			"unbond validator=v delegator=me amount=9x0"}, 0,
			[]string{"x0 RemoveDelegation me> total 1 spent 0 received 1", "x1 ClaimDelegationRewards v>me total 2 spent 0 received 2"}},
		{"stake back without rewards", append(slices.Clone(feeOfMe), "message action=m", "unbond validator=v amount=9x0", "message sender=me"), 0,
			[]string{"x0 RemoveDelegation me> total 5 spent 5 received 0"}},
		{"no reward", append(slices.Clone(feeOfMe), "message action=m", "withdraw_rewards validator=v delegator=me amount="), 0,
			[]string{"x0 ClaimDelegationRewards me> total 5 spent 5 received 0"}},
		{"others stake for their own", append(slices.Clone(feeOfMe), "message action=m", "coin_spent spender=me amount=1x0", "transfer recipient=b sender=me amount=1x0",
			"delegate validator=v delegator=b amount=9x0"), 0, []string{"x0 StandardTransfer me>b total 6 spent 6 received 0"}},
		{"a contract with a secret", append(slices.Clone(feeOfMe), "message action=m", "coin_spent spender=me amount=1x1", "transfer recipient=htlc sender=me amount=1x1",
			"create_htlc id=i sender=me receiver=b"), 0,
			[]string{"x1 CustomTendermintMsg(SendHtlcAmount) me> total 1 spent 1 received 0", "x0 FeeForTokenTx me> total 5 spent 5 received 0"}},
		{"the secret revealed", append(slices.Clone(feeOfMe), "message action=m", "coin_received receiver=me amount=9x0", "transfer recipient=me sender=htlc amount=9x0",
			"claim_htlc id=i sender=me"), 0, []string{"x0 CustomTendermintMsg(SignClaimHtlc) me> total 14 spent 5 received 9"}},
		{"the secret revealed by another account", []string{"message action=m", "coin_received receiver=me amount=9x0", "claim_htlc id=i sender=b"}, 0,
			[]string{"x0 CustomTendermintMsg(ClaimHtlcAmount) me> total 9 spent 0 received 9"}},
		{"the secret revealed for another account", append(slices.Clone(feeOfMe), "message action=m", "coin_received receiver=b amount=9x0", "claim_htlc id=i sender=me"), 0,
			[]string{"x0 CustomTendermintMsg(SignClaimHtlc) me> total 5 spent 5 received 0"}},
		{"invalid amounts", []string{"message action=m", "coin_received receiver=me amount=", "coin_received receiver=me amount=x0", "coin_received receiver=me amount=-1x0",
			"coin_received receiver=me amount=1,2x,,3x0,4x0/", "coin_received receiver=me amount=" + strings.Repeat("9", 79) + "x0"}, 0,
			[]string{"x0 StandardTransfer >me total 3 spent 0 received 3", "x0/ StandardTransfer >me total 4 spent 0 received 4"}},
		{"invalid numbers", []string{"message action=m msg_index=x", "coin_received receiver=me amount=1x0 msg_index=-1"}, 0,
			[]string{"x0 StandardTransfer >me total 1 spent 0 received 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tx := node.Tx{Hash: strings.Repeat("AB", 32), Code: c.code, Events: happened(c.events...)}
			var got []string
			for _, e := range Read(tx, "me").Entries {
				got = append(got, r.compact(e))
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestReadIDs(t *testing.T) {
	// The values are from Komodo DeFi Framework's documentation of my_tx_history.
	const self, token = "B34A8D5AD74067F01A0207DF1851A14673C859D8A6F4FB0CBE292D2104C143CA", "09ADDD3427A3BA4B0A94023456DF534DB5B9B6821EC17C7C1B2C168EFCF49F26"
	r := Read(node.Tx{Hash: self, Events: happened(append(slices.Clone(feeOfMe), "message action=m", "coin_spent spender=me amount=1x0")...)}, "me")
	require.Equal(t, "4644373032304131304637363034374441354438413433420000000000000000", r.Entries[0].ID)
	r = Read(node.Tx{Hash: token, Events: happened(append(slices.Clone(feeOfMe), "message action=m", "coin_spent spender=me amount=1x1,1x2")...)}, "me")
	require.Len(t, r.Entries, 3)
	require.Equal(t, "0000000000000000303941444444333432374133424134423041393430323334", r.Entries[2].ID)
	require.Equal(t, coin.KindFeeOnly, r.Entries[2].Kind)
	require.Equal(t, "3433323034394130423441423341373234334444444139300000000000000001", r.Entries[1].ID)
	require.Len(t, Read(node.Tx{Events: happened("coin_spent spender=me amount=1x0")}, "me").Entries[0].ID, 64)
}

func TestReadLimits(t *testing.T) {
	amount, many := "", []string{"message action=m"}
	for n := range 2 * maxEntries {
		amount += fmt.Sprintf(",1denom%d", n)
		many = append(many, fmt.Sprintf("transfer recipient=me sender=s%d amount=1denom0", n))
	}
	many = append(many, "coin_received receiver=me amount="+amount, "transfer recipient=me sender="+strings.Repeat("s", maxAddress+1)+" amount=1denom1")
	r := Read(node.Tx{Raw: make([]byte, MaxRaw+1), Events: happened(many...)}, "me")
	require.Len(t, r.Entries, maxEntries)
	require.Len(t, r.Entries[0].From, maxParties)
	require.Empty(t, r.Entries[1].From)
	require.Nil(t, r.Raw)
	require.Len(t, Read(node.Tx{Raw: make([]byte, MaxRaw)}, "me").Raw, MaxRaw)
}

// TestReadManyAmounts checks that a limited number of amounts is parsed, and each only once.
// Parsing them again for each denom took minutes.
func TestReadManyAmounts(t *testing.T) {
	const denoms, events = 2000, 100
	var amount strings.Builder
	for n := range denoms {
		fmt.Fprintf(&amount, ",1denom%d", n)
	}
	var cursors []string
	for range events {
		cursors = append(cursors, "coin_received receiver=me amount="+amount.String())
	}
	tx := node.Tx{Events: happened(cursors...)}
	read := 0
	for _, e := range readable(tx.Events) {
		read += len(e.coins())
	}
	require.Equal(t, maxCoins, read)
	require.Len(t, sums(readable(tx.Events), "me"), maxEntries)
	r := Read(tx, "me")
	require.Len(t, r.Entries, maxEntries)
	require.EqualValues(t, maxCoins/denoms+1, r.Entries[0].Received.Int64(), "of those that are read")
}

func TestTokenID(t *testing.T) {
	sum := sha256.Sum256([]byte("ibc/27394fb092d2eccd56123c74f36e4c1f926001ceada9ca97ea622b25f41e5eb2"))
	require.Equal(t, hex.EncodeToString(sum[:]), TokenID("ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2"))
}

func FuzzRead(f *testing.F) {
	for _, kind := range kinds {
		r := replay(f, kind)
		for _, tx := range r.txs {
			var text strings.Builder
			for _, e := range readable(tx.Events) {
				text.WriteString(e.kind)
				for _, a := range e.values {
					fmt.Fprintf(&text, " %s=%s", a.Key, strings.ReplaceAll(a.Value, r.user(), "me"))
				}
				text.WriteByte('\n')
			}
			f.Add(tx.Raw, text.String(), tx.Code)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, text string, code uint32) {
		var cursors []string
		for line := range strings.SplitSeq(text, "\n") {
			if len(strings.Fields(line)) > 0 {
				cursors = append(cursors, line)
			}
		}
		tx := node.Tx{Hash: strings.Repeat("AB", 32), Raw: raw, Code: code, Events: happened(cursors...)}
		r := Read(tx, "me")
		ids := make(map[string]bool)
		change := make(map[string]*big.Int)
		for _, e := range r.Entries {
			require.False(t, ids[e.ID])
			ids[e.ID] = true
			require.True(t, isDenom(e.Denom))
			require.GreaterOrEqual(t, e.Total.Cmp(e.Received), 0)
			require.GreaterOrEqual(t, e.Total.Cmp(e.Spent), 0)
			require.GreaterOrEqual(t, min(e.Spent.Sign(), e.Received.Sign()), 0)
			require.Positive(t, e.Total.Sign())
			if change[e.Denom] == nil {
				change[e.Denom] = new(big.Int)
			}
			change[e.Denom].Add(change[e.Denom], e.Received).Sub(change[e.Denom], e.Spent)
		}
		if code == 0 && len(r.Entries) < maxEntries {
			for _, s := range sums(readable(tx.Events), "me") {
				want := new(big.Int).Sub(s.received, s.spent)
				if change[s.denom] == nil {
					change[s.denom] = new(big.Int)
				}
				require.Zero(t, want.Cmp(change[s.denom]))
			}
		}
	})
}
