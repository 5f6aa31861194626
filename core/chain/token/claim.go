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

// Claims of outputs. komodod computes them for every query, from one level of ancestors. The
// claim of a transaction in a block never changes, so here it is computed once.
const (
	None    Claim = iota // the output carries no tokens
	Claimed              // the transaction assigns tokens to the output
	Backed               // in addition, the transaction's inputs cover its outputs, or the transaction created the token
)

// Coin is a spent output with the fields that the rules use.
type Coin struct {
	Value   int64 // in satoshis or tokens
	Script  []byte
	TokenID wire.Hash // valid if Claim is not None
	Claim   Claim
}

// Creation holds the fields of the transaction that created a token that the rules use.
type Creation struct {
	NFT   byte // first byte of the data; 0 if the token is fungible
	IsNFT bool // whether the token has data, even if the data starts with 00
}

// Lookup returns a creation in the chain or in the mempool.
type Lookup func(id wire.Hash) (Creation, bool)

// Transfers describes the effects of a transaction on tokens.
type Transfers struct {
	Payload *Payload  // nil if the last output is not a payload of the module
	TokenID wire.Hash // token id of the payload; for a creation, the id of the transaction
	Claims  []Claim   // one for each output
	Signers []Key     // of a transfer's inputs of the module, without duplicates

	creation Creation
	known    bool  // whether the creation was found
	in, out  int64 // sums of TokenID's tokens in backed inputs and in claimed outputs
	byGlobal bool  // whether the global key signs a token input
	burned   int64
}

// Examine computes the effects of tx on tokens. The argument spent has the outputs that the
// inputs spend, in order (nil for a coinbase), and id is the transaction's id.
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

// Creation returns the fields of the token that a create payload describes.
func (p *Payload) Creation() Creation {
	data := p.Blob(NFTData)
	if len(data) == 0 {
		return Creation{}
	}
	return Creation{NFT: data[0], IsNFT: true}
}

// claimCreated assigns tokens to every condition output except markers, if the owner's own
// coins cover them all. The tokens of an import are covered by the import.
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

// paidBy reports whether pkScript is a P2PK or P2PKH output of the owner. The length of the
// owner's key is determined by its first byte.
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

// claimTransferred assigns tokens to the outputs whose scripts the payload and the token inputs
// allow. If the inputs equal the outputs, the claims are backed.
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

// tokenInputs returns the keys that sign inputs of the module, and adds up the tokens that
// these inputs spend: m.in includes only backed ones, while covered, which determines whether
// this transaction backs its outputs, also includes claimed ones.
func (m *Transfers) tokenInputs(tx *wire.Tx, spent []Coin) (signers map[Key]bool, covered int64) {
	signers = make(map[Key]bool)
	for i := range tx.Inputs {
		tree, ok := fulfillment(tx.Inputs[i].ScriptSig)
		if !ok || !namesTokens(tree) {
			continue
		}
		if key, ok := firstKey(tree); ok && !signers[key] {
			signers[key] = true
			m.Signers = append(m.Signers, key)
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

// fulfillment decodes the first push of an input's scriptSig. komodod recognises condition
// inputs in the same way.
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

// firstKey returns the first key of a tree, the only key that komodod uses
// (ExtractTokensCCVinPubkeys).
func firstKey(tree *cc.Node) (key Key, found bool) {
	tree.Walk(func(n *cc.Node) {
		if !found && n.Kind == cc.Secp256k1 && len(n.PublicKey) == KeySize {
			key, found = Key(n.PublicKey), true
		}
	})
	return key, found
}

// candidates returns the output scripts that may carry the tokens of a transfer (IsTokensvout):
// those that pay to the keys in the payload, or back to the signers.
func (m *Transfers) candidates(signers map[Key]bool) map[string]bool {
	first, second := m.codes()
	scripts := make(map[string]bool, 4)
	add := func(codes []byte, keys ...Key) { scripts[string(Script(codes, keys...))] = true }
	bound := func(keys ...Key) {
		add(tokenCodes(first, second), keys...)
		if second != 0 { // in the opposite order, f2 or a first code of 0 may be missing
			add(tokenCodes(second, first), keys...)
		}
	}
	single := func(key Key) {
		if m.creation.NFT == 0 && first != Eval { // a non-fungible token must not become fungible
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

// codes returns the eval codes of the modules that a token is bound to: the module of a
// non-fungible token's data (tokens itself for other tokens), and the module of the payload's
// contract blob.
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

// countBurned adds up the tokens sent to the burn key. The sum only matters for a fungible
// token. Its outputs may be bound to the module of a contract, but not to a second one
// (HasBurnedTokensvouts).
func (m *Transfers) countBurned(tx *wire.Tx) {
	first, _ := m.codes()
	single, bound := Script([]byte{Eval}, burnKey), Script(tokenCodes(first, 0), burnKey)
	for _, out := range tx.Outputs {
		if bytes.Equal(out.Script, single) || bytes.Equal(out.Script, bound) {
			m.burned += out.Value
		}
	}
}

// Reasons why a transaction that spends tokens is invalid, with komodod's texts. Neither
// komodod nor this program returns the texts to RPC clients: the script just evaluates to
// false.
var (
	ErrBadPayload    = errors.New("TokenValidate: invalid opreturn payload")
	ErrNoCreation    = errors.New("cant find token create txid")
	ErrUnbalanced    = errors.New("tokens cc inputs != cc outputs")
	ErrMarkerSpent   = errors.New("spending cc marker not supported for fungible tokens")
	ErrNoTokensSpent = errors.New("no token inputs for transfer")
)

// Validate validates a transaction with an input of eval code f2 (TokensValidate).
func (m *Transfers) Validate() error {
	switch {
	case m.Payload == nil:
		return ErrBadPayload
	case m.Payload.Func == Create:
		// A creation that spends tokens has no token id yet, so komodod does not find its
		// creating transaction.
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

// NFT returns the code that guards the token in addition to the module's own, or 0.
func (m *Transfers) NFT() byte { return m.creation.NFT }

// Holds reports whether output i holds tokens of id, with backing.
func (m *Transfers) Holds(id wire.Hash, i int) bool {
	return m.TokenID == id && i < len(m.Claims) && m.Claims[i] == Backed
}

// Supply returns the number of tokens that a creation created.
func (m *Transfers) Supply() int64 { return m.out }
