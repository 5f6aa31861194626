package daemontest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numberAt returns the index of the method's amount parameter, or 0 for other methods.
func (q *question) numberAt() int {
	at := map[string]int{"tokencreate": 1, "tokentransfer": 2}[q.method]
	if at >= len(q.args) {
		return 0
	}
	return at
}

func isNumber(arg json.RawMessage) bool {
	return json.Unmarshal(arg, new(float64)) == nil && string(arg) != "null"
}

func (q *question) number() string {
	text, _ := q.text(q.numberAt())
	return text
}

// exact returns the value of a decimal text in satoshis or tokens.
func (q *question) exact() (n *big.Rat, whole bool) {
	n, ok := new(big.Rat), plainDecimal.MatchString(q.number())
	if ok {
		n.SetString(q.number())
		if q.is("tokencreate") {
			n.Mul(n, big.NewRat(1e8, 1))
		}
	}
	return n, ok && n.IsInt()
}

func (q *question) badNumber() bool {
	at := q.numberAt()
	if _, ok := q.text(at); at == 0 || !ok || !q.wellTyped() || q.badTokenID() || q.badPubKey() {
		return false
	}
	n, whole := q.exact()
	return !whole || !n.Num().IsInt64()
}

func isDecimal(text string) bool {
	return plainDecimal.MatchString(text) && !strings.ContainsAny(text, ".eE")
}

func (q *question) numberRefused() {
	want := "supply must be a decimal number of coins with at most 8 decimals"
	if q.is("tokentransfer") {
		want = "amount must be a whole number of tokens"
	}
	q.refused(fmt.Sprintf("%s, got %q", want, q.number()))
}

// rounded reports whether komodod rounds a valid number.
func (q *question) rounded() bool {
	at := q.numberAt()
	if _, ok := q.text(at); at == 0 || !ok || q.badNumber() || q.badPubKey() || q.badTokenID() {
		return false
	}
	n, _ := q.exact()
	if q.is("tokentransfer") {
		digits := regexp.MustCompile(`^[+-]?\d*`).FindString(q.number())
		return digits != n.RatString() && digits != "+"+n.RatString()
	}
	f, _ := strconv.ParseFloat(q.number(), 64)
	return n.Cmp(big.NewRat(int64(f*1e8+0.00000000499999), 1)) != 0
}

func (q *question) exactNumber() string {
	n, _ := q.exact()
	if q.is("tokencreate") {
		return n.Quo(n, big.NewRat(1e8, 1)).FloatString(8)
	}
	return n.RatString()
}

// askAgain repeats the request with another text for its number, and expects the same answer.
func (q *question) askAgain(text string) {
	args := slices.Clone(q.args)
	args[q.numberAt()] = json.RawMessage(jsonText(text))
	body := jsonText(map[string]any{"id": "curltest", "method": q.method, "params": args})
	q.recorded = q.chain.serve(q.T, []byte(body))
}
