package interop_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/config"
	"obverse/core/number"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
	"obverse/native/fetch"
	"obverse/native/test/interop"
)

// staker is a node with the chain's coin, used through the node API.
type staker struct {
	t       *testing.T
	node    *core.Node
	chain   *interop.Chain
	address string
}

const stakerPassword = "St4king-of-tests"

func newStaker(t *testing.T, c *interop.Chain) *staker {
	db, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	settings := config.Default()
	settings.RPCPassword, settings.Passphrase = config.NewSecret(stakerPassword), config.NewSecret(c.Passphrase.Passphrase)
	settings.CoinList = fmt.Appendf(nil, `[{"coin":"STAKE","mm2":1,"avg_blocktime":1,"protocol":{"type":"TENDERMINT","protocol_data":`+
		`{"decimals":6,"denom":%q,"account_prefix":%q,"chain_id":%q,"gas_price":%s}}}]`, c.Denom, c.Prefix, c.ID, c.GasPrice)
	client := fetch.New("obverse/interop")
	t.Cleanup(client.Close)
	n, err := core.New(t.Context(), settings, core.Platform{Store: db, Now: time.Now, Random: rand.Reader,
		Log: silent{}, Fetch: client, Dial: client, Version: "test", ChainOnDemand: true})
	require.NoError(t, err)
	t.Cleanup(n.Close)
	s := &staker{t: t, node: n, chain: c}
	var enabled struct{ Address string }
	s.ask("enable_tendermint_with_assets", `{"ticker":"STAKE","tokens_params":[],"nodes":[{"url":"`+c.URL+`"}]}`, &enabled)
	require.Equal(t, c.Passphrase.Address, enabled.Address)
	s.address = enabled.Address
	return s
}

type silent struct{}

func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}

func (s *staker) call(method, params string) (status int, reply []byte) {
	body := fmt.Sprintf(`{"userpass":%q,"mmrpc":"2.0","method":%q,"params":%s}`, stakerPassword, method, params)
	return s.node.RPC(s.t.Context(), rpc.Caller{Address: "127.0.0.1", Local: true}, []byte(body))
}

func (s *staker) ask(method, params string, result any) {
	s.t.Helper()
	status, reply := s.call(method, params)
	require.Equal(s.t, 200, status, string(reply))
	require.NoError(s.t, json.Unmarshal(reply, &struct{ Result any }{result}), string(reply))
}

func (s *staker) refused(method, params, want string) {
	s.t.Helper()
	status, reply := s.call(method, params)
	require.GreaterOrEqual(s.t, status, 400, string(reply))
	require.Contains(s.t, string(reply), want)
}

type staked struct {
	Hex   string `json:"tx_hex"`
	Total string `json:"total_amount"`
	Spent string `json:"spent_by_me"`
	Got   string `json:"received_by_me"`
	From  []string
	To    []string
	Kind  string `json:"transaction_type"`
	Fee   struct {
		Amount string
	} `json:"fee_details"`
}

// send builds a transaction and waits until it is in a block.
func (s *staker) send(method, params string) (made staked) {
	s.t.Helper()
	s.ask("experimental::staking::"+method, params, &made)
	var sent struct{ Confirmations uint64 }
	s.ask("send_raw_transaction", `{"coin":"STAKE","tx_hex":"`+made.Hex+`","required_confirmations":2,"timeout":60}`, &sent)
	return made
}

// TestStaking stakes with the validator of each kind of chain, and checks the results with the
// chain's program.
func TestStaking(t *testing.T) {
	for _, kind := range interop.Kinds() {
		t.Run(string(kind), func(t *testing.T) { testStaking(t, kind) })
	}
}

func testStaking(t *testing.T, kind interop.Kind) {
	c, err := interop.Start(t.Context(), kind)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) })
	s := newStaker(t, c)
	validator := testValidators(t, s)
	about := func(more string) string {
		return `{"coin":"STAKE","staking_details":{"type":"Cosmos","validator_address":"` + validator + `"` + more + `}}`
	}
	testStakingNothing(t, s, about, validator)

	before := s.balance()
	made := s.send("delegate", about(`,"amount":"12.345678","memo":"stake"`))
	require.Equal(t, "StakingDelegation", made.Kind)
	require.Equal(t, []string{s.address}, made.From)
	require.Equal(t, []string{validator}, made.To)
	require.Zero(t, before.Sub(amount(t, made.Spent)).Cmp(s.balance()), "it spent what it says")
	require.Zero(t, amount(t, made.Total).Cmp(amount(t, "12.345678").Add(amount(t, made.Fee.Amount))))
	require.Equal(t, "12345678", s.delegated(validator))
	var list struct {
		Delegations []struct {
			Validator string `json:"validator_address"`
			Amount    string `json:"delegated_amount"`
			Reward    string `json:"reward_amount"`
		}
	}
	s.ask("experimental::staking::query::delegations", `{"coin":"STAKE","info_details":{"type":"Cosmos","limit":5}}`, &list)
	require.Len(t, list.Delegations, 1)
	require.Equal(t, validator, list.Delegations[0].Validator)
	require.Equal(t, "12.345678", list.Delegations[0].Amount)

	testClaim(t, s, validator)
	testUndelegate(t, s, about, validator)
}

func testValidators(t *testing.T, s *staker) string {
	var list struct {
		Validators []struct {
			Address string `json:"operator_address"`
			Key     struct {
				Type string `json:"@type"`
				Key  string
			} `json:"consensus_pubkey"`
			Status      int
			Tokens      string
			Shares      string `json:"delegator_shares"`
			Description struct{ Moniker string }
			Commission  struct {
				Rates struct{ Rate string } `json:"commission_rates"`
			}
			Time string `json:"unbonding_time"`
		}
	}
	s.ask("experimental::staking::query::validators", `{"coin":"STAKE","info_details":{"type":"Cosmos"}}`, &list)
	require.Len(t, list.Validators, 1)
	v := list.Validators[0]
	var chainView struct {
		Key struct {
			Type string `json:"@type"`
			Key  string
		} `json:"consensus_pubkey"`
		Tokens     string
		Commission struct {
			Rates struct{ Rate string } `json:"commission_rates"`
		}
	}
	require.NoError(t, s.chain.Query(t.Context(), &chainView, "staking", "validator", v.Address))
	require.Equal(t, 3, v.Status)
	require.Equal(t, "interop", v.Description.Moniker)
	require.Equal(t, chainView.Tokens, v.Tokens)
	require.Equal(t, chainView.Tokens+strings.Repeat("0", 18), v.Shares)
	require.Equal(t, chainView.Key, v.Key)
	require.Zero(t, amount(t, chainView.Commission.Rates.Rate).Cmp(amount(t, v.Commission.Rates.Rate+"e-18")), "18 digits are implied")
	_, err := time.Parse(time.RFC3339, v.Time)
	require.NoError(t, err)
	s.ask("experimental::staking::query::validators", `{"coin":"STAKE","info_details":{"type":"Cosmos","filter_by_status":"Unbonded"}}`, &list)
	require.Empty(t, list.Validators)
	s.ask("experimental::staking::query::validators", `{"coin":"STAKE","info_details":{"type":"Cosmos","filter_by_status":"All","page_number":2}}`, &list)
	require.Empty(t, list.Validators)
	return v.Address
}

// testStakingNothing makes invalid requests while nothing is staked.
func testStakingNothing(t *testing.T, s *staker, about func(string) string, validator string) {
	const method = "experimental::staking::"
	s.refused(method+"undelegate", about(`,"amount":"1"`), `"error_type":"CanNotUndelegate","error_data":{"delegator_addr":"`+s.address+`","validator_addr":"`+validator+`"}`)
	s.refused(method+"claim_rewards", strings.Replace(about(``), "staking_details", "claiming_details", 1), `"error_type":"NothingToClaim","error_data":{"coin":"STAKE"}`)
	s.refused(method+"delegate", about(`,"amount":"1000000000"`), `"error_type":"NotSufficientBalance"`)
	s.refused(method+"delegate", about(`,"amount":"0.0000001"`), `"error_type":"AmountTooLow"`)
	s.refused(method+"delegate", about(``), "staking_details.amount")
	s.refused(method+"delegate", strings.Replace(about(`,"amount":"1"`), validator, s.address, 1), `"error_type":"InvalidPayload","error_data":{"reason":`)
	s.refused(method+"delegate", strings.Replace(about(`,"amount":"1"`), "Cosmos", "Qtum", 1), "expected `Cosmos`")
	s.refused(method+"undelegate", about(`,"amount":"1","withdraw_from":{"account_id":0,"chain":"External","address_id":1}`), `"error_type":"InvalidPayload"`)
	s.refused(method+"delegate", strings.Replace(about(`,"amount":"1"`), "STAKE", "NONE", 1), `"error_type":"NoSuchCoin"`)
	for _, query := range []string{"delegations", "ongoing_undelegations"} {
		var empty map[string][]any
		s.ask(method+"query::"+query, `{"coin":"STAKE","info_details":{"type":"Cosmos"}}`, &empty)
		require.Equal(t, map[string][]any{query: {}}, empty)
	}
}

func testClaim(t *testing.T, s *staker, validator string) {
	claim := func(more string) string {
		return `{"coin":"STAKE","claiming_details":{"type":"Cosmos","validator_address":"` + validator + `"` + more + `}}`
	}
	height, err := s.chain.Height(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.chain.WaitHeight(t.Context(), height+3), "a reward grows")
	s.refused("experimental::staking::claim_rewards", claim(`,"fee":{"type":"CosmosGas","gas_price":1,"gas_limit":9000000}`), `"error_type":"UnprofitableReward"`)
	before := s.balance()
	made := s.send("claim_rewards", claim(`,"force":true,"memo":"reward"`))
	require.Equal(t, "ClaimDelegationRewards", made.Kind)
	require.Equal(t, []string{validator}, made.From)
	require.Equal(t, []string{s.address}, made.To)
	require.Equal(t, made.Total, made.Got)
	require.Equal(t, made.Fee.Amount, made.Spent)
	require.Positive(t, amount(t, made.Got).Cmp(number.Int(0)))
	minBalance := before.Add(amount(t, made.Got)).Sub(amount(t, made.Spent))
	require.GreaterOrEqual(t, s.balance().Cmp(minBalance), 0, "the reward grew until the transaction was in a block")
}

func testUndelegate(t *testing.T, s *staker, about func(string) string, validator string) {
	s.refused("experimental::staking::undelegate", about(`,"amount":"12.345679"`), `"error_type":"TooMuchToUndelegate","error_data":{"available":"12.345678","requested":"12.345679"}`)
	made := s.send("undelegate", about(`,"amount":"2.345678"`))
	require.Equal(t, "RemoveDelegation", made.Kind)
	require.Equal(t, made.Fee.Amount, made.Total)
	require.Empty(t, made.To)
	require.Equal(t, "10000000", s.delegated(validator))
	s.send("undelegate", about(`,"max":true`))
	var list struct {
		Ongoing []struct {
			Validator string `json:"validator_address"`
			Entries   []struct {
				Height  int64  `json:"creation_height"`
				Done    string `json:"completion_datetime"`
				Balance string
			}
		} `json:"ongoing_undelegations"`
	}
	s.ask("experimental::staking::query::ongoing_undelegations", `{"coin":"STAKE","info_details":{"type":"Cosmos"}}`, &list)
	require.Len(t, list.Ongoing, 1)
	var chainView struct {
		Responses []struct {
			Entries []struct {
				Height  string `json:"creation_height"`
				Done    string `json:"completion_time"`
				Balance string
			}
		} `json:"unbonding_responses"`
	}
	require.NoError(t, s.chain.Query(t.Context(), &chainView, "staking", "unbonding-delegations", s.address))
	require.Len(t, chainView.Responses, 1)
	for i, e := range chainView.Responses[0].Entries {
		entry := list.Ongoing[0].Entries[i]
		require.Equal(t, e.Height, fmt.Sprint(entry.Height))
		require.Equal(t, moment(t, e.Done), moment(t, entry.Done))
		require.Zero(t, amount(t, e.Balance).Cmp(amount(t, entry.Balance+"e6")))
	}
	require.Len(t, list.Ongoing[0].Entries, 2)
	s.refused("experimental::staking::undelegate", about(`,"max":true`), `"error_type":"CanNotUndelegate"`)
}

// moment parses a time. Some programs write nanoseconds with trailing zeros.
func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}

// balance returns the balance that the chain's program reports.
func (s *staker) balance() number.Rational {
	text, err := s.chain.Balance(s.t.Context(), s.address, s.chain.Denom)
	require.NoError(s.t, err)
	return amount(s.t, text+"e-6")
}

// delegated returns the stake that the chain's program reports.
func (s *staker) delegated(validator string) string {
	var chainView struct{ Balance struct{ Amount string } }
	require.NoError(s.t, s.chain.Query(s.t.Context(), &chainView, "staking", "delegation", s.address, validator))
	return chainView.Balance.Amount
}
