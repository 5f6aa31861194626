package token

import (
	"bytes"
	"errors"

	"obverse/core/chain/cc"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// Claim says whether an output carries tokens, and whether they are backed.
type Claim uint8

// The claims. Upstream recomputes them from one ancestor level at every query; they never
// change for a transaction in a block, so here they are computed once.
const (
	None    Claim = iota // carries no tokens
	Claimed              // its own transaction says so
	Backed               // and that transaction's inputs cover its outputs, or it created the token
)

// Coin is a spent output as the rules need it.
type Coin struct {
	Value   int64 // satoshis, and so tokens
	Script  []byte
	TokenID wire.Hash // valid if Claim is not None
	Claim   Claim
}

// Creation holds the fields of a token's creating transaction that the rules use.
type Creation struct {
	NFT   byte // first byte of its data, 0 when it is fungible
	IsNFT bool // it has data, even if that starts with 00
}

// Lookup finds a creation on the chain or in the mempool.
type Lookup func(id wire.Hash) (Creation, bool)

// Transfers holds the effects of a transaction on tokens.
type Transfers struct {
	Payload *Payload  // nil: the last output is no payload of the module
	TokenID wire.Hash // of the payload: its own id for a creation
	Claims  []Claim   // one for each output

	creation Creation
	known    bool  // the creation was found
	in, out  int64 // tokens of TokenID: backed inputs, claimed outputs
	byGlobal bool  // some token input is signed by the global key
	burned   int64
}

// Examine works out what tx does. spent has the output of each input, in order
// (nil for a coinbase); id is the transaction's own.
func Examine(tx *wire.Tx, id wire.Hash, spent []Coin, lookup Lookup) *Transfers {
	m := &Transfers{}
	if len(tx.Outputs) == 0 {
		return m
	}
	payload, err := DecodePayload(tx.Outputs[len(tx.Outputs)-1].Script)
	if err != nil {
		return m
	}
	m.Payload, m.Claims = payload, make([]Claim, len(tx.Outputs))
	if payload.Func == Create {
		m.TokenID, m.creation, m.known = id, payload.Creation(), true
		m.claimCreated(tx, spent)
		return m
	}
	m.TokenID = payload.TokenID
	m.creation, m.known = lookup(payload.TokenID)
	m.claimTransferred(tx, spent)
	return m
}

// Creation returns the token that a create payload describes.
func (p *Payload) Creation() Creation {
	data := p.Blob(NFTData)
	if len(data) == 0 {
		return Creation{}
	}
	return Creation{NFT: data[0], IsNFT: true}
}

// claimCreated gives every condition output but markers its tokens, if the owner's
// own coins cover them all. An imported token is covered by its import.
func (m *Transfers) claimCreated(tx *wire.Tx, spent []Coin) {
	var covered, wanted int64
	for i := range spent {
		_, conditional := fulfillment(tx.Inputs[i].ScriptSig)
		if !conditional && paidBy(spent[i].Script, m.Payload.Owner) {
			covered += spent[i].Value
		}
	}
	for _, out := range tx.Outputs {
		if script.IsPayToCondition(out.Script) && !IsMarker(out.Script) {
			wanted += out.Value
		}
	}
	if covered < wanted && !tx.IsCoinImport() {
		return
	}
	for i, out := range tx.Outputs[:len(tx.Outputs)-1] {
		if script.IsPayToCondition(out.Script) && !IsMarker(out.Script) {
			m.Claims[i] = Backed
			m.out += out.Value
		}
	}
}

// paidBy reports whether pkScript is a P2PK or P2PKH output of the owner. A key consists of as
// many of the owner's bytes as the first one requires.
func paidBy(pkScript, owner []byte) bool {
	size := serializedSize(owner)
	if size == 0 || size > len(owner) {
		return false
	}
	class := script.Classify(pkScript)
	switch class.Type {
	case script.TypePubKey, script.TypePubKeyHash:
		return !class.Locked && class.Addresses[0] == script.PubKeyAddress(owner[:size])
	}
	return false
}

// claimTransferred matches outputs against the scripts that the payload and the
// token inputs allow, then backs them if inputs equal outputs.
func (m *Transfers) claimTransferred(tx *wire.Tx, spent []Coin) {
	signers, covered := m.tokenInputs(tx, spent)
	candidates := m.candidates(signers)
	for i, out := range tx.Outputs[:len(tx.Outputs)-1] {
		if candidates[string(out.Script)] {
			m.Claims[i] = Claimed
			m.out += out.Value
		}
	}
	if covered == m.out {
		for i, claim := range m.Claims {
			if claim == Claimed {
				m.Claims[i] = Backed
			}
		}
	}
	m.byGlobal = signers[globalKey]
	if m.byGlobal {
		m.countBurned(tx)
	}
}

// tokenInputs finds the keys that sign inputs of the module and sums up the
// tokens that they spend: m.in counts backed ones, covered also claimed ones (the
// measure by which this transaction backs its own outputs).
func (m *Transfers) tokenInputs(tx *wire.Tx, spent []Coin) (signers map[Key]bool, covered int64) {
	signers = make(map[Key]bool)
	for i := range tx.Inputs {
		tree, ok := fulfillment(tx.Inputs[i].ScriptSig)
		if !ok || !namesTokens(tree) {
			continue
		}
		if key, ok := firstKey(tree); ok {
			signers[key] = true
		}
		if i >= len(spent) || spent[i].Claim == None || spent[i].TokenID != m.TokenID {
			continue
		}
		covered += spent[i].Value
		if spent[i].Claim == Backed {
			m.in += spent[i].Value
		}
	}
	return signers, covered
}

// fulfillment decodes the first push of an input of any kind: upstream recognizes condition
// inputs the same way.
func fulfillment(scriptSig []byte) (tree *cc.Node, ok bool) {
	it := script.Iterate(scriptSig)
	if !it.Next() || len(it.Data) < 2 {
		return nil, false
	}
	tree, err := cc.DecodeFulfillment(it.Data[:len(it.Data)-1])
	return tree, err == nil
}

// namesTokens reports whether the tree contains the module's eval code.
func namesTokens(tree *cc.Node) (named bool) {
	tree.Walk(func(n *cc.Node) {
		named = named || n.Kind == cc.Eval && len(n.Data) == 1 && n.Data[0] == Eval
	})
	return named
}

// firstKey returns the first key of a tree, the only one that upstream looks at
// (ExtractTokensCCVinPubkeys).
func firstKey(tree *cc.Node) (key Key, found bool) {
	tree.Walk(func(n *cc.Node) {
		if !found && n.Kind == cc.Secp256k1 && len(n.PublicKey) == KeySize {
			key, found = Key(n.PublicKey), true
		}
	})
	return key, found
}

// candidates returns the scripts in which a transfer may put its tokens
// (IsTokensvout): to the keys that the payload names, or back to the signers.
func (m *Transfers) candidates(signers map[Key]bool) map[string]bool {
	first, second := m.codes()
	scripts := make(map[string]bool, 4)
	add := func(codes []byte, keys ...Key) { scripts[string(Script(codes, keys...))] = true }
	bound := func(keys ...Key) {
		add(tokenCodes(first, second), keys...)
		if second != 0 { // the other way round f2 may be missing, or a first of 0
			add(tokenCodes(second, first), keys...)
		}
	}
	single := func(key Key) {
		if m.creation.NFT == 0 && first != Eval { // a non-fungible token may not become a fungible one
			add([]byte{Eval}, key)
		}
	}

	keys := withoutGlobal(m.Payload.Keys)
	for _, key := range keys {
		bound(key)
		single(key)
		if second != 0 && first != 0 {
			add(tokenCodes(first, 0), key)
			add(tokenCodes(second, 0), key)
		}
	}
	if len(keys) == 2 {
		bound(keys...)
	}
	for key := range signers {
		if key != globalKey {
			bound(key)
			single(key)
		}
	}
	return scripts
}

// codes returns the modules that bind the token: that of a non-fungible token's data
// (else tokens itself) and that of the payload's contract blob.
func (m *Transfers) codes() (first, second byte) {
	first, second = Eval, m.Payload.contractCode()
	if m.creation.IsNFT {
		first = m.creation.NFT
	}
	if first == Eval && second != 0 {
		first, second = second, 0
	}
	return first, second
}

func withoutGlobal(keys []Key) []Key {
	result := make([]Key, 0, len(keys))
	for _, key := range keys {
		if key != globalKey {
			result = append(result, key)
		}
	}
	return result
}

// countBurned sums up what goes to the burn key. It only matters for a fungible
// token, which a contract's code may bind but no second one (HasBurnedTokensvouts).
func (m *Transfers) countBurned(tx *wire.Tx) {
	first, _ := m.codes()
	single, bound := Script([]byte{Eval}, burnKey), Script(tokenCodes(first, 0), burnKey)
	for _, out := range tx.Outputs {
		if bytes.Equal(out.Script, single) || bytes.Equal(out.Script, bound) {
			m.burned += out.Value
		}
	}
}

// Reasons to refuse a transaction that spends tokens, with upstream's texts. A
// caller of the RPC never sees them there or here: the script just ends false.
var (
	ErrBadPayload    = errors.New("TokenValidate: invalid opreturn payload")
	ErrNoCreation    = errors.New("cant find token create txid")
	ErrUnbalanced    = errors.New("tokens cc inputs != cc outputs")
	ErrMarkerSpent   = errors.New("spending cc marker not supported for fungible tokens")
	ErrNoTokensSpent = errors.New("no token inputs for transfer")
)

// Validate judges a transaction with an input of eval code f2 (TokensValidate).
func (m *Transfers) Validate() error {
	switch {
	case m.Payload == nil:
		return ErrBadPayload
	case m.Payload.Func == Create:
		// A creation that spends tokens has no token id yet, so that upstream
		// does not find its creating transaction.
		return ErrNoCreation
	case !m.known:
		return ErrNoCreation
	case m.in != m.out:
		return ErrUnbalanced
	case m.byGlobal && m.burned > 0 && !m.creation.IsNFT:
		return ErrMarkerSpent
	case m.in == 0:
		return ErrNoTokensSpent
	}
	return nil
}

// Creates reports whether the transaction creates a token.
func (m *Transfers) Creates() bool { return m.Payload != nil && m.Payload.Func == Create }

// Supply returns the number of tokens that a creation made.
func (m *Transfers) Supply() int64 { return m.out }
