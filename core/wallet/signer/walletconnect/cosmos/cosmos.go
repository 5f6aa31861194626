// Package cosmos implements the accounts of wallets that were paired over WalletConnect, on
// chains of the Cosmos family. It requests the wallet's key on a chain, and signatures. The
// package verifies that an address matches its key, and that the requested key signed the
// document that the wallet returned. Callers must check that this document does what they
// requested, since wallets change fees.
//
// Sources: WalletConnect's JSON-RPC methods for Cosmos (cosmos_getAccounts, cosmos_signDirect,
// cosmos_signAmino), Cosmos SDK (SignDoc, StdSignDoc). Requests encode bytes in base64, like
// Keplr, Leap and cosmos-kit. Responses of wallets may use other encodings.
//
// Invariant: Every returned signature was verified.
package cosmos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
	"obverse/core/wallet/signer/walletconnect"
)

// Methods that a session must allow.
const (
	GetAccounts = "cosmos_getAccounts"
	DirectSign  = "cosmos_signDirect"
	AminoSign   = "cosmos_signAmino"
)

// Requester sends requests to a wallet. *walletconnect.Manager implements it.
type Requester interface {
	Request(ctx context.Context, topic, chain, method string, params any) (json.RawMessage, error)
}

// Account is an account of a wallet.
type Account struct {
	Address   address.Address
	PublicKey [33]byte
}

// maxListed limits the number of accounts that a wallet returns.
const maxListed = 64

// Accounts returns the accounts of a wallet on a chain. It omits accounts whose keys are not
// secp256k1, and invalid ones. It returns walletconnect.ErrAnswer for a response without valid
// accounts.
func Accounts(ctx context.Context, r Requester, topic, chain string) ([]Account, error) {
	answer, err := r.Request(ctx, topic, tx.CAIP2(chain), GetAccounts, struct{}{})
	if err != nil {
		return nil, err
	}
	return decodeAccounts(answer)
}

// algorithm is the only key type whose addresses this package can verify.
const algorithm = "secp256k1"

func decodeAccounts(answer json.RawMessage) ([]Account, error) {
	var listed []json.RawMessage
	if json.Unmarshal(answer, &listed) != nil || len(listed) > maxListed {
		return nil, invalid("not a list of at most %d accounts", maxListed)
	}
	var all []Account
	reason := invalid("it lists no account with a key of %s", algorithm)
	for _, raw := range listed {
		var l struct {
			Algorithm string   `json:"algo"`
			Address   string   `json:"address"`
			PublicKey flexible `json:"pubkey"`
		}
		if json.Unmarshal(raw, &l) != nil {
			reason = invalid("an account is not an object with algo, address and pubkey")
			continue
		}
		if l.Algorithm != algorithm {
			continue
		}
		a, err := parseAccount(l.Address, l.PublicKey)
		if err != nil {
			reason = err
			continue
		}
		all = append(all, a)
	}
	if len(all) == 0 {
		return nil, reason
	}
	return all, nil
}

func parseAccount(text string, public []byte) (a Account, err error) {
	if a.Address, err = address.Parse(text); err != nil {
		return a, invalid("invalid address %.100q", text)
	}
	if _, err := btcec.ParsePubKey(public); err != nil || len(public) != len(a.PublicKey) {
		return a, invalid("the public key of %s is not a compressed key of %s", a.Address, algorithm)
	}
	a.PublicKey = [33]byte(public)
	if derived, err := address.FromKey(a.Address.Prefix(), a.PublicKey); err != nil || derived != a.Address {
		return a, invalid("the address %s is not that of its public key", a.Address)
	}
	return a, nil
}

// invalid returns the error of an invalid response of the wallet.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", walletconnect.ErrAnswer, fmt.Sprintf(format, args...))
}

// directDoc is a sign document in the format of WalletConnect.
type directDoc struct {
	ChainID  string `json:"chainId"`
	Account  string `json:"accountNumber"`
	AuthInfo string `json:"authInfoBytes"`
	Body     string `json:"bodyBytes"`
}

// order holds the params of a signing request, which are the signer and the document.
type order struct {
	Signer string `json:"signerAddress"`
	Doc    any    `json:"signDoc"`
}

// signature holds a signature with the signer's key and, optionally, the signed document.
type signature struct {
	Signature struct {
		PublicKey struct {
			Value flexible `json:"value"`
		} `json:"pub_key"`
		Signature flexible `json:"signature"`
	} `json:"signature"`
	Signed json.RawMessage `json:"signed"`
}

// SignDirect requests the signature of a document. It returns the document that the wallet
// signed, which may differ from doc, and the signature.
func SignDirect(ctx context.Context, r Requester, topic string, by Account, doc wire.SignDoc) (wire.SignDoc, [64]byte, error) {
	sent := directDoc{doc.ChainID, strconv.FormatUint(doc.Account, 10), base64.StdEncoding.EncodeToString(doc.AuthInfo), base64.StdEncoding.EncodeToString(doc.Body)}
	answer, err := r.Request(ctx, topic, tx.CAIP2(doc.ChainID), DirectSign, order{by.Address.String(), sent})
	if err != nil {
		return wire.SignDoc{}, [64]byte{}, err
	}
	return decodeDirect(answer, by, doc)
}

func decodeDirect(answer json.RawMessage, by Account, requested wire.SignDoc) (signed wire.SignDoc, s [64]byte, err error) {
	d, err := decodeSignature(answer)
	if err != nil {
		return signed, s, err
	}
	if signed = requested; d.signs() {
		if signed, err = decodeDoc(d.Signed); err != nil {
			return signed, s, err
		}
	}
	s, err = d.verify(by, wire.Encode(&signed))
	return signed, s, err
}

func decodeDoc(raw json.RawMessage) (wire.SignDoc, error) {
	var d struct {
		ChainID  string          `json:"chainId"`
		Account  json.RawMessage `json:"accountNumber"` // a number, or a number in a string
		AuthInfo flexible        `json:"authInfoBytes"`
		Body     flexible        `json:"bodyBytes"`
	}
	if json.Unmarshal(raw, &d) != nil {
		return wire.SignDoc{}, invalid("the signed document has another form")
	}
	number, err := strconv.ParseUint(strings.Trim(string(d.Account), `"`), 10, 64)
	if err != nil {
		return wire.SignDoc{}, invalid("the signed document has no account number")
	}
	return wire.SignDoc{Body: d.Body, AuthInfo: d.AuthInfo, ChainID: d.ChainID, Account: number}, nil
}

// SignAmino requests the signature of an amino JSON document. It returns the document that the
// wallet signed, which may differ from doc, in canonical form, and the signature.
func SignAmino(ctx context.Context, r Requester, topic, chain string, by Account, doc json.RawMessage) (json.RawMessage, [64]byte, error) {
	answer, err := r.Request(ctx, topic, tx.CAIP2(chain), AminoSign, order{by.Address.String(), doc})
	if err != nil {
		return nil, [64]byte{}, err
	}
	return decodeAmino(answer, by, doc)
}

func decodeAmino(answer json.RawMessage, by Account, requested json.RawMessage) (signed json.RawMessage, s [64]byte, err error) {
	d, err := decodeSignature(answer)
	if err != nil {
		return nil, s, err
	}
	if !d.signs() {
		d.Signed = requested
	}
	if signed, err = canonical(d.Signed); err != nil {
		return nil, s, err
	}
	s, err = d.verify(by, signed)
	return signed, s, err
}

// canonical returns the canonical form of a document, which is signed. It has sorted object
// keys and no whitespace.
func canonical(doc json.RawMessage) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil || object == nil {
		return nil, invalid("the signed document is not an object")
	}
	return json.Marshal(object)
}

func decodeSignature(answer json.RawMessage) (d signature, err error) {
	if json.Unmarshal(answer, &d) != nil {
		return d, invalid("it is not a signature with its public key")
	}
	return d, nil
}

// signs reports whether the wallet returned the signed document.
func (d signature) signs() bool {
	return len(d.Signed) > 0 && string(bytes.TrimSpace(d.Signed)) != "null"
}

// verify checks that by signed doc and returns the signature.
func (d signature) verify(by Account, doc []byte) (s [64]byte, err error) {
	given := d.Signature
	if value := given.PublicKey.Value; len(value) > 0 && !bytes.Equal(value, by.PublicKey[:]) {
		return s, fmt.Errorf("%w than %s", walletconnect.ErrSwitched, by.Address)
	}
	if len(given.Signature) != len(s) {
		return s, invalid("the signature has %d bytes, want %d", len(given.Signature), len(s))
	}
	copy(s[:], given.Signature)
	var x, y btcec.ModNScalar
	overflow := x.SetByteSlice(s[:32]) || y.SetByteSlice(s[32:])
	point, err := btcec.ParsePubKey(by.PublicKey[:])
	hash := sha256.Sum256(doc)
	// Chains accept only signatures with a low S value.
	if err != nil || overflow || y.IsOverHalfOrder() || !ecdsa.NewSignature(&x, &y).Verify(hash[:], point) {
		return [64]byte{}, invalid("the signature is not one of the document by %s", by.Address)
	}
	return s, nil
}
