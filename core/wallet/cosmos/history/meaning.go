package history

import (
	"slices"

	"obverse/core/wallet/coin"
)

// meaning describes why an address spent or received coins in a part of a transaction.
type meaning struct {
	kind     coin.TransactionKind
	message  string // text of a KindCustomMessage
	from, to []string
}

// Names of messages for which Komodo DeFi Framework has separate kinds.
const (
	messageCreateHTLC = "SendHtlcAmount"
	messageClaimHTLC  = "ClaimHtlcAmount" // a message of another account
	messageSignClaim  = "SignClaimHtlc"   // a message of the address itself
)

// meaning returns the meaning of a part for one denom.
func (p part) meaning(address string, s sum) meaning {
	out := s.spent.Sign() > 0
	if m, is := p.staking(address, s.denom, out); is {
		return m
	}
	if m, is := p.htlc(address); is {
		return m
	}
	from, to := p.transfers(address, s, out)
	if parties, is := p.ibc(address, out); is {
		if out {
			return meaning{kind: coin.KindIBCTransfer, from: []string{address}, to: parties}
		}
		if parties == nil {
			parties = from // the coins were returned from where they were locked
		}
		return meaning{kind: coin.KindIBCTransfer, from: parties, to: []string{address}}
	}
	return meaning{kind: coin.KindTransfer, from: from, to: to}
}

// feeMeaning returns the meaning of a part in which the address neither spent nor received
// coins. It reports whether there is one besides paying a fee.
func (p part) feeMeaning(address string) (meaning, bool) {
	if m, is := p.staking(address, "", false); is {
		return meaning{kind: m.kind, from: []string{address}}, true
	}
	m, is := p.htlc(address)
	return m, is && m.message == messageSignClaim
}

// staking parses the events delegate, unbond and withdraw_rewards. A message may cause several
// of them, since staking more also pays the rewards so far.
func (p part) staking(address, denom string, out bool) (meaning, bool) {
	if validators := p.stakes("delegate", address); out && len(validators) > 0 {
		return meaning{kind: coin.KindDelegation, from: []string{address}, to: validators}, true
	}
	if out {
		return meaning{}, false
	}
	for _, e := range p.events {
		staked := e.coins() // without its denom before SDK 0.43
		if e.kind == "unbond" && p.isBy(e, address) && (denom == "" || len(staked) == 0 || staked[0].denom == denom) {
			return meaning{kind: coin.KindRemoveDelegation, from: []string{address}}, true
		}
	}
	validators := p.stakes("withdraw_rewards", address)
	if len(validators) == 0 {
		validators = p.stakes("delegate", address)
	}
	if len(validators) > 0 {
		return meaning{kind: coin.KindClaimRewards, from: validators, to: []string{address}}, true
	}
	return meaning{}, false
}

// stakes returns the validators in the address's own events of a type.
func (p part) stakes(kind, address string) (validators []string) {
	for _, e := range p.events {
		if validator, has := e.find("validator"); e.kind == kind && has && p.isBy(e, address) {
			validators = add(validators, validator)
		}
	}
	return validators
}

// isBy reports whether a staking event is of the address. Before SDK 0.46 only the event
// "message" names the account.
func (p part) isBy(e event, address string) bool {
	if delegator, found := e.find("delegator"); found {
		return delegator == address
	}
	return slices.ContainsFunc(p.events, func(m event) bool { return m.kind == "message" && m.value("sender") == address })
}

// htlc parses the events of hashed time-locked contracts. As in Komodo DeFi Framework, entries
// do not name the other side of a contract's payment.
func (p part) htlc(address string) (meaning, bool) {
	for _, e := range p.events {
		sent := e.value("sender") == address
		m := meaning{kind: coin.KindCustomMessage, from: []string{address}}
		switch {
		case e.kind == "create_htlc" && sent:
			m.message = messageCreateHTLC
		case e.kind == "claim_htlc" && sent:
			m.message = messageSignClaim
		case e.kind == "claim_htlc":
			m.message = messageClaimHTLC
		default:
			continue
		}
		return m, true
	}
	return meaning{}, false
}

// ibc returns the other side of a transfer between chains: the receiver of coins that the
// address spent, or the sender of coins that it received. A refund has no other side.
func (p part) ibc(address string, out bool) (parties []string, is bool) {
	for _, e := range p.events {
		sender, receiver := e.value("sender"), e.value("receiver")
		switch {
		case out && e.kind == "ibc_transfer" && sender == address:
			parties, is = add(parties, receiver), true
		case !out && (e.kind == "fungible_token_packet" || e.kind == "non_fungible_token_packet") && receiver == address:
			parties, is = add(parties, sender), true
		case !out && (e.kind == "timeout" && e.value("refund_receiver") == address || e.kind == "fungible_token_packet" && sender == address):
			is = true
		}
	}
	return parties, is
}

// transfers returns the senders and receivers of transfers that involve the address. If the
// transfers of a message to many receivers do not name the sender, it is the account that
// spent.
func (p part) transfers(address string, s sum, out bool) (from, to []string) {
	spenders := p.spenders(s.denom)
	if out {
		from = []string{address}
	}
	for _, e := range p.events {
		if e.kind != "transfer" {
			continue
		}
		for _, one := range e.single() {
			recipient, senders := one.value("recipient"), spenders
			if sender, found := one.find("sender"); found {
				senders = []string{sender}
			}
			if !moves(one, s.denom) {
				continue
			}
			if out && slices.Contains(senders, address) {
				to = add(to, recipient)
			}
			if recipient == address {
				to = add(to, recipient)
				for _, sender := range senders {
					from = add(from, sender)
				}
			}
		}
	}
	if !out {
		to = []string{address}
	}
	return from, to
}

// spenders returns the addresses that spent a denom.
func (p part) spenders(denom string) (list []string) {
	for _, e := range p.events {
		for _, one := range e.single() {
			if e.kind == "coin_spent" && moves(one, denom) {
				list = add(list, one.value("spender"))
			}
		}
	}
	return list
}

// moves reports whether an event contains an amount of the denom.
func moves(e event, denom string) bool {
	return slices.ContainsFunc(e.coins(), func(c quantity) bool { return c.denom == denom })
}

const (
	maxParties = 256 // maximum number of addresses on one side of an entry
	maxAddress = 128 // in bytes; the addresses of other chains may be anything
)

// add appends an address unless the list contains it.
func add(list []string, address string) []string {
	if address == "" || len(address) > maxAddress || len(list) >= maxParties || slices.Contains(list, address) {
		return list
	}
	return append(list, address)
}
