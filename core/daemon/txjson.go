package daemon

import (
	"encoding/hex"
	"fmt"

	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/number"
)

// txJSON is a transaction in the form that all methods share. Members that only some methods
// have are marked.
type txJSON struct {
	TxID           wire.Hash     `json:"txid"`
	Overwintered   bool          `json:"overwintered"`
	Version        uint32        `json:"version"`
	Notarized      *int          `json:"last_notarized_height,omitempty"` // only in getrawtransaction
	VersionGroupID string        `json:"versiongroupid,omitempty" doc:"in overwintered transactions only"`
	LockTime       uint32        `json:"locktime"`
	ExpiryHeight   *uint32       `json:"expiryheight,omitempty" doc:"height of the last block that may include the transaction, 0 for no limit; in overwintered transactions only"`
	Inputs         []inputJSON   `json:"vin"`
	Outputs        []outputJSON  `json:"vout"`
	JoinSplits     []splitJSON   `json:"vjoinsplit"`
	ValueBalance   *number.Coins `json:"valueBalance,omitempty" doc:"in Sapling transactions only, as the lists of shielded spends and outputs"`
	Spends         []spendJSON   `json:"vShieldedSpend,omitzero"`
	Shielded       []shieldJSON  `json:"vShieldedOutput,omitzero"`
	BindingSig     hexBytes      `json:"bindingSig,omitempty"`
}

// inputJSON is an input: the data of a coinbase, or the spent output. Only getrawtransaction
// has address and value.
type inputJSON struct {
	Coinbase  hexBytes        `json:"coinbase,omitzero"`
	TxID      *wire.Hash      `json:"txid,omitempty"`
	Index     *uint32         `json:"vout,omitempty"`
	Address   *script.Address `json:"address,omitempty"`
	ScriptSig *inputScript    `json:"scriptSig,omitempty"`
	Value     *number.Coins   `json:"value,omitempty"`
	ValueSat  *int64          `json:"valueSat,omitempty"`
	Sequence  uint32          `json:"sequence"`
}

type inputScript struct {
	Asm string   `json:"asm"`
	Hex hexBytes `json:"hex"`
}

// outputJSON is an output. The amount in satoshis is named valueZat in decoderawtransaction and
// valueSat in getrawtransaction, which also has the spending input.
type outputJSON struct {
	Value       number.Coins `json:"value"`
	ValueZat    *int64       `json:"valueZat,omitempty"`
	ValueSat    *int64       `json:"valueSat,omitempty"`
	N           int          `json:"n"`
	Script      outputScript `json:"scriptPubKey"`
	SpentTxID   *wire.Hash   `json:"spentTxId,omitempty"`
	SpentIndex  *int         `json:"spentIndex,omitempty"`
	SpentHeight *int         `json:"spentHeight,omitempty" doc:"height of the block that spends the output; -1 while the spending transaction is in the mempool"`
}

// showTx describes a transaction based on its bytes alone, for decoderawtransaction and
// getblock (komodod rpc/rawtransaction.cpp TxToJSON).
func showTx(tx *wire.Tx, id wire.Hash, p *params.Params) txJSON {
	result := txJSON{
		TxID: id, Overwintered: tx.Overwintered, Version: tx.Version, LockTime: tx.LockTime,
		Inputs:     make([]inputJSON, len(tx.Inputs)),
		Outputs:    make([]outputJSON, len(tx.Outputs)),
		JoinSplits: showSplits(tx.JoinSplits),
	}
	if tx.Overwintered {
		result.VersionGroupID, result.ExpiryHeight = fmt.Sprintf("%08x", tx.VersionGroupID), &tx.ExpiryHeight
	}
	for i := range tx.Inputs {
		result.Inputs[i] = showInput(&tx.Inputs[i], tx.IsCoinbase())
	}
	for i := range tx.Outputs {
		out := &tx.Outputs[i]
		result.Outputs[i] = outputJSON{
			Value: number.Coins(out.Value), ValueZat: &out.Value, N: i, Script: showScript(out.Script, p),
		}
	}
	if tx.IsSapling() {
		result.showSapling(&tx.Shielded)
	}
	return result
}

func showInput(in *wire.TxIn, coinbase bool) inputJSON {
	if coinbase {
		return inputJSON{Coinbase: in.ScriptSig, Sequence: in.Sequence}
	}
	return inputJSON{
		TxID: &in.PrevOut.Hash, Index: &in.PrevOut.Index, Sequence: in.Sequence,
		ScriptSig: &inputScript{Asm: script.Disasm(in.ScriptSig, true), Hex: in.ScriptSig},
	}
}

// hexBytes is a byte slice that is a hexadecimal string in JSON.
type hexBytes []byte

// MarshalText returns two lower-case digits per byte.
func (b hexBytes) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, b), nil }

// outputScript is an output script in transactions, gettxout and decodescript (komodod
// core_write.cpp ScriptPubKeyToUniv). A script without addresses has only a type.
type outputScript struct {
	Asm       string           `json:"asm"`
	Hex       hexBytes         `json:"hex,omitzero"` // not in decodescript
	ReqSigs   int              `json:"reqSigs,omitempty" doc:"number of signatures required to spend the output"`
	Type      string           `json:"type" doc:"nonstandard, pubkey, pubkeyhash, scripthash, multisig, nulldata or cryptocondition"`
	Addresses []script.Address `json:"addresses,omitempty"`
}

// showScript describes an output script. Whether crypto-conditions are recognised depends on
// the parameters of the chain.
func showScript(pkScript []byte, p *params.Params) outputScript {
	class := script.Classify(pkScript, consensus.Flags(0, p))
	result := outputScript{Asm: script.Disasm(pkScript, false), Hex: pkScript, Type: class.Type.String()}
	if result.Hex == nil {
		result.Hex = hexBytes{}
	}
	if len(class.Addresses) > 0 {
		result.ReqSigs, result.Addresses = class.ReqSigs, class.Addresses
	}
	return result
}

// destination returns the address of a script, if it has exactly one (komodod
// script/standard.cpp ExtractDestination).
func destination(pkScript []byte, p *params.Params) *script.Address {
	class := script.Classify(pkScript, consensus.Flags(0, p))
	if class.Type == script.TypeMultiSig || len(class.Addresses) == 0 {
		return nil
	}
	return &class.Addresses[0]
}

// spendJSON is a Sapling input (komodod rpc/rawtransaction.cpp TxShieldedSpendsToJSON).
type spendJSON struct {
	CV           wire.Hash `json:"cv"`
	Anchor       wire.Hash `json:"anchor"`
	Nullifier    wire.Hash `json:"nullifier"`
	RK           wire.Hash `json:"rk"`
	Proof        hexBytes  `json:"proof"`
	SpendAuthSig hexBytes  `json:"spendAuthSig"`
}

// shieldJSON is a Sapling output (TxShieldedOutputsToJSON).
type shieldJSON struct {
	CV            wire.Hash `json:"cv"`
	CMU           wire.Hash `json:"cmu"`
	EphemeralKey  wire.Hash `json:"ephemeralKey"`
	EncCiphertext hexBytes  `json:"encCiphertext"`
	OutCiphertext hexBytes  `json:"outCiphertext"`
	Proof         hexBytes  `json:"proof"`
}

// splitJSON is a Sprout transfer (TxJoinSplitToJSON).
type splitJSON struct {
	VPubOld       number.Coins `json:"vpub_old"`
	VPubOldZat    int64        `json:"vpub_oldZat"`
	VPubNew       number.Coins `json:"vpub_new"`
	VPubNewZat    int64        `json:"vpub_newZat"`
	Anchor        wire.Hash    `json:"anchor"`
	Nullifiers    [2]wire.Hash `json:"nullifiers"`
	Commitments   [2]wire.Hash `json:"commitments"`
	OneTimePubKey wire.Hash    `json:"onetimePubKey"`
	RandomSeed    wire.Hash    `json:"randomSeed"`
	MACs          [2]wire.Hash `json:"macs"`
	Proof         hexBytes     `json:"proof"`
	Ciphertexts   [2]hexBytes  `json:"ciphertexts"`
}

// showSapling adds the members that only a v4 transaction has.
func (t *txJSON) showSapling(s *wire.Shielded) {
	t.ValueBalance = new(number.Coins(s.ValueBalance))
	t.Spends = make([]spendJSON, len(s.Spends))
	for i := range s.Spends {
		d := &s.Spends[i]
		t.Spends[i] = spendJSON{d.CV, d.Anchor, d.Nullifier, d.RK, d.Proof[:], d.SpendAuthSig[:]}
	}
	t.Shielded = make([]shieldJSON, len(s.ShieldedOutputs))
	for i := range s.ShieldedOutputs {
		d := &s.ShieldedOutputs[i]
		t.Shielded[i] = shieldJSON{d.CV, d.CMU, d.EphemeralKey, d.EncCiphertext[:], d.OutCiphertext[:], d.Proof[:]}
	}
	if len(s.Spends)+len(s.ShieldedOutputs) > 0 {
		t.BindingSig = s.BindingSig[:]
	}
}

func showSplits(splits []wire.JoinSplit) []splitJSON {
	result := make([]splitJSON, len(splits))
	for i := range splits {
		j := &splits[i]
		result[i] = splitJSON{
			VPubOld: number.Coins(j.VPubOld), VPubOldZat: j.VPubOld,
			VPubNew: number.Coins(j.VPubNew), VPubNewZat: j.VPubNew,
			Anchor: j.Anchor, Nullifiers: j.Nullifiers, Commitments: j.Commitments,
			OneTimePubKey: j.EphemeralKey, RandomSeed: j.RandomSeed, MACs: j.MACs, Proof: j.Proof,
			Ciphertexts: [2]hexBytes{j.Ciphertexts[0][:], j.Ciphertexts[1][:]},
		}
	}
	return result
}
