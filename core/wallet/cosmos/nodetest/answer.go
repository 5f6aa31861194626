package nodetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"obverse/core/wallet/cosmos/wire"
)

// Answer returns the response to the body of a POST, as JSON.
func (n *Node) Answer(body []byte) []byte {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return []byte(`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error. Invalid JSON","data":"error unmarshaling request"}}`)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.counts[r.Method]++
	if r.path() != "" {
		n.counts[r.path()]++
	}
	silent := n.silent
	result, refusal := n.result(r)
	if silent {
		refusal = "the node has nothing to say"
	}
	if refusal != "" {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"Internal error","data":%q}}`, r.ID, refusal)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

// result returns the result of a request. The caller must hold the lock.
func (n *Node) result(r request) (result []byte, refusal string) {
	switch r.Method {
	case "tx", "tx_search", "block":
		if n.history != "" {
			if err := n.learn(n.history); err != nil {
				return nil, err.Error()
			}
			n.history = ""
		}
	}
	recorded, known := n.recorded[r.key()]
	switch r.Method {
	case "status":
		return set(recorded, map[string]any{"node_info.network": n.chainID, "sync_info.latest_block_height": strconv.FormatInt(n.height, 10),
			"sync_info.latest_block_time": time.Unix(1_800_000_000+n.height, 0).UTC()}), ""
	case "abci_info":
		return set(recorded, map[string]any{"response.last_block_height": strconv.FormatInt(n.height, 10)}), ""
	case "abci_query":
		return n.query(r), ""
	case "broadcast_tx_sync":
		if known {
			return recorded, ""
		}
		n.silent = n.silent || string(r.Params.Tx) == Hush
		var t wire.Tx
		if err := wire.Decode(r.Params.Tx, &t); err != nil || t.Body == nil || t.AuthInfo == nil {
			return fmt.Appendf(nil, `{"code":2,"data":"","log":"tx parse error","codespace":"sdk","hash":"%X"}`, sha256.Sum256(r.Params.Tx)), ""
		}
		n.sent = append(n.sent, r.Params.Tx)
		return fmt.Appendf(nil, `{"code":0,"data":"","log":"[]","codespace":"","hash":"%X"}`, sha256.Sum256(r.Params.Tx)), ""
	case "tx":
		if found := n.transaction(r.Params.Hash); !known && found != nil {
			return found, ""
		}
		if !known {
			return nil, fmt.Sprintf("tx (%X) not found", r.Params.Hash)
		}
	case "tx_search":
		if !known {
			return n.search(r)
		}
	}
	if !known {
		return nil, "there is no recording of this"
	}
	return recorded, ""
}

// pageOfRecordings is the size of the pages in which complete searches were recorded.
const pageOfRecordings = "10"

// transaction returns the transaction with a hash from the recorded searches, or nil.
func (n *Node) transaction(hash []byte) json.RawMessage {
	name := fmt.Appendf(nil, `%X`, hash)
	for _, list := range n.found {
		for _, raw := range list {
			var tx struct{ Hash string }
			if json.Unmarshal(raw, &tx) == nil && tx.Hash == string(name) {
				return raw
			}
		}
	}
	return nil
}

// search returns a page, of any size, of a search that was recorded completely.
func (n *Node) search(r request) (result []byte, refusal string) {
	all := n.found[r.Params.Query]
	page, _ := strconv.Atoi(r.Params.Page) // a missing page is 0, which is out of range
	size, _ := strconv.Atoi(r.Params.PerPage)
	size = max(size, 1)
	pages := max((len(all)+size-1)/size, 1)
	if page < 1 || page > pages {
		return nil, fmt.Sprintf("page should be within [1, %d] range, given %s", pages, r.Params.Page)
	}
	part := all[(page-1)*size : min(page*size, len(all))]
	raw, err := json.Marshal(append([]json.RawMessage{}, part...))
	if err != nil {
		return nil, err.Error()
	}
	return fmt.Appendf(nil, `{"txs":%s,"total_count":"%d"}`, raw, len(all)), ""
}

// query answers a query of the chain's state.
func (n *Node) query(r request) []byte {
	data, _ := hex.DecodeString(r.Params.Data) // invalid data has no address
	switch r.path() {
	case wire.PathBalance:
		var q wire.BalanceRequest
		if wire.Decode(data, &q) == nil && strings.HasPrefix(q.Address, n.Prefix+"1") && q.Denom != "" {
			amount := n.balances[q.Address][q.Denom]
			if amount == "" {
				amount = "0"
			}
			return n.value(&wire.BalanceResponse{Balance: wire.Coin{Denom: q.Denom, Amount: amount}})
		}
	case wire.PathAccount:
		address := r.about()
		if n.vesting[address] != nil {
			return n.value(&wire.AccountResponse{Account: wire.Any{TypeURL: "/cosmos.vesting.v1beta1.DelayedVestingAccount"}})
		}
		if known := n.accounts[address]; known != nil {
			return n.now(known)
		}
		if n.balances[address] != nil {
			return n.value(&wire.AccountResponse{Account: wire.Pack(&wire.BaseAccount{Address: address, Number: 7})})
		}
		return fmt.Appendf(nil, `{"response":{"code":22,"log":"rpc error: code = NotFound desc = account %s not found: key not found",`+
			`"info":"","index":"0","key":null,"value":null,"proofOps":null,"height":"%d","codespace":"sdk"}}`, address, n.height)
	case wire.PathSpendableBalances:
		if locked := n.vesting[r.about()]; locked != nil {
			return n.value(n.spendable(r.about(), locked))
		}
	case wire.PathSimulate:
		return n.now(n.simulate)
	}
	if recorded, known := n.recorded[r.key()]; known {
		return n.now(recorded)
	}
	return []byte(`{"response":{"code":6,"log":"unknown query path: unknown request","info":"","index":"0","key":null,"value":null,"proofOps":null,"height":"0","codespace":"sdk"}}`)
}

// now sets the height of a recorded answer to the newest block.
func (n *Node) now(recorded []byte) []byte {
	return set(recorded, map[string]any{"response.height": strconv.FormatInt(n.height, 10)})
}

func (n *Node) spendable(address string, locked map[string]string) *wire.AllBalancesResponse {
	var r wire.AllBalancesResponse
	for denom, amount := range n.balances[address] {
		units, _ := new(big.Int).SetString(amount, 10)
		if less, is := new(big.Int).SetString(locked[denom], 10); is {
			units.Sub(units, less)
		}
		if units.Sign() > 0 {
			r.Balances = append(r.Balances, wire.Coin{Denom: denom, Amount: units.String()})
		}
	}
	return &r
}

// value returns the answer to a query of the chain's state.
func (n *Node) value(m wire.Message) []byte {
	return fmt.Appendf(nil, `{"response":{"code":0,"log":"","info":"","index":"0","key":null,"value":%q,"proofOps":null,"height":"%d","codespace":""}}`,
		base64.StdEncoding.EncodeToString(wire.Encode(m)), n.height)
}

// WithID replaces ID in an answer with the id of the request.
func WithID(answer string, body []byte) []byte {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return []byte(answer)
	}
	return []byte(strings.Replace(answer, `"ID"`, string(r.ID), 1))
}

// Value returns the response to a query with a message.
func Value(m wire.Message, body []byte) []byte {
	return WithID(fmt.Sprintf(`{"jsonrpc":"2.0","id":"ID","result":{"response":{"code":0,"value":%q,"height":"0"}}}`,
		base64.StdEncoding.EncodeToString(wire.Encode(m))), body)
}

// set sets members of an object, by their paths. Numbers are not reformatted.
func set(object []byte, members map[string]any) []byte {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var whole map[string]any
	if err := decoder.Decode(&whole); err != nil {
		panic(err) // cannot happen with a recorded object
	}
	for path, value := range members {
		at := whole
		names := strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			at = at[name].(map[string]any)
		}
		at[names[len(names)-1]] = value
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		panic(err)
	}
	return raw
}
