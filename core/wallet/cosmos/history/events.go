package history

import (
	"encoding/base64"
	"math/big"
	"slices"
	"strings"

	"obverse/core/wallet/cosmos/node"
)

// event is an Event with decoded attributes, without irrelevant ones.
type event struct {
	kind   string
	values []value
}

// value is an attribute. If it is an amount, it has been parsed.
type value struct {
	node.Attribute
	coins []quantity
}

const (
	nameAmount = "amount"
	// maxCoins limits the amounts that are parsed from a transaction's events. A transaction
	// that pays thousands of people has tens of thousands.
	maxCoins = 1 << 17
)

// known holds the names of the relevant attributes.
var known = map[string]bool{
	"spender": true, "receiver": true, "recipient": true, "sender": true, "amount": true, "action": true, "msg_index": true,
	"delegator": true, "validator": true, "refund_receiver": true,
}

// readable decodes attributes that are in base64.
func readable(events []node.Event) []event {
	list := make([]event, len(events))
	left := maxCoins
	for i, e := range events {
		list[i].kind = e.Type
		for _, a := range e.Attributes {
			a, is := plain(a)
			if !is {
				continue
			}
			v := value{Attribute: a}
			if a.Key == nameAmount {
				v.coins = parseCoins(a.Value, left)
				left -= len(v.coins)
			}
			list[i].values = append(list[i].values, v)
		}
	}
	return list
}

func plain(a node.Attribute) (node.Attribute, bool) {
	if known[a.Key] {
		return a, true
	}
	key, err := base64.StdEncoding.DecodeString(a.Key)
	if err != nil || !known[string(key)] {
		return node.Attribute{}, false
	}
	value, err := base64.StdEncoding.DecodeString(a.Value)
	return node.Attribute{Key: string(key), Value: string(value)}, err == nil
}

// find returns the first value of a key.
func (e event) find(key string) (string, bool) {
	for _, a := range e.values {
		if a.Key == key {
			return a.Value, true
		}
	}
	return "", false
}

// value is like find, and returns "" for a missing key.
func (e event) value(key string) string {
	v, _ := e.find(key)
	return v
}

// coins returns the coins of the first amount.
func (e event) coins() []quantity {
	for _, v := range e.values {
		if v.Key == nameAmount {
			return v.coins
		}
	}
	return nil
}

// single splits an event into several, since some chains merge events of a type into one. A new
// event begins where a key is repeated.
func (e event) single() (list []event) {
	from := 0
	for i, a := range e.values {
		if slices.ContainsFunc(e.values[from:i], func(b value) bool { return b.Key == a.Key }) {
			list = append(list, event{e.kind, e.values[from:i]})
			from = i
		}
	}
	return append(list, event{e.kind, e.values[from:]})
}

// quantity is an amount of a denom, in its smallest unit.
type quantity struct {
	denom string
	units *big.Int
}

const (
	maxDenom  = 128 // Cosmos SDK types/coin.go
	maxDigits = 78  // of 256 bits
)

// parseCoins parses a list like "7ibc/27394FB0…,6uatom", up to a limit. It skips invalid items.
func parseCoins(text string, limit int) (list []quantity) {
	for part := range strings.SplitSeq(text, ",") {
		if len(list) >= limit {
			break
		}
		digits := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if digits < 1 || digits > maxDigits || !isDenom(part[digits:]) {
			continue
		}
		amount, _ := new(big.Int).SetString(part[:digits], 10)
		list = append(list, quantity{part[digits:], amount})
	}
	return list
}

// isDenom implements the rule of the Cosmos SDK: a letter, then letters, digits and / : . _ -
func isDenom(text string) bool {
	if len(text) < 2 || len(text) > maxDenom {
		return false
	}
	for i, c := range []byte(text) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9') && !strings.ContainsRune("/:._-", rune(c))) {
			return false
		}
	}
	return true
}

// sum holds the amounts of a denom that an address spent and received.
type sum struct {
	denom           string
	spent, received *big.Int
}

// sums returns the sums of the bank's events for an address, in the order in which denoms
// appear. The number of denoms is limited to the maximum number of entries.
func sums(events []event, address string) (list []sum) {
	places := make(map[string]int)
	for _, e := range events {
		role := map[string]string{"coin_spent": "spender", "coin_received": "receiver"}[e.kind]
		if role == "" {
			continue
		}
		for _, one := range e.single() {
			if one.value(role) != address {
				continue
			}
			for _, c := range one.coins() {
				n, known := places[c.denom]
				if !known {
					if len(list) >= maxEntries {
						continue
					}
					n = len(list)
					places[c.denom] = n
					list = append(list, sum{c.denom, new(big.Int), new(big.Int)})
				}
				total := list[n].spent
				if role == "receiver" {
					total = list[n].received
				}
				total.Add(total, c.units)
			}
		}
	}
	return list
}
