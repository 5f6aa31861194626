package nodetest

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"obverse/core/net/fetch"
	"obverse/core/text"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
)

// Well answers a request. It is a fetch.Func.
func (n *Node) Well(_ context.Context, r fetch.Request) (fetch.Response, error) {
	return fetch.Response{Status: 200, ContentType: "application/json", Body: n.Answer(r.Body)}, nil
}

var _ nodetest.Behaviour = (&Node{}).Well

// With returns the behaviour of the node with other members in the answers to some methods, by their
// names: a result, or an error.
func (n *Node) With(members map[string]string) nodetest.Behaviour {
	answer := func(raw json.RawMessage) string {
		var r request
		if json.Unmarshal(raw, &r) != nil || members[r.Method] == "" {
			return string(n.Answer(raw))
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, r.ID, members[r.Method])
	}
	return func(_ context.Context, r fetch.Request) (fetch.Response, error) {
		var list []json.RawMessage
		if json.Unmarshal(r.Body, &list) != nil {
			return fetch.Response{Status: 200, Body: []byte(answer(r.Body))}, nil
		}
		var all []string
		for _, raw := range list {
			all = append(all, answer(raw))
		}
		return fetch.Response{Status: 200, Body: []byte("[" + strings.Join(all, ",") + "]")}, nil
	}
}

type request struct {
	ID     json.RawMessage
	Method string
	Params []json.RawMessage
}

// Answer returns the response to the body of a POST.
func (n *Node) Answer(body []byte) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests++
	var list []request
	if json.Unmarshal(body, &list) != nil {
		var one request
		if err := json.Unmarshal(body, &one); err != nil {
			return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
		}
		return n.one(one)
	}
	if n.single {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not allowed"}}`)
	}
	answers := make([]string, len(list))
	for i, r := range list {
		answers[len(list)-1-i] = string(n.one(r)) // any order is valid
	}
	return []byte("[" + strings.Join(answers, ",") + "]")
}

func (n *Node) one(r request) []byte {
	n.counts[r.Method]++
	if failure := n.fails[r.Method]; failure != "" {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, r.ID, failure)
	}
	result, refusal := n.result(r)
	if refusal != "" {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, r.ID, refusal)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

// result returns the result of a request. The caller must hold the lock.
func (n *Node) result(r request) (result, refusal string) {
	switch r.Method {
	case "eth_chainId":
		return number(n.chain), ""
	case "eth_blockNumber":
		return number(n.height), ""
	case "eth_syncing":
		if n.syncing {
			return `{"startingBlock":"0x1","currentBlock":"0x2","highestBlock":"0x3"}`, ""
		}
		return "false", ""
	case "eth_getBalance":
		return quantity(n.coins[r.address(0)]), ""
	case "eth_getCode":
		return n.code(r.address(0)), ""
	case "eth_call":
		return n.call(r)
	case "eth_gasPrice":
		if n.base == nil {
			return quantity(n.tip), ""
		}
		return quantity(new(big.Int).Add(n.base, n.tip)), ""
	case "eth_feeHistory":
		return n.fees()
	case "eth_maxPriorityFeePerGas":
		if n.suggested == nil {
			break
		}
		return quantity(n.suggested), ""
	case "eth_estimateGas":
		var to struct{ From string }
		_ = json.Unmarshal(r.Params[0], &to) // an invalid call has no sender
		if from := parse(cmp.Or(to.From, zero)); from.IsZero() {
			return number(n.transferGas), ""
		}
		return number(n.gas), ""
	case "eth_getTransactionCount":
		return n.count(r), ""
	case "eth_sendRawTransaction":
		return n.send(r)
	case "eth_getTransactionReceipt", "eth_getTransactionByHash":
		return n.find(r), ""
	case "eth_getBlockByNumber":
		return n.block(r), ""
	case "eth_getLogs":
		return n.filter(r), ""
	}
	return "", `{"code":-32601,"message":"Method not found"}`
}

func (n *Node) fees() (result, refusal string) {
	if n.base == nil {
		return "", `{"code":-32601,"message":"the method eth_feeHistory does not exist/is not available"}`
	}
	return fmt.Sprintf(`{"oldestBlock":%s,"baseFeePerGas":[%s,%[2]s],"gasUsedRatio":[0.5],"reward":[[%s,%[3]s,%[3]s]]}`,
		number(n.height), quantity(n.base), quantity(n.tip)), ""
}

// zero is the address without an owner, and oracle is the contract of a rollup that returns the
// data fee.
const (
	zero   = "0x0000000000000000000000000000000000000000"
	oracle = "0x420000000000000000000000000000000000000F"
)

// code returns the code at an address. Tokens have code.
func (n *Node) code(addr address.Address) string {
	switch {
	case n.delegated[addr]:
		return `"0xef0100` + strings.Repeat("11", len(addr)) + `"`
	case n.tokens[addr] != nil:
		return `"0x6001"`
	}
	return `"0x"`
}

// call runs a contract's function.
func (n *Node) call(r request) (result, refusal string) {
	var to struct{ From, To, Data string }
	_ = json.Unmarshal(r.Params[0], &to) // an invalid call is of no contract
	data, _ := hex.DecodeString(strings.TrimPrefix(to.Data, "0x"))
	var token *Token
	if to.To != "" {
		token = n.tokens[parse(to.To)]
	}
	switch {
	case token != nil && to.From != "" && len(data) > 0: // the call simulates a transaction
		return `"0x` + hex.EncodeToString(token.Returned) + `"`, ""
	case n.dataFee != nil && parse(to.To) == parse(oracle) && string(data[:4]) == string(abi.Call(n.dataFunction)):
		return word(n.dataFee), ""
	case n.operatorFee != nil && parse(to.To) == parse(oracle) && len(data) == 36 && string(data[:4]) == string(abi.Call(abi.OperatorFee)):
		return word(n.operatorFee(new(big.Int).SetBytes(data[4:]).Uint64())), ""
	case token == nil:
		return `"0x"`, ""
	case strings.HasPrefix(token.Broken, "{"):
		return "", token.Broken
	case token.Broken != "":
		return token.Broken, ""
	case string(data) == string(abi.Call(abi.Decimals)):
		return word(big.NewInt(int64(token.Decimals))), ""
	case string(data) == string(abi.Call(abi.Symbol)):
		return `"0x` + hex.EncodeToString(token.Symbol) + `"`, ""
	case len(data) == 68 && token.Allowed != nil && string(data[:4]) == string(abi.Call(abi.Allowance)):
		return word(token.Allowed), ""
	case len(data) == 36 && string(data[:4]) == string(abi.Call(abi.OwnerOf)) && !token.Owner.IsZero():
		return word(new(big.Int).SetBytes(token.Owner[:])), ""
	case len(data) == 68 && string(data[:4]) == string(abi.Call(abi.BalanceOfID)):
		var of address.Address
		copy(of[:], data[16:])
		return word(token.Balances[of]), ""
	case len(data) == 36 && string(data[:4]) == string(abi.Call(abi.BalanceOf)):
		var of address.Address
		copy(of[:], data[16:])
		return word(token.Balances[of]), ""
	}
	return "", `{"code":3,"message":"execution reverted","data":"0x"}`
}

// count returns the nonce of an account, including pending transactions if requested.
func (n *Node) count(r request) string {
	of := r.address(0)
	nonce := n.nonces[of]
	if string(r.Params[1]) == `"pending"` {
		for _, raw := range n.waiting {
			if sent, err := wire.Decode(raw); err == nil && sent.From == of {
				nonce = max(nonce, sent.Nonce+1)
			}
		}
	}
	return number(nonce)
}

func (n *Node) send(r request) (result, refusal string) {
	var signed string
	_ = json.Unmarshal(r.Params[0], &signed) // an invalid parameter has no bytes
	raw, _ := hex.DecodeString(strings.TrimPrefix(signed, "0x"))
	hash := wire.Hash(raw)
	name := text.Hex(hash[:])
	switch {
	case n.refusal != "":
		return "", fmt.Sprintf(`{"code":-32000,"message":%q}`, n.refusal)
	case n.waiting[name] != nil:
		return "", `{"code":-32000,"message":"already known"}`
	case n.receipts[name] != 0:
		return "", `{"code":-32000,"message":"nonce too low: next nonce 1, tx nonce 0"}`
	case n.taken(raw):
		return "", `{"code":-32000,"message":"replacement transaction underpriced"}`
	}
	n.waiting[name] = raw
	return `"` + name + `"`, ""
}

// taken reports whether a pending transaction has the same sender and nonce.
func (n *Node) taken(raw []byte) bool {
	other, err := wire.Decode(raw)
	for _, waits := range n.waiting {
		if sent, failed := wire.Decode(waits); err == nil && failed == nil && sent.From == other.From && sent.Nonce == other.Nonce {
			return true
		}
	}
	return false
}

// find returns a receipt or a transaction.
func (n *Node) find(r request) string {
	var name string
	_ = json.Unmarshal(r.Params[0], &name) // an invalid parameter is of no transaction
	height, done := n.receipts[name]
	if done && n.unindexed {
		return "null"
	}
	if !done && (r.Method == "eth_getTransactionReceipt" || n.waiting[name] == nil) {
		return "null"
	}
	if s, is := n.whole[name]; is && r.Method == "eth_getTransactionByHash" {
		return s.show(name)
	}
	if !done {
		return fmt.Sprintf(`{"hash":%q,"blockNumber":null}`, name)
	}
	return fmt.Sprintf(`{"transactionHash":%q,"blockNumber":%s,"blockHash":%q,"transactionIndex":"0x0","from":%q,"effectiveGasPrice":"0x1","status":"0x1","gasUsed":"0x5208","logs":[%s]}`,
		name, number(height), blockHash(height), n.senders[name].Plain(), n.logs[name])
}

func blockHash(height uint64) string {
	return fmt.Sprintf("0x%x", address.Keccak(fmt.Append(nil, height)))
}

// block returns a block with the hashes of its transactions.
func (n *Node) block(r request) string {
	height := n.height
	if text := strings.Trim(string(r.Params[0]), `"`); text != "latest" {
		height = whole(text).Uint64()
	}
	if height > n.height {
		return "null"
	}
	var names []string
	for name, at := range n.receipts {
		if at == height {
			names = append(names, `"`+name+`"`)
		}
	}
	return fmt.Sprintf(`{"number":%s,"hash":%q,"timestamp":%s,"transactions":[%s]}`, number(height), blockHash(height), number(uint64(n.times[height])), strings.Join(names, ","))
}

// filter returns the transfers between two blocks with the requested topics.
func (n *Node) filter(r request) string {
	var ask struct {
		FromBlock, ToBlock string
		Topics             []string
	}
	_ = json.Unmarshal(r.Params[0], &ask) // an invalid filter matches no logs
	var found []string
	for name, at := range n.receipts {
		var l struct{ Topics []string }
		if at < whole(ask.FromBlock).Uint64() || at > whole(ask.ToBlock).Uint64() || json.Unmarshal([]byte(n.logs[name]), &l) != nil {
			continue
		}
		matches := true
		for i, topic := range ask.Topics {
			matches = matches && (topic == "" || topic == l.Topics[i])
		}
		if matches {
			found = append(found, fmt.Sprintf(`{"transactionHash":%q,"blockNumber":%s}`, name, number(at)))
		}
	}
	return "[" + strings.Join(found, ",") + "]"
}

// transferLog returns the event of a transaction that pays a token, or "" if it does not.
func transferLog(sent wire.Sent) string {
	to, units, pays := abi.ReadTransfer(sent.Data)
	if !pays || sent.To == nil {
		return ""
	}
	const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	return fmt.Sprintf(`{"address":%q,"topics":[%q,"0x%x","0x%x"],"data":%s}`, sent.To.Plain(), transfer, abi.Address(sent.From), abi.Address(to), word(units))
}

func (r request) address(i int) address.Address {
	var text string
	if i >= len(r.Params) || json.Unmarshal(r.Params[i], &text) != nil {
		return address.Address{}
	}
	return parse(text)
}

func number(n uint64) string { return quantity(new(big.Int).SetUint64(n)) }

func quantity(n *big.Int) string {
	if n == nil {
		n = new(big.Int)
	}
	return `"0x` + n.Text(16) + `"`
}

func word(n *big.Int) string {
	if n == nil {
		n = new(big.Int)
	}
	w := abi.Uint(n)
	return `"0x` + hex.EncodeToString(w[:]) + `"`
}
