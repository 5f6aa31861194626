package cosmos

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

// nodeURL returns the URL of a node of a chain.
func nodeURL(i int) string { return fmt.Sprintf("https://node%d.example/", i) }

// liarBench returns a bench with ATOM active at five nodes of the same chain.
func liarBench(t *testing.T) (*bench, *Platform) {
	t.Helper()
	return openLiarBench(t, bunttest.Memory(t))
}

func openLiarBench(t *testing.T, kv store.KV) (*bench, *Platform) {
	t.Helper()
	b := openBench(t, kv)
	b.Queue = coin.NewSendQueue(time.Now)
	p := params("ATOM", nodeURL(0))
	p.Nodes = nil
	for i := range 5 {
		b.net.Set(nodeURL(i), nodetest.Well(b.gaiad))
		p.Nodes = append(p.Nodes, at(nodeURL(i))...)
	}
	_, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	return b, get[*Platform](t, b, "ATOM")
}

// parts returns the fields of a signed transaction as a text.
func parts(t *testing.T, raw []byte) string {
	t.Helper()
	var sent wire.Tx
	require.NoError(t, wire.Decode(raw, &sent))
	var auth wire.AuthInfo
	require.NoError(t, wire.Decode(sent.AuthInfo, &auth))
	var body wire.TxBody
	require.NoError(t, wire.Decode(sent.Body, &body))
	message, err := body.Messages[0].Unpack()
	require.NoError(t, err)
	return fmt.Sprintf("sequence %d, gas %d, fee %v, timeout height %d, signature %x, %+v", auth.Signers[0].Sequence, auth.Fee.GasLimit, auth.Fee.Amount,
		body.TimeoutHeight, sent.Signatures, message)
}

// accountOf returns the behaviour of a node that reports a false account.
func accountOf(number, sequence uint64) nodetest.Behaviour {
	return value(&wire.AccountResponse{Account: wire.Pack(&wire.BaseAccount{Address: atomAddress, Number: number, Sequence: sequence})})
}

// query returns the behaviour of a node that refuses a query.
func query(code int, log string) nodetest.Behaviour {
	return saysTo(fmt.Sprintf(`{"jsonrpc":"2.0","id":"ID","result":{"response":{"code":%d,"codespace":"sdk","log":%q,"height":"0"}}}`, code, log))
}

// checks returns the behaviour of a node that refuses a transaction, but may keep it.
func checks(code int, member string) nodetest.Behaviour {
	return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		var request struct {
			Params struct{ Tx []byte }
		}
		if err := json.Unmarshal(r.Body, &request); err != nil {
			return fetch.Response{}, err
		}
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":"ID","result":{"code":%d,"codespace":"sdk","log":"no","hash":"%s"%s}}`, code, tx.Hash(request.Params.Tx), member)
		return saysTo(answer)(ctx, r)
	}
}

// TestTwoLiarsOfFive checks that two liars among five nodes, in every order, change neither the
// transaction nor its result, if they lie about any value on which the transaction depends or
// about the transaction itself.
func TestTwoLiarsOfFive(t *testing.T) {
	type lie struct {
		name, what string
		is         nodetest.Behaviour
	}
	lies := []lie{
		{"sequence ahead", wire.PathAccount, accountOf(7, 1000)},
		{"sequence of the past", wire.PathAccount, accountOf(7, 0)},
		{"account number", wire.PathAccount, accountOf(8, 0)},
		{"no account", wire.PathAccount, query(22, "not found")},
		{"keys as on Ethereum", wire.PathAccount, value(&wire.AccountResponse{Account: packed(ethAccount, "")})},
		{"an account of another kind", wire.PathAccount, value(&wire.AccountResponse{Account: wire.Any{TypeURL: "/chain.v1.Account"}})},
		{"height", "status", saysTo(`{"jsonrpc":"2.0","id":"ID","result":{"node_info":{"network":"cosmoshub-4"},"sync_info":{"latest_block_height":"1099511627776","latest_block_time":"2099-01-02T03:04:05Z"}}}`)},
		{"no balance", wire.PathBalance, value(&wire.BalanceResponse{Balance: wire.Coin{Denom: "uatom", Amount: "0"}})},
		{"more than the balance", wire.PathBalance, value(&wire.BalanceResponse{Balance: wire.Coin{Denom: "uatom", Amount: "9999999999999"}})},
		{"much gas", wire.PathSimulate, value(&wire.SimulateResponse{Gas: wire.GasInfo{Used: 9_999_999}})},
		{"little gas", wire.PathSimulate, value(&wire.SimulateResponse{Gas: wire.GasInfo{Used: 1}})},
		{"a refused simulation", wire.PathSimulate, query(5, "5uatom is smaller than 6uatom: insufficient funds")},
		{"another sequence in the log", wire.PathSimulate, query(18, "account sequence mismatch, expected 1000, got 3: incorrect account sequence")},
		{"a refused transaction", "broadcast_tx_sync", checks(5, "")},
		{"a wrong sequence of a transaction", "broadcast_tx_sync", checks(32, "")},
		{"a full mempool", "broadcast_tx_sync", checks(0, `,"mempool_error":"mempool is full"`)},
		{"no answer to a transaction", "broadcast_tx_sync", nodetest.Dead},
	}
	for _, request := range []coin.WithdrawRequest{{To: atomAddress, Amount: number.Int(1), Send: true}, {To: atomAddress, Max: true, Send: true}} {
		_, honest := liarBench(t)
		made, err := honest.Withdraw(t.Context(), request)
		require.NoError(t, err)
		want := parts(t, made.Raw)
		for _, l := range lies {
			t.Run(fmt.Sprint(l.name, ", max ", request.Max), func(t *testing.T) {
				for first := range 5 {
					for second := range first {
						b, platform := liarBench(t)
						for _, liar := range []int{first, second} {
							b.net.Set(nodeURL(liar), nodetest.But(l.what, l.is, nodetest.Well(b.gaiad)))
						}
						made, err := platform.Withdraw(t.Context(), request)
						require.NoError(t, err, "liars %d and %d", first, second)
						require.Equal(t, want, parts(t, made.Raw), "liars %d and %d", first, second)
						require.NotEmpty(t, b.gaiad.Sent())
						for _, raw := range b.gaiad.Sent() { // sent to one or more honest nodes
							require.True(t, bytes.Equal(made.Raw, raw))
						}
					}
				}
			})
		}
	}
}

// Two liars of five nodes neither make unused addresses of an HD wallet known, nor hide a used one.
func TestTwoLiarsOfFiveAddresses(t *testing.T) {
	unused, err := address.FromKey("cosmos", [33]byte{2, 31: 1, 32: 1})
	require.NoError(t, err)
	for _, lie := range []nodetest.Behaviour{query(22, "not found"), query(4, "no"), value(&wire.AccountResponse{Account: wire.Any{TypeURL: "/chain.v1.Account"}})} {
		for first := range 5 {
			for second := range first {
				b, platform := liarBench(t)
				for _, liar := range []int{first, second} {
					b.net.Set(nodeURL(liar), nodetest.But(wire.PathAccount, lie, nodetest.Well(b.gaiad)))
				}
				used, err := platform.Used(t.Context(), []string{unused.String(), atomAddress}, nil)
				require.NoError(t, err, "liars %d and %d", first, second)
				require.Equal(t, []bool{false, true}, used, "liars %d and %d", first, second)
			}
		}
	}
}

// Two liars of five nodes do not change the spendable balance of a vesting account.
func TestTwoLiarsOfFiveVesting(t *testing.T) {
	spendable := func(units string) nodetest.Behaviour {
		return value(&wire.AllBalancesResponse{Balances: []wire.Coin{{Denom: "uatom", Amount: units}}})
	}
	for _, lie := range []nodetest.Behaviour{value(&wire.AllBalancesResponse{}), spendable("0"), spendable("999999999"), query(6, "unknown query path"), query(22, "not found")} {
		for first := range 5 {
			for second := range first {
				b, platform := liarBench(t)
				b.gaiad.Give(atomAddress, "uatom", "5000")
				b.gaiad.Lock(atomAddress, "uatom", "2000")
				for _, liar := range []int{first, second} {
					b.net.Set(nodeURL(liar), nodetest.But(wire.PathSpendableBalances, lie, nodetest.Well(b.gaiad)))
				}
				units, err := platform.nodes.Balance(t.Context(), atomAddress, "uatom")
				require.NoError(t, err, "liars %d and %d", first, second)
				require.Equal(t, "3000", units.String(), "liars %d and %d", first, second)
			}
		}
	}
}

// A vesting account with more denoms than a page holds does not make its nodes count as failed.
func TestVestingWithManyDenoms(t *testing.T) {
	b, platform := liarBench(t)
	b.gaiad.Give(atomAddress, "uatom", "5000")
	b.gaiad.Lock(atomAddress, "uatom", "2000")
	paged := func(_ context.Context, r fetch.Request) (fetch.Response, error) {
		answer := &wire.AllBalancesResponse{Balances: []wire.Coin{{Denom: "other", Amount: "1"}}, Page: wire.PageResponse{NextKey: []byte("next")}}
		if bytes.Contains(r.Body, []byte(hex.EncodeToString([]byte("next")))) {
			answer = &wire.AllBalancesResponse{Balances: []wire.Coin{{Denom: "uatom", Amount: "3000"}}}
		}
		return fetch.Response{Status: 200, Body: nodetest.Value(answer, r.Body)}, nil
	}
	for i := range 5 {
		b.net.Set(nodeURL(i), nodetest.But(wire.PathSpendableBalances, paged, nodetest.Well(b.gaiad)))
	}
	units, err := platform.nodes.Balance(t.Context(), atomAddress, "uatom")
	require.NoError(t, err)
	require.Equal(t, "3000", units.String())
	for _, n := range platform.nodes.pool.Nodes() {
		require.Empty(t, n.Reason, n.URL)
	}
}

// TestLiarAlone checks that a single server does not cause a report of a failed, expired or
// confirmed transaction while the other servers limit requests.
func TestLiarAlone(t *testing.T) {
	late := saysTo(`{"jsonrpc":"2.0","id":"ID","result":{"node_info":{"network":"cosmoshub-4"},"sync_info":{"latest_block_height":"400","latest_block_time":"2027-01-02T03:04:05Z"}}}`)
	for _, code := range []int{-1, 5, 0} { // of the transaction in its block, if it is in one
		kv := bunttest.Memory(t)
		synctest.Test(t, func(t *testing.T) {
			b, platform := openLiarBench(t, kv)
			made, err := platform.Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1), Send: true})
			require.NoError(t, err)
			liar := nodetest.But("status", late, nodetest.Well(b.gaiad))
			if code >= 0 {
				liar = nodetest.But("tx", saysTo(fmt.Sprintf(`{"jsonrpc":"2.0","id":"ID","result":{"hash":%q,"height":"44","index":0,"tx_result":{"code":%d,"codespace":"sdk","log":"no","gas_wanted":"1","gas_used":"1","events":[]},"tx":%q}}`,
					made.Hash, code, base64.StdEncoding.EncodeToString(made.Raw))), nodetest.Well(b.gaiad))
			}
			await := func(is nodetest.Behaviour) error {
				b.net.Set(nodeURL(0), liar)
				for i := 1; i < 5; i++ {
					b.net.Set(nodeURL(i), is)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				_, err := platform.Await(ctx, made.Raw, 1)
				return err
			}
			require.ErrorIs(t, await(nodetest.Busy(300)), context.DeadlineExceeded)
			time.Sleep(10 * time.Minute)
			if err := await(liar); code == 0 { // all servers agree
				require.NoError(t, err)
			} else {
				require.ErrorAs(t, err, new(*coin.RefusedError))
			}
		})
	}
}

// TestOneOrderIsPaidOnce retries a payment until it succeeds. At most one of the signed
// transactions may be valid, regardless of the answers of nodes and of the transactions that
// liars keep.
func TestOneOrderIsPaidOnce(t *testing.T) {
	for seed := range int64(25) {
		random := rand.New(rand.NewSource(seed))
		b, platform := liarBench(t)
		var given []string
		keeps := func(is nodetest.Behaviour) nodetest.Behaviour {
			return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
				given = append(given, string(r.Body))
				return is(ctx, r)
			}
		}
		answers := []nodetest.Behaviour{checks(5, ""), checks(13, ""), checks(32, ""), checks(0, `,"mempool_error":"mempool is full"`), nodetest.Dead,
			nodetest.Says(500, "oops"), query(5, "no")}
		sequences := map[uint64]bool{}
		for range 6 {
			for i := range 5 {
				is := nodetest.Well(b.gaiad)
				if i == int(seed)%5 || i == int(seed/5)%5 { // the liars
					is = nodetest.But(wire.PathAccount, accountOf(7, uint64(random.Intn(2000))), is)
					is = nodetest.But(wire.PathSimulate, query(18, fmt.Sprintf("account sequence mismatch, expected %d, got 3", random.Intn(2000))), is)
				}
				b.net.Set(nodeURL(i), nodetest.But("broadcast_tx_sync", keeps(answers[random.Intn(len(answers))]), is))
			}
			made, err := platform.Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1), Send: true})
			require.Error(t, err)
			require.NotEmpty(t, made.Raw, "seed %d: %v", seed, err)
			sequences[sequenceOf(t, made.Raw)] = true
		}
		require.NotEmpty(t, given)
		require.Len(t, sequences, 1, "seed %d: two of them could both be valid", seed)
	}
}

// TestTwoLiarsOfFiveMessages checks that two liars of five nodes change neither an IBC transfer
// nor a transaction about a validator.
func TestTwoLiarsOfFiveMessages(t *testing.T) {
	staked := func(units string) nodetest.Behaviour {
		return value(&wire.DelegationResponse{Delegation: &wire.Delegated{Balance: wire.Coin{Denom: "uatom", Amount: units}}})
	}
	rewards := func(units string) nodetest.Behaviour {
		return value(&wire.RewardsResponse{Rewards: []wire.Coin{{Denom: "uatom", Amount: units + strings.Repeat("0", rewardDigits)}}})
	}
	height := saysTo(`{"jsonrpc":"2.0","id":"ID","result":{"node_info":{"network":"cosmoshub-4"},"sync_info":{"latest_block_height":"1099511627776","latest_block_time":"2099-01-02T03:04:05Z"}}}`)
	type lie struct {
		what string
		is   nodetest.Behaviour
	}
	one := number.Int(1)
	operator, err := address.FromKey("cosmosvaloper", [33]byte{2, 31: 1, 32: 1})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		make func(context.Context, *Platform) (coin.Transaction, error)
		lies []lie
	}{
		"ibc": {func(ctx context.Context, p *Platform) (coin.Transaction, error) {
			return p.Withdraw(ctx, coin.WithdrawRequest{To: irisAddress, Amount: one, Channel: new(uint64)})
		}, []lie{
			{wire.PathChannel, value(&wire.ChannelResponse{})}, {wire.PathChannel, query(22, "not found")}, {wire.PathChannel, value(&wire.ChannelResponse{Channel: wire.Channel{State: 4}})},
			{wire.PathChannelClient, value(&wire.ChannelClientResponse{})}, {wire.PathChannelClient, query(22, "not found")},
			{wire.PathChannelClient, value(&wire.ChannelClientResponse{Client: wire.IdentifiedClient{ID: "x", State: wire.Pack(&wire.ClientState{ChainID: "other-1"})}})},
			{wire.PathClientStatus, value(&wire.ClientStatusResponse{Status: "Frozen"})}, {wire.PathClientStatus, query(6, "unknown query path")}, {"status", height},
		}},
		"delegate": {func(ctx context.Context, p *Platform) (coin.Transaction, error) {
			return p.Delegate(ctx, coin.WithdrawRequest{To: operator.String(), Amount: one})
		}, []lie{{wire.PathBalance, value(&wire.BalanceResponse{Balance: wire.Coin{Denom: "uatom", Amount: "0"}})}, {"status", height}, {wire.PathSimulate, query(5, "validator does not exist")}}},
		"undelegate": {func(ctx context.Context, p *Platform) (coin.Transaction, error) {
			return p.Undelegate(ctx, coin.WithdrawRequest{To: operator.String(), Max: true})
		}, []lie{{wire.PathDelegation, staked("0")}, {wire.PathDelegation, staked("99000000")}, {wire.PathDelegation, query(5, "not found")}, {"status", height}}},
		"rewards": {func(ctx context.Context, p *Platform) (coin.Transaction, error) {
			return p.ClaimRewards(ctx, coin.WithdrawRequest{To: operator.String()}, false)
		}, []lie{{wire.PathDelegation, query(5, "not found")}, {wire.PathRewards, rewards("0")}, {wire.PathRewards, rewards("99000000")}, {wire.PathRewards, query(5, "no")}}},
	} {
		t.Run(name, func(t *testing.T) {
			honest := func(b *bench) nodetest.Behaviour {
				return nodetest.But(wire.PathDelegation, staked("2000000"), nodetest.But(wire.PathRewards, rewards("3000000"), nodetest.Well(b.gaiad)))
			}
			made := func(l lie, first, second int) string {
				b, platform := liarBench(t)
				for i := range 5 {
					is := honest(b)
					if i == first || i == second {
						is = nodetest.But(l.what, l.is, is)
					}
					b.net.Set(nodeURL(i), is)
				}
				sent, err := c.make(t.Context(), platform)
				require.NoError(t, err, "%s by %d and %d", l.what, first, second)
				return parts(t, sent.Raw)
			}
			want := made(lie{"nothing", height}, -1, -1)
			for _, l := range c.lies {
				for first := range 5 {
					for second := range first {
						require.Equal(t, want, made(l, first, second), "%s by %d and %d", l.what, first, second)
					}
				}
			}
		})
	}
}
