package dapp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
	"obverse/core/wallet/dapp"
)

// transaction holds the fields that both kinds of documents have.
type transaction struct {
	chainID  string
	messages []message
	memo     string
	fee      wire.Fee
	timeout  uint64 // highest block that may contain it; 0 means any
}

// message is a message of a transaction.
type message struct {
	name  string     // name of its type
	known wire.Named // nil means unknown
	text  string     // content of an unknown message
}

func (w *Wallet) describeDirect(d *dapp.Description, doc *wire.SignDoc) error {
	var body wire.TxBody
	var auth wire.AuthInfo
	if err := tx.ReadDoc(*doc, &body, &auth); err != nil {
		return dapp.Invalid("%w", err)
	}
	t := &transaction{chainID: doc.ChainID, memo: body.Memo, fee: auth.Fee, timeout: body.TimeoutHeight}
	for _, packed := range body.Messages {
		m := message{name: packed.TypeURL}
		if read, err := packed.Unpack(); err == nil && bytes.Equal(wire.Encode(read), packed.Value) {
			m.known = read
		} else {
			m.text = base64.StdEncoding.EncodeToString(packed.Value)
		}
		t.messages = append(t.messages, m)
	}
	if err := w.describeSigners(d, auth.Signers); err != nil {
		return err
	}
	if err := w.describe(d, t); err != nil {
		return err
	}
	for _, extension := range append(body.Extensions, body.Optional...) {
		d.Show("Extension", extension.TypeURL)
		d.Warn("It is not known what the extension of this transaction does.")
	}
	return nil
}

// describeSigners returns an error unless the account is a signer, and shows the other signers.
func (w *Wallet) describeSigners(d *dapp.Description, signers []wire.SignerInfo) error {
	signs := false
	for _, s := range signers {
		k, is := unpackKey(s.PubKey)
		if is && (w.Public == nil || k == *w.Public) || s.PubKey.TypeURL == "" && len(signers) == 1 {
			if s.Mode.Multi != nil || s.Mode.Single != wire.SignDirect {
				return dapp.Invalid("the account is to sign in mode %d, want %d (direct)", s.Mode.Single, wire.SignDirect)
			}
			signs = true
			continue
		}
		text := "key of " + s.PubKey.TypeURL
		if a, err := address.FromKey(w.TxChain.Prefix, k); is && err == nil {
			text = a.String()
		}
		d.Show("Also signed by", text)
	}
	if !signs {
		return dapp.Invalid("the public key of %s is not among the signers", w.Address)
	}
	return nil
}

func unpackKey(packed wire.Any) (k [33]byte, is bool) {
	read, err := packed.Unpack()
	public, is := read.(*wire.PubKey)
	if err != nil || !is || len(public.Key) != len(k) {
		return k, false
	}
	return [33]byte(public.Key), true
}

func (w *Wallet) describeAmino(d *dapp.Description, doc *tx.AminoDoc) error {
	if is, err := w.describeText(d, doc); is || err != nil {
		return err
	}
	t := &transaction{chainID: doc.ChainID, memo: doc.Memo, timeout: doc.TimeoutHeight,
		fee: wire.Fee{Amount: doc.Fee.Amount, GasLimit: doc.Fee.Gas, Payer: doc.Fee.Payer, Granter: doc.Fee.Granter}}
	for _, given := range doc.Messages {
		m := message{name: given.Type}
		if read, is := given.Unpack(); is {
			m.known = read
		} else {
			m.text = string(given.Value)
		}
		t.messages = append(t.messages, m)
	}
	return w.describe(d, t)
}

// describeText describes the signature of a text (ADR-036), which is in the document of a
// transaction that no chain accepts.
func (w *Wallet) describeText(d *dapp.Description, doc *tx.AminoDoc) (is bool, err error) {
	if doc.ChainID != "" || len(doc.Messages) != 1 {
		return false, nil
	}
	var value struct {
		Data []byte `json:"data"`
	}
	if json.Unmarshal(doc.Messages[0].Value, &value) != nil || len(value.Data) == 0 {
		return false, nil
	}
	wanted, err := tx.MessageDoc(w.Address, string(value.Data))
	if err != nil {
		return false, err
	}
	want, err := wanted.Bytes()
	if err != nil {
		return false, err
	}
	got, err := doc.Bytes()
	if err != nil || !bytes.Equal(want, got) {
		return false, err
	}
	d.ShowText(string(value.Data))
	return true, nil
}

// describe describes a transaction.
func (w *Wallet) describe(d *dapp.Description, t *transaction) error {
	if t.chainID != w.TxChain.ID {
		return dapp.Invalid("the document is for the chain %.60q, want %q", t.chainID, w.TxChain.ID)
	}
	if len(t.messages) == 0 {
		return dapp.Invalid("the transaction has no messages")
	}
	s := &shower{w, d, w.Assets()}
	for i := range t.messages {
		m := &t.messages[i]
		if err := d.Check(); err != nil {
			return err
		}
		if len(t.messages) > 1 {
			d.Show(fmt.Sprintf("Message %d of %d", i+1, len(t.messages)), m.name)
		}
		if err := s.message(m); err != nil {
			return err
		}
	}
	if len(t.messages) > 1 {
		d.Kind = dapp.Transaction
	}
	if key.HasMnemonic(t.memo) {
		return dapp.Invalid("memo: %w", coin.ErrPhrase)
	}
	if t.memo != "" {
		d.Show("Memo", t.memo)
	}
	if t.timeout != 0 {
		d.Show("Valid until block", strconv.FormatUint(t.timeout, 10))
	}
	return s.fee(&t.fee)
}

// fee shows the fee of the transaction, and who pays it if not the account.
func (s *shower) fee(fee *wire.Fee) error {
	for _, payer := range []string{fee.Payer, fee.Granter} {
		if payer != "" && payer != s.Wallet.Address {
			s.Show("Fee paid by", payer)
		}
	}
	s.Fee = &dapp.Fee{Coin: s.TxChain.Native.Ticker, Amount: "0"}
	for i, c := range fee.Amount {
		amount, ticker, err := s.amount(c)
		if err != nil {
			return err
		}
		units, err := c.Units()
		switch {
		case err != nil:
			return err
		case c.Denom != s.TxChain.Native.Denom && units.Sign() > 0:
			s.Warn("The network fee is in another coin than the chain's own. Whether it is usual is not known.")
		case c.Denom == s.TxChain.Native.Denom && s.TxChain.UnusualFee(units):
			s.Warn("The network fee is unusually high.")
		}
		if i == 0 {
			s.Fee = &dapp.Fee{Coin: ticker, Amount: amount}
		} else {
			s.Show("Fee in another coin", amount+" "+ticker)
		}
	}
	return nil
}

// amount formats an amount of a coin, in whole coins if the node knows the denom.
func (s *shower) amount(c wire.Coin) (amount, ticker string, err error) {
	if err := s.Check(); err != nil {
		return "", "", err
	}
	units, err := c.Units()
	if err != nil {
		return "", "", dapp.Invalid("%w", err)
	}
	asset, known := s.known[c.Denom]
	if !known {
		s.Warn("A coin of this transaction is not in your coins list. Its name and decimals are unknown.")
		return units.String(), "units of " + c.Denom, nil
	}
	return number.Scaled(units, asset.Decimals).String(), asset.Ticker, nil
}
