package tx

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"obverse/core/wallet/cosmos/wire"
)

// Draft is a transaction of one account before it is signed.
type Draft struct {
	ChainID           string
	Account, Sequence uint64 // number of the account, and of its next transaction
	Messages          []wire.Named
	Memo              string
	Fee               wire.Fee
	TimeoutHeight     uint64 // the last block that may take it; 0: any
}

func (d Draft) body() *wire.TxBody {
	body := &wire.TxBody{Memo: d.Memo, TimeoutHeight: d.TimeoutHeight}
	for _, m := range d.Messages {
		body.Messages = append(body.Messages, wire.Pack(m))
	}
	return body
}

func (d Draft) authInfo(public [33]byte, mode wire.SignMode) *wire.AuthInfo {
	signer := wire.SignerInfo{PubKey: wire.Pack(&wire.PubKey{Key: public[:]}), Mode: wire.ModeInfo{Single: mode}, Sequence: d.Sequence}
	return &wire.AuthInfo{Signers: []wire.SignerInfo{signer}, Fee: d.Fee}
}

// SignDoc is what the owner of a key signs with wire.SignDirect.
func (d Draft) SignDoc(public [33]byte) wire.SignDoc {
	return wire.SignDoc{Body: wire.Encode(d.body()), AuthInfo: wire.Encode(d.authInfo(public, wire.SignDirect)), ChainID: d.ChainID, Account: d.Account}
}

// AminoDoc is what is signed with wire.SignAmino. Its error is ErrDoc, for messages that
// have no such form.
func (d Draft) AminoDoc() (AminoDoc, error) {
	doc := AminoDoc{ChainID: d.ChainID, Account: d.Account, Sequence: d.Sequence, Memo: d.Memo, TimeoutHeight: d.TimeoutHeight,
		Fee: AminoFee{Amount: d.Fee.Amount, Gas: d.Fee.GasLimit, Payer: d.Fee.Payer, Granter: d.Fee.Granter}}
	for _, m := range d.Messages {
		message, err := aminoMessage(m)
		if err != nil {
			return AminoDoc{}, err
		}
		doc.Messages = append(doc.Messages, message)
	}
	return doc, nil
}

// Unsigned is the transaction with an empty signature, for simulations.
func (d Draft) Unsigned(public [33]byte) []byte {
	doc := d.SignDoc(public)
	return wire.Encode(&wire.Tx{Body: doc.Body, AuthInfo: doc.AuthInfo, Signatures: [][]byte{{}}})
}

// Signed is a transaction that a chain takes.
type Signed struct {
	Raw  []byte
	Hash string
	Fee  wire.Fee // which a wallet may have changed, as the memo
	Memo string
}

// Hash is the id of a transaction, as explorers write it.
func Hash(raw []byte) string {
	sum := sha256.Sum256(raw)
	return strings.ToUpper(hex.EncodeToString(sum[:]))
}
