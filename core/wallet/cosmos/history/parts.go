package history

import (
	"slices"
	"strconv"
)

// part holds the events of one message of a transaction.
type part struct {
	action string // type of the message, "" if unknown
	events []event
}

// split separates the events of the fee, outside of the messages, from the events of each
// message.
//
// Since SDK 0.50 the events of a message have its number. Before, an event with the type of the
// message is the first event of each, and the fee's events come before all of them.
func split(events []event, failed bool, fee []quantity) (around []event, messages []part) {
	starts := slices.ContainsFunc(events, isAction)
	switch {
	case slices.ContainsFunc(events, isNumbered):
		around, messages = splitByNumber(events)
	case starts:
		around, messages = splitByAction(events)
	default:
		n := feeEnd(events, failed, fee)
		around, messages = events[:n], []part{{events: events[n:]}}
	}
	if failed {
		return around, nil // the effects of the messages were reverted
	}
	return around, messages
}

func isNumbered(e event) bool {
	_, numbered := e.find("msg_index")
	return numbered
}

// isAction reports whether an event has message.action, the type of a message.
func isAction(e event) bool {
	_, has := e.find("action")
	return e.kind == "message" && has
}

func splitByNumber(events []event) (around []event, messages []part) {
	order := make(map[uint64]int)
	for _, e := range events {
		n, err := strconv.ParseUint(e.value("msg_index"), 10, 32)
		if err != nil {
			around = append(around, e)
			continue
		}
		at, there := order[n]
		if !there {
			at = len(messages)
			order[n] = at
			messages = append(messages, part{})
		}
		if isAction(e) && messages[at].action == "" {
			messages[at].action = e.value("action")
		}
		messages[at].events = append(messages[at].events, e)
	}
	return around, messages
}

func splitByAction(events []event) (around []event, messages []part) {
	for _, e := range events {
		switch n := len(messages); {
		case isAction(e):
			messages = append(messages, part{e.value("action"), []event{e}})
		case n == 0:
			around = append(around, e)
		default:
			messages[n-1].events = append(messages[n-1].events, e)
		}
	}
	return around, messages
}

// feeEnd returns the index after the fee's events if no event marks the beginning of messages.
// It is after the last event of type tx, which is from checking the transaction, or after the
// first spending if that is of the amount of the fee.
func feeEnd(events []event, failed bool, fee []quantity) int {
	if failed {
		return len(events)
	}
	for n, e := range slices.Backward(events) {
		if e.kind == "tx" {
			return n + 1
		}
	}
	n := slices.IndexFunc(events, func(e event) bool { return e.kind == "coin_spent" })
	if n < 0 || !isFee(events[n], fee) {
		return 0
	}
	for n++; n < len(events) && (events[n].kind == "coin_received" || events[n].kind == "transfer") && isFee(events[n], fee); n++ {
	}
	return n
}

func isFee(e event, fee []quantity) bool {
	return len(fee) > 0 && slices.EqualFunc(e.coins(), fee, func(x, y quantity) bool {
		return x.denom == y.denom && x.units.Cmp(y.units) == 0
	})
}
