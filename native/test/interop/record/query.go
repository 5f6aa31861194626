package main

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"obverse/native/test/interop"
)

// tapeQueries records the responses of abci_query to all queries of a wallet, and to invalid ones.
func (r *recorder) tapeQueries(ctx context.Context) error {
	validator, err := r.validator(ctx)
	if err != nil {
		return err
	}
	for _, group := range []struct {
		service   string
		questions []question
	}{
		{"/cosmos.bank.v1beta1.Query/", r.bankQuestions()},
		{"/cosmos.auth.v1beta1.Query/", r.authQuestions()},
		{"/cosmos.staking.v1beta1.Query/", []question{{"staking params", "Params", nil},
			{"delegation", "Delegation", message(r.User.Address, validator)},
			{"no delegation", "Delegation", message(r.Other.Address, validator)},
			{"delegations", "DelegatorDelegations", message(r.User.Address)},
			{"delegations returning", "DelegatorUnbondingDelegations", message(r.User.Address)}}},
		{"/cosmos.distribution.v1beta1.Query/", []question{{"rewards", "DelegationRewards", message(r.User.Address, validator)}}},
		{"/cosmos.base.tendermint.v1beta1.Service/", []question{{"newest block", "GetLatestBlock", nil},
			{"block by height", "GetBlockByHeight", binary.AppendUvarint([]byte{1 << 3}, 3)},
			{"block that is not yet", "GetBlockByHeight", binary.AppendUvarint([]byte{1 << 3}, 1<<40)},
			{"syncing", "GetSyncing", nil}}},
		{"/cosmos.base.node.v1beta1.Service/", []question{{"least gas price", "Config", nil}}},
		{"/cosmos.tx.v1beta1.Service/", []question{{"transaction", "GetTx", message(r.transactions[0].Hash)},
			{"transaction that failed", "GetTx", message(r.storyTxNamed("more than it has").Hash)},
			{"no transaction", "GetTx", message(strings.Repeat("00", 32))},
			{"transaction without a hash", "GetTx", nil}}},
		{"/ibc.applications.transfer.v1.Query/", []question{{"where a voucher came from", "DenomTrace", message(strings.TrimPrefix(r.Vouchers[0].Denom, "ibc/"))},
			{"where no voucher came from", "DenomTrace", message(strings.Repeat("00", 32))},
			{"where vouchers came from", "DenomTraces", nil}, {"transfer params", "Params", nil}}},
		{"/ibc.core.channel.v1.Query/", channelQuestions()},
		{"/ibc.core.client.v1.Query/", clientQuestions()},
		{"/ibc.core.connection.v1.Query/", []question{{"connection", "Connection", message("connection-0")}, {"no connection", "Connection", message("connection-9")}}},
	} {
		for _, q := range group.questions {
			if err := r.ask(ctx, &r.query, q.name, group.service+q.method, q.data); err != nil {
				return err
			}
		}
	}
	return r.tapeMistakes(ctx)
}

// storyTxNamed returns the transaction of the story with this name, which must exist.
func (r *recorder) storyTxNamed(name string) storyTx {
	return r.transactions[slices.IndexFunc(r.transactions, func(t storyTx) bool { return t.Name == name })]
}

type question struct {
	name, method string
	data         []byte
}

func (r *recorder) bankQuestions() []question {
	coin, first, second := r.Denom, r.Vouchers[0].Denom, r.Vouchers[1].Denom
	balance := func(name, address, denom string) question { return question{name, "Balance", message(address, denom)} }
	const limit = 3 // of PageRequest
	page := binary.AppendUvarint([]byte{limit << 3}, 1)
	return []question{
		balance("balance", r.User.Address, coin),
		balance("balance of a voucher", r.User.Address, first),
		balance("balance beyond 64 bits", r.User.Address, second),
		balance("balance of a passphrase", r.Passphrase.Address, coin),
		balance("balance of a voucher of a passphrase", r.Passphrase.Address, first),
		balance("balance of which half vests later", r.Vesting.Address, coin),
		balance("balance without coins", r.Poor.Address, coin),
		balance("balance of nobody", r.Empty.Address, coin),
		balance("balance of an unknown denom", r.User.Address, "ibc/F7F28FF3C09024A0225EDBBDB207E5872D2B4EF2FB874FE47B05EF9C9A7D211C"),
		balance("balance of a denom that cannot be", r.User.Address, "1!"),
		balance("balance of a denom of no letters", r.User.Address, ""),
		balance("balance of another chain's address", "osmo19rl4cm2hmr8afy4kldpxz3fka4jguq0a5m7df8", coin),
		balance("balance of an address with a mistake", r.User.Address[:len(r.User.Address)-1]+"q", coin),
		balance("balance of no address", "", coin),
		{"balance of cut data", "Balance", message(r.User.Address, coin)[:20]},
		{"balance of no data", "Balance", nil},
		{"all balances", "AllBalances", message(r.User.Address)},
		{"all balances, first page", "AllBalances", bytesField(message(r.User.Address), 2, page)},
		{"all balances of nobody", "AllBalances", message(r.Empty.Address)},
		{"spendable balances", "SpendableBalances", message(r.User.Address)},
		{"spendable balances where half vests later", "SpendableBalances", message(r.Vesting.Address)},
		{"supply", "SupplyOf", message(first)},
		{"what a denom is called", "DenomMetadata", message(coin)},
		{"bank params", "Params", nil},
	}
}

func (r *recorder) authQuestions() []question {
	return []question{
		{"account", "Account", message(r.User.Address)},
		{"account that never signed", "Account", message(r.Passphrase.Address)},
		{"account of which half vests later", "Account", message(r.Vesting.Address)},
		{"no account", "Account", message(r.Empty.Address)},
		{"account of another chain's address", "Account", message("osmo19rl4cm2hmr8afy4kldpxz3fka4jguq0a5m7df8")},
		{"account of no address", "Account", nil},
		{"auth params", "Params", nil},
	}
}

func channelQuestions() (all []question) {
	for name, channel := range pairs("healthy", interop.HealthyChannel, "expired", interop.ExpiredChannel, "frozen", interop.FrozenChannel,
		"closed", interop.ClosedChannel, "unknown", "channel-12", "mistaken", "12", "absent", "") {
		all = append(all, question{"channel, " + name, "Channel", message("transfer", channel)},
			question{"client of a channel, " + name, "ChannelClientState", message("transfer", channel)})
	}
	return append(all, question{"channels", "Channels", nil}, question{"channels of a connection", "ConnectionChannels", message("connection-0")},
		question{"packets on their way", "PacketCommitments", message("transfer", interop.HealthyChannel)})
}

func clientQuestions() (all []question) {
	for name, client := range pairs("healthy", "07-tendermint-0", "expired", "07-tendermint-1", "frozen", "07-tendermint-2",
		"unknown", "07-tendermint-9") {
		all = append(all, question{"status of a client, " + name, "ClientStatus", message(client)},
			question{"client, " + name, "ClientState", message(client)})
	}
	const latest = 4 // of QueryConsensusStateRequest
	return append(all, question{"header that a client has", "ConsensusState", append(message("07-tendermint-1"), latest<<3, 1)})
}

// pairs returns the pairs of the arguments in the given order.
func pairs(all ...string) func(func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for pair := range slices.Chunk(all, 2) {
			if !yield(pair[0], pair[1]) {
				return
			}
		}
	}
}

// tapeMistakes records queries to which the node cannot respond, and heights.
func (r *recorder) tapeMistakes(ctx context.Context) error {
	const path = "/cosmos.bank.v1beta1.Query/Balance"
	data := hex.EncodeToString(message(r.User.Address, r.Denom))
	height, err := r.Height(ctx)
	if err != nil {
		return err
	}
	for _, q := range []struct {
		name string
		with params
	}{
		{"unknown method", params{{"path", "/cosmos.bank.v1beta1.Query/Nothing"}, {"data", data}}},
		{"unknown service", params{{"path", "/cosmos.nothing.v1beta1.Query/Params"}, {"data", ""}}},
		{"path without its slash", params{{"path", path[1:]}, {"data", data}}},
		{"path of nothing", params{{"path", ""}, {"data", data}}},
		{"path of the store", params{{"path", "/store/bank/key"}, {"data", "02"}}},
		{"path of the app", params{{"path", "/app/version"}, {"data", ""}}},
		{"data in upper case", params{{"path", path}, {"data", strings.ToUpper(data)}}},
		{"data with 0x", params{{"path", path}, {"data", "0x" + data}}},
		{"data of odd length", params{{"path", path}, {"data", data[1:]}}},
		{"data that is no hexadecimal", params{{"path", path}, {"data", "zz"}}},
		{"data that is null", params{{"path", path}, {"data", nil}}},
		{"without data", params{{"path", path}}},
		{"at a height, as text", params{{"path", path}, {"data", data}, {"height", fmt.Sprint(height)}}},
		{"at a height, as a number", params{{"path", path}, {"data", data}, {"height", height}}},
		{"at height 0", params{{"path", path}, {"data", data}, {"height", "0"}}},
		{"at an early height", params{{"path", path}, {"data", data}, {"height", "2"}}},
		{"at a height that is not yet", params{{"path", path}, {"data", data}, {"height", "100000000"}}},
		{"at a height below 0", params{{"path", path}, {"data", data}, {"height", "-1"}}},
		{"with proof", params{{"path", path}, {"data", data}, {"prove", true}}},
		{"with a parameter that is not there", params{{"path", path}, {"data", data}, {"more", "1"}}},
		{"parameters as a list", nil},
	} {
		if q.with == nil {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"1","method":"abci_query","params":[%q,%q,"0",false]}`, path, data)
			if _, err := r.query.send(ctx, r.Chain, entry{Name: q.name}, []byte(body)); err != nil {
				return err
			}
			continue
		}
		if err := r.query.take(ctx, r.Chain, q.name, "abci_query", q.with); err != nil {
			return err
		}
	}
	return nil
}
