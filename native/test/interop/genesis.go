package interop

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// object is a JSON object that is changed in place. Numbers keep their digits.
type object = map[string]any

// Voucher is a token that was transferred to a chain over IBC.
type Voucher struct {
	Denom string // "ibc/…"
	Path  string // "transfer/channel-0"
	Base  string // denom on the chain of origin
}

func voucher(path, base string) Voucher {
	return Voucher{Denom: fmt.Sprintf("ibc/%X", sha256.Sum256([]byte(path+"/"+base))), Path: path, Base: base}
}

// vouchers are in the genesis of every chain: one with six decimals, like the configured
// ATOM-IBC_IRIS, and one with amounts of more than 64 bits.
func vouchers() []Voucher {
	return []Voucher{voucher("transfer/channel-0", "uatom"), voucher("transfer/channel-0", "aevmos")}
}

// Channels of the port transfer in the genesis of every chain. No relayer runs, so coins that are
// sent over HealthyChannel stay in escrow.
const (
	HealthyChannel = "channel-0" // its client is active
	ExpiredChannel = "channel-1" // its client expired in 2020
	FrozenChannel  = "channel-2" // its client was frozen for misbehaviour
	ClosedChannel  = "channel-3"
)

// counterparty is the chain at the other end of all channels.
const counterparty = "counterparty-1"

// rewriteGenesis changes the genesis file that init has written: it sets the denom of stakes, the
// coins of the accounts, and the channels.
func (c *Chain) rewriteGenesis(path string, balances map[string]Coins) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text = bytes.ReplaceAll(text, []byte(`"stake"`), []byte(strconv.Quote(c.Denom)))
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var genesis struct {
		Time   string            `json:"genesis_time"`
		Chain  string            `json:"chain_id"`
		First  string            `json:"initial_height"`
		Params json.RawMessage   `json:"consensus_params"`
		Hash   string            `json:"app_hash"`
		State  map[string]object `json:"app_state"`
	}
	if err := decoder.Decode(&genesis); err != nil {
		return fmt.Errorf("the genesis that %s made: %w", c.Kind, err)
	}
	c.addAccounts(genesis.State, balances)
	addChannels(genesis.State, genesis.Time)
	if text, err = json.Marshal(genesis); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// addAccounts adds an account for every address. The bank module computes the supply.
func (c *Chain) addAccounts(state map[string]object, balances map[string]Coins) {
	var accounts, held []any
	for _, address := range slices.Sorted(maps.Keys(balances)) {
		account := object{"@type": "/cosmos.auth.v1beta1.BaseAccount", "address": address, "pub_key": nil,
			"account_number": "0", "sequence": "0"}
		if address == c.Vesting.Address {
			account = vesting(account, c.Denom)
		}
		accounts = append(accounts, account)
		var coins []any
		for _, denom := range slices.Sorted(maps.Keys(balances[address])) {
			coins = append(coins, coin(balances[address][denom], denom))
		}
		held = append(held, object{"address": address, "coins": coins})
	}
	state["auth"]["accounts"] = accounts
	state["bank"]["balances"] = held
}

func coin(amount, denom string) object { return object{"denom": denom, "amount": amount} }

// vesting locks half of the coins of an account until the year 2100.
func vesting(base object, denom string) object {
	delete(base, "@type")
	return object{"@type": "/cosmos.vesting.v1beta1.DelayedVestingAccount", "base_vesting_account": object{"base_account": base,
		"original_vesting": []any{coin(Half, denom)}, "delegated_free": []any{}, "delegated_vesting": []any{},
		"end_time": strconv.FormatInt(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), 10)}}
}

// link is a client with its connection and its channel. All three have the same number.
type link struct {
	lastSeen string // time of the client's newest header
	frozen   uint64 // height of the misbehaviour; 0 without misbehaviour
	channel  string // state of the channel
}

// addChannels writes the state of open clients, connections and channels. A genesis needs no
// proofs.
func addChannels(state map[string]object, now string) {
	const open = "STATE_OPEN"
	links := []link{{now, 0, open}, {"2020-01-01T00:00:00Z", 0, open}, {now, 900, open}, {now, 0, "STATE_CLOSED"}}
	var clients, consensus, connections, paths, channels, sequences, owners []any
	for n, l := range links {
		client, connection, channel := fmt.Sprintf("07-tendermint-%d", n), fmt.Sprintf("connection-%d", n), fmt.Sprintf("channel-%d", n)
		clients = append(clients, object{"client_id": client, "client_state": l.client()})
		consensus = append(consensus, object{"client_id": client, "consensus_states": []any{l.header()}})
		paths = append(paths, object{"client_id": client, "paths": []any{connection}})
		connections = append(connections, object{"id": connection, "client_id": client, "state": open, "delay_period": "0",
			"versions": []any{object{"identifier": "1", "features": []any{"ORDER_ORDERED", "ORDER_UNORDERED"}}},
			"counterparty": object{"client_id": "07-tendermint-7" + strconv.Itoa(n), "connection_id": "connection-8" + strconv.Itoa(n),
				"prefix": object{"key_prefix": base64.StdEncoding.EncodeToString([]byte("ibc"))}}})
		channels = append(channels, object{"state": l.channel, "ordering": "ORDER_UNORDERED", "version": "ics20-1",
			"port_id": "transfer", "channel_id": channel, "connection_hops": []any{connection},
			"counterparty": object{"port_id": "transfer", "channel_id": "channel-9" + strconv.Itoa(n)}})
		sequences = append(sequences, object{"port_id": "transfer", "channel_id": channel, "sequence": "1"})
		capability := "capabilities/ports/transfer/channels/" + channel
		owners = append(owners, object{"index": strconv.Itoa(n + 1), "index_owners": object{"owners": []any{
			object{"module": "ibc", "name": capability}, object{"module": "transfer", "name": capability}}}})
	}
	count := strconv.Itoa(len(links))
	merge(state["ibc"]["client_genesis"], object{"clients": clients, "clients_consensus": consensus, "next_client_sequence": count})
	merge(state["ibc"]["connection_genesis"], object{"connections": connections, "client_connection_paths": paths,
		"next_connection_sequence": count})
	merge(state["ibc"]["channel_genesis"], object{"channels": channels, "send_sequences": sequences, "recv_sequences": sequences,
		"ack_sequences": sequences, "next_channel_sequence": count})
	state["capability"] = object{"index": strconv.Itoa(len(links) + 1), "owners": owners}
	var traces []any
	for _, v := range vouchers() {
		traces = append(traces, object{"path": v.Path, "base_denom": v.Base})
	}
	state["transfer"]["denom_traces"] = traces
}

// lightHeight is the height of the newest header of each client.
const lightHeight = 1000

func (l link) client() object {
	return object{"@type": "/ibc.lightclients.tendermint.v1.ClientState", "chain_id": counterparty,
		"trust_level": object{"numerator": "1", "denominator": "3"}, "trusting_period": "1209600s",
		"unbonding_period": "1814400s", "max_clock_drift": "10s", "frozen_height": height(l.frozen),
		"latest_height": height(lightHeight), "proof_specs": []any{proof(33, 4, 12), proof(32, 1, 1)},
		"upgrade_path": []any{"upgrade", "upgradedIBCState"}, "allow_update_after_expiry": true,
		"allow_update_after_misbehaviour": true}
}

func (l link) header() object {
	return object{"height": height(lightHeight), "consensus_state": object{
		"@type": "/ibc.lightclients.tendermint.v1.ConsensusState", "timestamp": l.lastSeen,
		"root":                 object{"hash": base64.StdEncoding.EncodeToString(make([]byte, sha256.Size))},
		"next_validators_hash": strings.Repeat("00", sha256.Size)}}
}

// height returns a height of the counterparty. Its chain id implies the revision 1.
func height(revisionHeight uint64) object {
	revision := "1"
	if revisionHeight == 0 {
		revision = "0"
	}
	return object{"revision_number": revision, "revision_height": strconv.FormatUint(revisionHeight, 10)}
}

// proof returns the specification of a tree of the counterparty (ICS 23: IAVL and simple trees).
func proof(child, shortest, longest int) object {
	return object{"max_depth": 0, "min_depth": 0,
		"leaf_spec": object{"hash": "SHA256", "prehash_key": "NO_HASH", "prehash_value": "SHA256", "length": "VAR_PROTO", "prefix": "AA=="},
		"inner_spec": object{"child_order": []int{0, 1}, "child_size": child, "min_prefix_length": shortest,
			"max_prefix_length": longest, "empty_child": nil, "hash": "SHA256"}}
}

// merge sets fields of a JSON object.
func merge(into any, fields object) {
	for key, value := range fields {
		into.(object)[key] = value
	}
}
