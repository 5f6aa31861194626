package tx

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/wire"
)

// Reasons why a text is not signed or a proof is malformed.
var (
	// ErrEmpty means that the text is empty. Wallets do not verify signatures of empty texts.
	ErrEmpty = errors.New("the message is empty")
	// ErrSignature means that a signature is not base64 of 64 bytes, r and s.
	ErrSignature = errors.New("not base64 of a signature of 64 bytes")
)

// MessageDoc returns the document that a wallet signs for a text (ADR-036). It is not a valid
// transaction on any chain.
func MessageDoc(signer, message string) (AminoDoc, error) {
	if message == "" {
		return AminoDoc{}, &coin.InvalidError{Field: coin.FieldMessage, Reason: ErrEmpty}
	}
	value, err := json.Marshal(struct {
		Data   []byte `json:"data"` // encoded as base64
		Signer string `json:"signer"`
	}{[]byte(message), signer})
	if err != nil {
		return AminoDoc{}, err
	}
	return AminoDoc{Messages: []AminoMessage{{Type: "sign/MsgSignData", Value: value}}}, nil
}

// SignMessage signs a text with an account. Errors are *coin.InvalidError, key.ErrUnsupported and
// coin.ErrSigning.
func SignMessage(ctx context.Context, account key.Account, signer, message string) (coin.SignedMessage, error) {
	doc, err := MessageDoc(signer, message)
	if err != nil {
		return coin.SignedMessage{}, err
	}
	if _, err := ModeOf(account); err != nil {
		return coin.SignedMessage{}, err
	}
	public, err := publicKey(account)
	if err != nil {
		return coin.SignedMessage{}, err
	}
	done, err := signAminoDoc(ctx, account, signer, public, doc)
	if err != nil {
		return coin.SignedMessage{}, err
	}
	if same, err := sameAmino(doc, done.Doc); err != nil || !same {
		return coin.SignedMessage{}, otherDocument("another text")
	}
	return coin.SignedMessage{Signature: base64.StdEncoding.EncodeToString(done.Signature[:]), PublicKey: public[:]}, nil
}

// VerifyMessage reports whether the owner of an address with the prefix signed a text. Its errors
// are *coin.InvalidError.
func VerifyMessage(prefix string, p coin.MessageProof) (bool, error) {
	owner, err := address.Check(p.Address, prefix)
	if err != nil {
		return false, &coin.InvalidError{Field: coin.FieldAddress, Reason: err}
	}
	raw, err := base64.StdEncoding.DecodeString(p.Signature)
	if err != nil || len(raw) != len(Signature{}) {
		return false, &coin.InvalidError{Field: coin.FieldSignature, Reason: ErrSignature}
	}
	doc, err := MessageDoc(owner.String(), p.Message)
	if err != nil {
		return false, err
	}
	text, err := doc.Bytes()
	if err != nil {
		return false, err
	}
	signature := Signature(raw)
	if len(p.PublicKey) == 0 {
		for _, public := range signature.signers(text) {
			if owns(prefix, public, owner) {
				return true, nil
			}
		}
		return false, nil
	}
	given, err := key.NewExternalKey(key.Secp256k1, p.PublicKey)
	if err != nil {
		return false, &coin.InvalidError{Field: coin.FieldPublicKey, Reason: err}
	}
	public := [33]byte(given.Bytes())
	return owns(prefix, public, owner) && signature.verifies(public, text), nil
}

func owns(prefix string, public [33]byte, owner address.Address) bool {
	signer, err := address.FromKey(prefix, public)
	return err == nil && signer == owner
}

// Draft is an unsigned transaction of one account.
type Draft struct {
	ChainID           string
	Account, Sequence uint64 // number of the account, and of its next transaction
	Messages          []wire.Named
	Memo              string
	Fee               wire.Fee
	TimeoutHeight     uint64 // the last block that may include it; 0 means no limit
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

// SignDoc returns the document to be signed with wire.SignDirect.
func (d Draft) SignDoc(public [33]byte) wire.SignDoc {
	return wire.SignDoc{Body: wire.Encode(d.body()), AuthInfo: wire.Encode(d.authInfo(public, wire.SignDirect)), ChainID: d.ChainID, Account: d.Account}
}

// AminoDoc returns the document to be signed with wire.SignAmino. Its error is ErrDoc, for messages
// without an amino form.
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

// Unsigned returns the transaction with an empty signature, for simulations.
func (d Draft) Unsigned(public [33]byte) []byte {
	doc := d.SignDoc(public)
	return wire.Encode(&wire.Tx{Body: doc.Body, AuthInfo: doc.AuthInfo, Signatures: [][]byte{{}}})
}

// Signed is a signed transaction.
type Signed struct {
	Raw  []byte
	Hash string
	Fee  wire.Fee // may have been changed by the wallet, like the memo
	Memo string
}

// Hash returns the id of a transaction, as explorers write it.
func Hash(raw []byte) string {
	sum := sha256.Sum256(raw)
	return strings.ToUpper(hex.EncodeToString(sum[:]))
}
