package daemontest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/number"
)

// question is a recorded exchange that is repeated on a node.
type question struct {
	*testing.T
	Exchange
	chain    *chain
	key      int // number of komodod's key
	method   string
	args     []json.RawMessage
	recorded answer
	ours     answer
}

// text returns a parameter, and whether it is a string.
func (q *question) text(i int) (s string, ok bool) {
	ok = i < len(q.args) && json.Unmarshal(q.args[i], &s) == nil && string(q.args[i]) != "null"
	return s, ok
}

func (q *question) is(methods ...string) bool { return slices.Contains(methods, q.method) }

func (q *question) refused(text string) {
	quoted := strings.TrimSpace(jsonText(text))
	q.recorded = answer{200, `{"result":{"result":"error","error":` + quoted + `},"error":null,"id":"curltest"}`}
}

func jsonText(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return b.String()
}

// excuse is a permitted difference from the recordings.
type excuse struct {
	id, what string
	applies  func(*question) bool
	// level changes the recorded answer into the expected one, or removes parts that are not
	// compared from both answers. If it is nil, the answers are not compared.
	level func(*question)
}

// excuses is the complete list of permitted differences. Each changes as little as possible.
// The first one that refuses a parameter applies.
var excuses = []excuse{
	{"D11", "no make-believe notarisation", always, func(q *question) { q.recorded.body = notNotarized(q.recorded.body) }},
	{"D12", "warm-up", func(q *question) bool { return strings.Contains(q.recorded.body, `{"code":-28,`) }, nil},
	{"D12", "keys kept ready, and the ports that komodod was given", method("getinfo"), mask(`"keypool\w+":\d+,|"(p2p|rpc)port":\d+,`)},
	{"D12", "the balance of all keys in the wallet", walletHasMore("getinfo"), mask(`"balance":[0-9.]+,`)},
	{"D12", "the coins of all keys in the wallet", method("listunspent"), (*question).filterCoins},
	{"D12", "versions and connections", method("getnetworkinfo"), mask(`"subversion":"[^"]*",|"localservices":"\w+",|"networks":\[[^]]*\],`)},
	{"D12", "order, priorities and times in the mempool", method("getrawmempool"), func(q *question) {
		q.recorded.body, q.ours.body = noPriorities(q.recorded.body), noPriorities(q.ours.body)
	}},
	{"D12", "scripts of the wallet", method("validateaddress"), func(q *question) {
		q.recorded.body = walletScript.ReplaceAllString(q.recorded.body, "}")
	}},
	{"D10", "a pubkey without its private key", func(q *question) bool {
		return q.is("tokencreate", "tokentransfer") && (strings.HasPrefix(q.Session, "B:") && *q.Tip > 0 || strings.Contains(q.recorded.body, `"hex":""`) || q.unsigned())
	}, nil},
	{"D21", "the change of an unconfirmed transfer", (*question).spendsChange, func(q *question) { q.recorded = q.ours }},
	{"D10", "coins of another key in the wallet", (*question).paysOtherKey, (*question).levelOtherCoins},
	{"D9", "help texts", func(q *question) bool {
		return strings.Contains(q.recorded.body, `\n\n`) && helpText(q.recorded.body) != ""
	}, func(q *question) {
		q.recorded.body, q.ours.body = firstLine(q.recorded.body), firstLine(q.ours.body)
	}},
	{"D8", "an invalid token id", (*question).badTokenID, func(q *question) { q.refused("invalid tokenid") }},
	{"D7", "an invalid public key", (*question).badPubKey, func(q *question) {
		require.Regexp(q, `^\{"result":\{"result":"error","error":"invalid pubkey .*"\},"error":null,"id":"curltest"\}$`, q.ours.body)
		q.recorded = q.ours
	}},
	{"D6", "an amount beyond int64", func(q *question) bool { return q.badNumber() && q.is("tokentransfer") && isDecimal(q.number()) }, (*question).numberRefused},
	{"D5", "a number that is invalid, too precise or too large", func(q *question) bool {
		return q.badNumber() && (!numberPrefix.MatchString(q.number()) || q.is("tokencreate") && plainDecimal.MatchString(q.number()))
	}, (*question).numberRefused},
	{"D4", "a number with something before or behind it", (*question).badNumber, (*question).numberRefused},
	{"D5", "a number that a double or atoll rounds", (*question).rounded, func(q *question) { q.askAgain(q.exactNumber()) }},
	{"D3", "a JSON number", func(q *question) bool { return q.numberAt() > 0 && isNumber(q.args[q.numberAt()]) }, func(q *question) {
		q.askAgain(string(q.args[q.numberAt()]))
		require.Equal(q, 200, q.ours.status)
	}},
	{"D2", "the balance of another key", func(q *question) bool {
		return q.is("tokenaddress") && strings.Contains(q.recorded.body, pubKeyBalance)
	}, (*question).levelBalance},
	{"D1", "the supply in coins", func(q *question) bool { return q.is("tokeninfo") && supply.MatchString(q.recorded.body) }, func(q *question) {
		q.recorded.body = InCoins(q.recorded.body)
	}},
}

func always(*question) bool { return true }

func method(name string) func(*question) bool {
	return func(q *question) bool { return q.is(name) }
}

// walletHasMore matches a session in which komodod's wallet contained other keys in addition to
// K1.
func walletHasMore(method string) func(*question) bool {
	return func(q *question) bool { return q.is(method) && q.key > 1 }
}

// filterCoins removes the coins of other keys from a recorded listing.
func (q *question) filterCoins() {
	var reply struct{ Result []json.RawMessage }
	if q.key == 0 || json.Unmarshal([]byte(q.recorded.body), &reply) != nil {
		return
	}
	var whole, owned []string
	mine := fmt.Sprintf(`"address":"%v"`, chaintest.Key(q.T, q.key).Address().Text())
	for _, coin := range reply.Result {
		whole = append(whole, string(coin))
		if strings.Contains(string(coin), mine) {
			owned = append(owned, string(coin))
		}
	}
	q.recorded.body = strings.Replace(q.recorded.body, "["+strings.Join(whole, ",")+"]", "["+strings.Join(owned, ",")+"]", 1)
}

// unsigned reports whether komodod's wallet lacked a key for the transaction that it built.
func (q *question) unsigned() bool {
	if q.recorded.status != 200 || !strings.Contains(q.recorded.body, `"hex":"`) {
		return false
	}
	tx := built(q.T, q.recorded)
	return tx != nil && slices.ContainsFunc(tx.Inputs, func(in wire.TxIn) bool { return len(in.ScriptSig) == 0 })
}

// mask removes the parts that match a pattern from both answers.
func mask(pattern string) func(*question) {
	part := regexp.MustCompile(pattern)
	return func(q *question) {
		q.recorded.body, q.ours.body = part.ReplaceAllString(q.recorded.body, ""), part.ReplaceAllString(q.ours.body, "")
	}
}

var (
	notarized     = regexp.MustCompile(`("last_notarized_height"|"notarized"):\d+`)
	notarization  = regexp.MustCompile(`("notarizedhash"|"notarizedtxid"):"[0-9a-f]{64}"`)
	confirmations = regexp.MustCompile(`"confirmations":\d+,"rawconfirmations":(\d+)`)
	priorities    = regexp.MustCompile(`"time":\d+,("height":\d+),"startingpriority":[0-9.e+]+,"currentpriority":[0-9.e+]+`)
	walletScript  = regexp.MustCompile(`,"script":"multisig",.*?,"account":""\}`)
	supply        = regexp.MustCompile(`"supply":(\d+)`)
	plainDecimal  = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)
	numberPrefix  = regexp.MustCompile(`^\s*[+-]?(\d|\.\d)`)
)

const pubKeyBalance = `"PubkeyCCbalance(Tokens)":0.00000000`

func notNotarized(body string) string {
	body = notarized.ReplaceAllString(body, `$1:0`)
	body = notarization.ReplaceAllString(body, `$1:"`+strings.Repeat("0", 64)+`"`)
	return confirmations.ReplaceAllString(body, `"confirmations":$1,"rawconfirmations":$1`)
}

func noPriorities(body string) string {
	return SortedItems(priorities.ReplaceAllString(body, `$1`), `"[0-9a-f]{64}":\{[^}]*\}`)
}

// SortedItems sorts the parts of a body that match a pattern.
func SortedItems(body, pattern string) string {
	items := regexp.MustCompile(pattern)
	found := items.FindAllString(body, -1)
	slices.Sort(found)
	return items.ReplaceAllStringFunc(body, func(string) string {
		next := found[0]
		found = found[1:]
		return next
	})
}

// InCoins converts the supply in an answer of tokeninfo to coins.
func InCoins(body string) string {
	return supply.ReplaceAllStringFunc(body, func(s string) string {
		tokens, err := strconv.ParseInt(supply.FindStringSubmatch(s)[1], 10, 64)
		if err != nil {
			return s
		}
		return fmt.Sprintf(`"supply":"%v"`, number.Coins(tokens))
	})
}

// helpText returns the text of a help result or a usage error.
func helpText(body string) string {
	var parsed struct {
		Result any
		Error  struct {
			Code    int
			Message string
		}
	}
	_ = json.Unmarshal([]byte(body), &parsed)
	if parsed.Error.Code == -1 {
		return parsed.Error.Message
	}
	text, _ := parsed.Result.(string)
	return text
}

func firstLine(body string) string {
	long := strings.TrimSpace(jsonText(helpText(body)))
	line, _, _ := strings.Cut(helpText(body), "\n")
	return strings.Replace(body, long, jsonText(line), 1)
}

func (q *question) badTokenID() bool {
	if !q.is("tokeninfo", "tokenbalance", "tokentransfer") {
		return false
	}
	id, ok := q.text(0)
	_, err := wire.ParseHash(id)
	return ok && err != nil && q.wellTyped()
}

// wellTyped reports whether neither the number nor the JSON types of the parameters are wrong.
func (q *question) wellTyped() bool {
	return q.recorded.status != 500 || strings.Contains(q.recorded.body, `"result":{`)
}

func (q *question) badPubKey() bool {
	at := slices.Index([]string{"tokenaddress", "tokenbalance", "tokentransfer"}, q.method)
	if at < 0 || !q.wellTyped() || q.badTokenID() {
		return false
	}
	text, ok := q.text(min(at, 1))
	if !ok || text == "" && !q.is("tokentransfer") {
		return false
	}
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != 33 {
		return true
	}
	_, err = btcec.ParsePubKey(key)
	return err != nil && token.Key(key) != token.BurnKey()
}

// levelBalance replaces the recorded balance with the total value of the key's outputs.
func (q *question) levelBalance() {
	pub, _ := q.text(0)
	bare := token.Script([]byte{token.Eval}, token.Key(fromHex(q.T, pub)))
	real := strings.Replace(pubKeyBalance, "0.00000000", number.Coins(q.chain.unspent(q.T, bare)).String(), 1)
	q.recorded.body = strings.Replace(q.recorded.body, pubKeyBalance, real, 1)
}

// built decodes the transaction in an answer.
func built(t *testing.T, r answer) *wire.Tx {
	t.Helper()
	var parsed struct{ Result struct{ Hex string } }
	require.NoError(t, json.Unmarshal([]byte(r.body), &parsed))
	if parsed.Result.Hex == "" {
		return nil
	}
	tx, err := wire.DecodeTx(fromHex(t, parsed.Result.Hex))
	require.NoError(t, err)
	return tx
}

// spendsChange reports whether the node built a transfer from pending tokens, while komodod found
// none in the chain.
func (q *question) spendsChange() bool {
	if !q.is("tokentransfer") || !strings.Contains(q.recorded.body, ` token inputs"`) || q.ours.status != 200 {
		return false
	}
	tx := built(q.T, q.ours)
	return tx != nil && slices.ContainsFunc(tx.Inputs, func(in wire.TxIn) bool {
		_, inChain := q.chain.holds(in.PrevOut.Hash)
		return !inChain && strings.HasPrefix(string(in.ScriptSig), "\x4c")
	})
}

// paysOtherKey reports whether another key of komodod's wallet paid the fee of a transfer.
func (q *question) paysOtherKey() bool {
	if !q.is("tokentransfer") || q.recorded.status != 200 || q.badPubKey() {
		return false
	}
	tx := built(q.T, q.recorded)
	if tx == nil {
		return false
	}
	from := tx.Inputs[0].PrevOut
	parent, inChain := q.chain.holds(from.Hash)
	if !inChain {
		return false // change in the mempool
	}
	key := chaintest.Key(q.T, q.key).PublicKey()
	return script.Classify(parent.Outputs[from.Index].Script).Addresses[0] != script.PubKeyAddress(key[:])
}

// levelOtherCoins compares tokens and payload, but not the coins that pay the fee.
func (q *question) levelOtherCoins() {
	plain := func(out wire.TxOut) bool { return script.Classify(out.Script).Type == script.TypePubKey }
	condition := func(in wire.TxIn) wire.OutPoint {
		if !strings.HasPrefix(string(in.ScriptSig), "\x4c") { // a fulfillment is a longer push than a signature
			return wire.OutPoint{}
		}
		return in.PrevOut
	}
	want, got := built(q.T, q.recorded), built(q.T, q.ours)
	require.Equal(q, slices.DeleteFunc(want.Outputs, plain), slices.DeleteFunc(got.Outputs, plain))
	var spent [2][]wire.OutPoint
	for i, tx := range []*wire.Tx{want, got} {
		for _, in := range tx.Inputs {
			if out := condition(in); out != (wire.OutPoint{}) {
				spent[i] = append(spent[i], out)
			}
		}
	}
	require.Equal(q, spent[0], spent[1])
	q.recorded = q.ours
}
