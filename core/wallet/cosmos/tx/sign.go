package tx

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/wire"
)

// DirectSigner is an account of a wallet that signs with wire.SignDirect. The wallet may let its
// user change the fee and the memo, and returns the document that it signed.
type DirectSigner interface {
	key.PublicKeyer
	SignDirect(ctx context.Context, signer string, doc wire.SignDoc) (DirectSigned, error)
}

// DirectSigned is the result of a DirectSigner.
type DirectSigned struct {
	Doc       wire.SignDoc
	PublicKey [33]byte
	Signature Signature
}

// AminoSigner is an account of a wallet that signs with wire.SignAmino, in the same way.
type AminoSigner interface {
	key.PublicKeyer
	SignAmino(ctx context.Context, signer string, doc AminoDoc) (AminoSigned, error)
}

// AminoSigned is the result of an AminoSigner.
type AminoSigned struct {
	Doc       AminoDoc
	PublicKey [33]byte
	Signature Signature
}

// InLedger is implemented by accounts that can report whether their key is in a Ledger device,
// which signs only amino JSON.
type InLedger interface{ InLedger() bool }

// shows reports whether an account displays transactions to its owner before it signs them.
func shows(account key.Account) bool {
	_, direct := account.(DirectSigner)
	_, amino := account.(AminoSigner)
	return direct || amino
}

// ModeOf returns the signing mode of an account, which is the direct mode if it is supported.
// If the account supports no mode, it returns key.ErrUnsupported.
func ModeOf(account key.Account) (wire.SignMode, error) {
	_, direct := account.(DirectSigner)
	_, amino := account.(AminoSigner)
	_, anything := account.(key.HashSigner)
	ledger, is := account.(InLedger)
	switch inLedger := is && ledger.InLedger(); {
	case inLedger && (amino || anything):
		return wire.SignAmino, nil
	case inLedger:
		return 0, fmt.Errorf("%s %w: a Ledger signs amino JSON, and this wallet does not let it", account.Policy(), key.ErrUnsupported)
	case direct || anything:
		return wire.SignDirect, nil
	case amino:
		return wire.SignAmino, nil
	}
	return 0, fmt.Errorf("%s %w: the wallet does not sign transactions of Cosmos chains", account.Policy(), key.ErrUnsupported)
}

// Sign signs a draft with an account. signer is its address. Errors are key.ErrUnsupported,
// ErrDoc, and coin.ErrSigning, which is also returned if a wallet signed something else, and
// wraps a *key.WalletError if there are details.
func (d Draft) Sign(ctx context.Context, account key.Account, signer string) (Signed, error) {
	mode, err := ModeOf(account)
	if err != nil {
		return Signed{}, err
	}
	if mode == wire.SignAmino {
		return d.signAmino(ctx, account, signer)
	}
	return d.signDirect(ctx, account, signer)
}

func (d Draft) signDirect(ctx context.Context, account key.Account, signer string) (Signed, error) {
	public, err := publicKey(account)
	if err != nil {
		return Signed{}, err
	}
	doc := d.SignDoc(public)
	done, err := signDoc(ctx, account, signer, public, doc)
	if err != nil {
		return Signed{}, err
	}
	body, auth, err := d.checkDoc(doc, done.Doc)
	if err != nil {
		return Signed{}, err
	}
	return seal(wire.Tx{Body: done.Doc.Body, AuthInfo: done.Doc.AuthInfo}, done.Signature, auth.Fee, body.Memo), nil
}

// signDoc signs a document. It checks the signature, but not whether the wallet changed the
// document.
func signDoc(ctx context.Context, account key.Account, signer string, public [33]byte, doc wire.SignDoc) (done DirectSigned, err error) {
	done = DirectSigned{Doc: doc, PublicKey: public}
	if wallet, is := account.(DirectSigner); is {
		done, err = wallet.SignDirect(ctx, signer, doc)
	} else {
		done.Signature, err = signHash(ctx, account, wire.Encode(&doc))
	}
	if err != nil {
		return DirectSigned{}, notSigned(err)
	}
	return done, checkSigned(public, done.PublicKey, done.Signature, wire.Encode(&done.Doc))
}

func seal(t wire.Tx, s Signature, fee wire.Fee, memo string) Signed {
	t.Signatures = [][]byte{s[:]}
	raw := wire.Encode(&t)
	return Signed{Raw: raw, Hash: Hash(raw), Fee: fee, Memo: memo}
}

// checkDoc returns an error if the signed document differs from the requested one in more than memo
// and fee.
func (d Draft) checkDoc(requested, done wire.SignDoc) (body wire.TxBody, auth wire.AuthInfo, err error) {
	if wire.Decode(done.Body, &body) != nil || wire.Decode(done.AuthInfo, &auth) != nil {
		return body, auth, otherDocument("an invalid transaction")
	}
	wanted := d
	wanted.Memo, wanted.Fee.Amount, wanted.Fee.GasLimit = body.Memo, auth.Fee.Amount, auth.Fee.GasLimit
	var was wire.AuthInfo
	if err := wire.Decode(requested.AuthInfo, &was); err != nil {
		return body, auth, err
	}
	was.Fee = wanted.Fee
	if done.ChainID != requested.ChainID || done.Account != requested.Account ||
		!bytes.Equal(wire.Encode(wanted.body()), done.Body) || !bytes.Equal(wire.Encode(&was), done.AuthInfo) {
		return body, auth, otherDocument("another transaction")
	}
	return body, auth, sameDenoms(d.Fee.Amount, auth.Fee.Amount)
}

// sameDenoms returns an error if a wallet changed the coin of the fee.
func sameDenoms(requested, done []wire.Coin) error {
	for _, c := range done {
		if len(requested) > 0 && !slices.ContainsFunc(requested, func(a wire.Coin) bool { return a.Denom == c.Denom }) {
			return otherDocument("a fee in another coin")
		}
		if _, err := c.Units(); err != nil {
			return otherDocument("a fee with an invalid amount")
		}
	}
	return nil
}

func (d Draft) signAmino(ctx context.Context, account key.Account, signer string) (Signed, error) {
	public, err := publicKey(account)
	if err != nil {
		return Signed{}, err
	}
	doc, err := d.AminoDoc()
	if err != nil {
		return Signed{}, err
	}
	done, err := signAminoDoc(ctx, account, signer, public, doc)
	if err != nil {
		return Signed{}, err
	}
	d.Memo, d.Fee.Amount, d.Fee.GasLimit = done.Doc.Memo, done.Doc.Fee.Amount, done.Doc.Fee.Gas
	wanted, err := d.AminoDoc()
	if err != nil {
		return Signed{}, err
	}
	if same, err := sameAmino(wanted, done.Doc); err != nil || !same {
		return Signed{}, otherDocument("another transaction")
	}
	if err := sameDenoms(doc.Fee.Amount, done.Doc.Fee.Amount); err != nil {
		return Signed{}, err
	}
	unsigned := wire.Tx{Body: wire.Encode(d.body()), AuthInfo: wire.Encode(d.authInfo(public, wire.SignAmino))}
	return seal(unsigned, done.Signature, d.Fee, d.Memo), nil
}

func sameAmino(a, b AminoDoc) (bool, error) {
	first, err := a.Bytes()
	if err != nil {
		return false, err
	}
	second, err := b.Bytes()
	return bytes.Equal(first, second), err
}

// signAminoDoc signs a document. It checks the signature, but not whether the wallet changed the
// document.
func signAminoDoc(ctx context.Context, account key.Account, signer string, public [33]byte, doc AminoDoc) (AminoSigned, error) {
	text, err := doc.Bytes()
	if err != nil {
		return AminoSigned{}, err
	}
	done := AminoSigned{Doc: doc, PublicKey: public}
	if wallet, is := account.(AminoSigner); is {
		done, err = wallet.SignAmino(ctx, signer, doc)
	} else {
		done.Signature, err = signHash(ctx, account, text)
	}
	if err != nil {
		return AminoSigned{}, notSigned(err)
	}
	if text, err = done.Doc.Bytes(); err != nil {
		return AminoSigned{}, otherDocument("an invalid transaction")
	}
	return done, checkSigned(public, done.PublicKey, done.Signature, text)
}

// signHash signs with an account that signs any hash.
func signHash(ctx context.Context, account key.Account, doc []byte) (Signature, error) {
	signer, err := key.As[key.HashSigner](account)
	if err != nil {
		return Signature{}, err
	}
	s, err := signer.SignHash(ctx, sha256.Sum256(doc))
	return s.Compact(), err
}

func publicKey(account key.Account) ([33]byte, error) {
	keyer, err := key.As[key.PublicKeyer](account)
	if err != nil {
		return [33]byte{}, err
	}
	return keyer.PublicKey(), nil
}

// notSigned wraps the error of a wallet that did not sign.
func notSigned(err error) error { return fmt.Errorf("%w: %w", coin.ErrSigning, err) }

func otherDocument(what string) error {
	return fmt.Errorf("%w the requested document, but %s", coin.ErrSigning, what)
}

// checkSigned returns an error unless the requested account signed.
func checkSigned(requested, signer [33]byte, s Signature, doc []byte) error {
	switch {
	case requested != signer:
		return fmt.Errorf("%w: %w", coin.ErrSigning, &key.WalletError{Fault: key.WalletSwitched, Text: "it has switched to another account"})
	case !s.verifies(signer, doc):
		return fmt.Errorf("%w: the signature does not match the document", coin.ErrSigning)
	}
	return nil
}

// Signature is r followed by s, as on chains and in wallets.
type Signature [64]byte

// parse decodes a signature. Chains accept only a low s.
func (s Signature) parse() (*ecdsa.Signature, bool) {
	var r, low btcec.ModNScalar
	overflow := r.SetByteSlice(s[:32])
	overflow = low.SetByteSlice(s[32:]) || overflow
	if overflow || r.IsZero() || low.IsZero() || low.IsOverHalfOrder() {
		return nil, false
	}
	return ecdsa.NewSignature(&r, &low), true
}

// verifies reports whether s is a signature by the key of the SHA-256 of a document.
func (s Signature) verifies(public [33]byte, doc []byte) bool {
	parsed, sound := s.parse()
	point, err := btcec.ParsePubKey(public[:])
	if !sound || err != nil {
		return false
	}
	hash := sha256.Sum256(doc)
	return parsed.Verify(hash[:], point)
}

// signers returns the keys, at most four, that could have made a signature.
func (s Signature) signers(doc []byte) (keys [][33]byte) {
	if _, sound := s.parse(); !sound {
		return nil
	}
	hash := sha256.Sum256(doc)
	const compressed = 27 + 4 // first byte of the compact form
	for recovery := range byte(4) {
		point, _, err := ecdsa.RecoverCompact(append([]byte{compressed + recovery}, s[:]...), hash[:])
		if err == nil {
			keys = append(keys, [33]byte(point.SerializeCompressed()))
		}
	}
	return keys
}
