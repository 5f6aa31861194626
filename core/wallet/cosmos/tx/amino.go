package tx

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"obverse/core/wallet/cosmos/wire"
)

// maxDoc limits the size of a sign document that a wallet returns.
const maxDoc = 1 << 20

// ErrDoc means that a text is not a sign document of amino JSON.
var ErrDoc = errors.New("not a sign document of amino JSON")

// AminoDoc is the sign document of wallets that display it: Ledger devices, and all wallets for
// arbitrary texts (ADR-036).
type AminoDoc struct {
	ChainID       string
	Account       uint64 // number of the account
	Sequence      uint64
	Fee           AminoFee
	Messages      []AminoMessage
	Memo          string
	TimeoutHeight uint64 // 0 means none
}

// AminoFee is the fee in a sign document.
type AminoFee struct {
	Amount         []wire.Coin
	Gas            uint64
	Payer, Granter string // addresses; "" means that the signer pays
}

// AminoMessage is a message in a sign document.
type AminoMessage struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"` // an object
}

// These types have the format of the document: names in alphabetical order, and numbers as
// strings.
type (
	aminoDoc struct {
		Account  decimal        `json:"account_number"`
		ChainID  string         `json:"chain_id"`
		Fee      aminoFee       `json:"fee"`
		Memo     string         `json:"memo"`
		Messages []AminoMessage `json:"msgs"`
		Sequence decimal        `json:"sequence"`
		Timeout  *decimal       `json:"timeout_height,omitempty"`
	}
	aminoFee struct {
		Amount  []aminoCoin `json:"amount"`
		Gas     decimal     `json:"gas"`
		Granter string      `json:"granter,omitempty"`
		Payer   string      `json:"payer,omitempty"`
	}
	aminoCoin struct {
		Amount string `json:"amount"`
		Denom  string `json:"denom"`
	}
)

// decimal is an integer that is a string in JSON.
type decimal uint64

func (d decimal) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatUint(uint64(d), 10) + `"`), nil
}

func (d *decimal) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err == nil && strconv.FormatUint(n, 10) != text {
		err = strconv.ErrSyntax
	}
	*d = decimal(n)
	return err
}

// Bytes returns the bytes to be hashed and signed. Their format is the chain's, with sorted
// names, without spaces, and with <, > and & escaped as by encoding/json.
func (d AminoDoc) Bytes() ([]byte, error) {
	doc := aminoDoc{Account: decimal(d.Account), ChainID: d.ChainID, Memo: d.Memo, Sequence: decimal(d.Sequence),
		Fee:      aminoFee{Amount: aminoCoins(d.Fee.Amount), Gas: decimal(d.Fee.Gas), Granter: d.Fee.Granter, Payer: d.Fee.Payer},
		Messages: make([]AminoMessage, 0, len(d.Messages))}
	if d.TimeoutHeight != 0 {
		doc.Timeout = (*decimal)(&d.TimeoutHeight)
	}
	for _, m := range d.Messages {
		value, err := sorted(m.Value)
		if err != nil {
			return nil, fmt.Errorf("%w: the value of a message: %w", ErrDoc, err)
		}
		doc.Messages = append(doc.Messages, AminoMessage{m.Type, value})
	}
	b, err := json.Marshal(doc)
	return b, err
}

// ParseAminoDoc parses a sign document with its names in any order. It rejects names that a
// transaction does not have, because the signature would cover data that is not in it.
func ParseAminoDoc(text []byte) (AminoDoc, error) {
	if len(text) > maxDoc {
		return AminoDoc{}, fmt.Errorf("%w: more than %d bytes", ErrDoc, maxDoc)
	}
	var doc aminoDoc
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var other *json.UnmarshalTypeError
	switch err := decoder.Decode(&doc); {
	case errors.As(err, &other):
		return AminoDoc{}, fmt.Errorf("%w: %.100s has the wrong type: %s", ErrDoc, cmp.Or(other.Field, "the text"), other.Value)
	case err != nil:
		return AminoDoc{}, fmt.Errorf("%w: %w", ErrDoc, err)
	}
	if decoder.More() {
		return AminoDoc{}, fmt.Errorf("%w: trailing data", ErrDoc)
	}
	d := AminoDoc{ChainID: doc.ChainID, Account: uint64(doc.Account), Sequence: uint64(doc.Sequence), Memo: doc.Memo, Messages: doc.Messages,
		Fee: AminoFee{Gas: uint64(doc.Fee.Gas), Granter: doc.Fee.Granter, Payer: doc.Fee.Payer}}
	if doc.Timeout != nil {
		d.TimeoutHeight = uint64(*doc.Timeout)
	}
	for _, c := range doc.Fee.Amount {
		d.Fee.Amount = append(d.Fee.Amount, wire.Coin{Denom: c.Denom, Amount: c.Amount})
	}
	return d, nil
}

func aminoCoins(coins []wire.Coin) []aminoCoin {
	list := make([]aminoCoin, 0, len(coins))
	for _, c := range coins {
		list = append(list, aminoCoin{c.Amount, c.Denom})
	}
	return list
}

// sorted returns an object with its names in order, at every depth.
func sorted(object json.RawMessage) (json.RawMessage, error) {
	var value map[string]any
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if value == nil || decoder.More() {
		return nil, ErrDoc
	}
	return json.Marshal(value)
}

// aminoForm is the format of a type of message in sign documents.
type aminoForm struct {
	name    string
	message wire.Named
}

func aminoForms() []aminoForm {
	return []aminoForm{
		{"cosmos-sdk/MsgSend", &wire.MsgSend{}}, {"cosmos-sdk/MsgMultiSend", &wire.MsgMultiSend{}}, {"cosmos-sdk/MsgTransfer", &wire.MsgTransfer{}},
		{"cosmos-sdk/MsgDelegate", &wire.MsgDelegate{}}, {"cosmos-sdk/MsgUndelegate", &wire.MsgUndelegate{}},
		{"cosmos-sdk/MsgBeginRedelegate", &wire.MsgBeginRedelegate{}}, {"cosmos-sdk/MsgWithdrawDelegationReward", &wire.MsgWithdrawDelegatorReward{}},
		{"wasm/MsgExecuteContract", &wire.MsgExecuteContract{}},
	}
}

func aminoMessage(m wire.Named) (AminoMessage, error) {
	for _, form := range aminoForms() {
		if form.message.TypeURL() == m.TypeURL() {
			value, err := json.Marshal(m)
			return AminoMessage{form.name, value}, err
		}
	}
	return AminoMessage{}, fmt.Errorf("%w: %s has no form there", ErrDoc, m.TypeURL())
}

// Unpack decodes the message. It returns false if the type is unknown or the message has other
// members.
func (m AminoMessage) Unpack() (wire.Named, bool) {
	for _, form := range aminoForms() {
		if form.name != m.Type {
			continue
		}
		was, err := sorted(m.Value)
		if err != nil || json.Unmarshal(was, form.message) != nil {
			return nil, false
		}
		again, err := aminoMessage(form.message)
		if err != nil {
			return nil, false
		}
		is, err := sorted(again.Value)
		return form.message, err == nil && bytes.Equal(was, is)
	}
	return nil, false
}
