// Package dapp describes and executes requests of other programs to an account on a Cosmos
// chain. The requests are for signatures of documents, in both modes in which wallets sign. The
// program sends the transaction itself. Package core/wallet/dapp defines the requests.
//
// Sources: Cosmos SDK (SignDoc, StdSignDoc), ADR-027, ADR-036 (signed texts); CosmJS
// (OfflineSigner) and Keplr for the formats of requests and results.
//
// Invariant: Every part of a signed document was described, except for the bytes of messages
// that are reported to the user as unknown.
package dapp

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
	"obverse/core/wallet/dapp"
)

// Wallet is the account of a coin that programs may use.
type Wallet struct {
	TxChain *tx.Chain
	Address string
	Public  *[33]byte // nil means unknown
	// Assets are the coins of the chain that the node knows, by their denoms.
	Assets func() map[string]tx.Asset
	// Open opens the account to sign with it.
	Open func(ctx context.Context) (key.Account, error)
}

var _ dapp.Wallet = (*Wallet)(nil)

// Methods that can be described and executed.
const (
	methodDirect = "signDirect"
	methodAmino  = "signAmino"
)

// Chain implements dapp.Wallet.
func (w *Wallet) Chain() string { return tx.CAIP2(w.TxChain.ID) }

// Describe implements dapp.Wallet.
func (w *Wallet) Describe(_ context.Context, r *dapp.Request, d *dapp.Description) error {
	d.Coin, d.Address = w.TxChain.Native.Ticker, w.Address
	_, err := w.read(d, r)
	return err
}

// Execute implements dapp.Wallet.
func (w *Wallet) Execute(ctx context.Context, r *dapp.Request) (any, error) {
	sign, err := w.read(new(dapp.Description), r)
	if err != nil {
		return nil, err
	}
	account, err := w.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer account.Close()
	return sign(ctx, account)
}

// Read implements dapp.Wallet. It always fails, since programs query nodes of their own.
func (w *Wallet) Read(context.Context, *dapp.Request) (json.RawMessage, error) {
	return nil, dapp.Unsupported("reading is supported on EVM networks only")
}

// signing signs with an open account.
type signing func(context.Context, key.Account) (any, error)

// read checks and describes a request. It returns the function that executes the request.
func (w *Wallet) read(d *dapp.Description, r *dapp.Request) (signing, error) {
	var params struct {
		Signer string          `json:"signerAddress"`
		Doc    json.RawMessage `json:"signDoc"`
	}
	if r.Method != methodDirect && r.Method != methodAmino {
		return nil, dapp.Unsupported("the method %.60q is not supported, want %s or %s", r.Method, methodDirect, methodAmino)
	}
	if json.Unmarshal(r.Params, &params) != nil {
		return nil, dapp.Invalid("params must be an object with signerAddress and signDoc")
	}
	if params.Signer != w.Address {
		return nil, dapp.OtherAccount(params.Signer, w.Address)
	}
	if r.Method == methodDirect {
		return w.direct(d, params.Doc)
	}
	return w.amino(d, params.Doc)
}

// directDoc is a document in the format of programs, with bytes in base64.
type directDoc struct {
	Body     []byte          `json:"bodyBytes"`
	AuthInfo []byte          `json:"authInfoBytes"`
	ChainID  string          `json:"chainId"`
	Account  json.RawMessage `json:"accountNumber"` // a number, or the digits of one
}

func (w *Wallet) direct(d *dapp.Description, raw json.RawMessage) (signing, error) {
	var given directDoc
	if json.Unmarshal(raw, &given) != nil {
		return nil, dapp.Invalid("signDoc must have bodyBytes and authInfoBytes in base64, chainId and accountNumber")
	}
	number, err := strconv.ParseUint(strings.Trim(string(given.Account), `"`), 10, 64)
	if err != nil {
		return nil, dapp.Invalid("signDoc: accountNumber must be a whole number, got %.40q", given.Account)
	}
	doc := wire.SignDoc{Body: given.Body, AuthInfo: given.AuthInfo, ChainID: given.ChainID, Account: number}
	if err := w.describeDirect(d, &doc); err != nil {
		return nil, err
	}
	return func(ctx context.Context, account key.Account) (any, error) {
		done, err := tx.SignDirect(ctx, account, w.Address, doc)
		if err != nil {
			return nil, err
		}
		digits := json.RawMessage(strconv.Quote(strconv.FormatUint(done.Doc.Account, 10)))
		return signed(directDoc{done.Doc.Body, done.Doc.AuthInfo, done.Doc.ChainID, digits}, done.PublicKey, done.Signature), nil
	}, nil
}

func (w *Wallet) amino(d *dapp.Description, raw json.RawMessage) (signing, error) {
	doc, err := canonical(raw)
	if err == nil {
		err = w.describeAmino(d, &doc)
	}
	if err != nil {
		return nil, dapp.Invalid("signDoc: %w", err)
	}
	return func(ctx context.Context, account key.Account) (any, error) {
		done, err := tx.SignAmino(ctx, account, w.Address, doc)
		if err != nil {
			return nil, err
		}
		text, err := done.Doc.Bytes()
		return signed(json.RawMessage(text), done.PublicKey, done.Signature), err
	}, nil
}

// canonical parses a document and returns it in the form that is signed, in which an object has
// each name only once.
func canonical(raw json.RawMessage) (doc tx.AminoDoc, err error) {
	if doc, err = tx.ParseAminoDoc(raw); err != nil {
		return doc, err
	}
	text, err := doc.Bytes()
	if err != nil {
		return doc, err
	}
	return tx.ParseAminoDoc(text)
}

// signed returns the result for a program, which contains the signed document and the
// signature.
func signed(doc any, public [33]byte, s tx.Signature) any {
	type publicKey struct {
		Type  string `json:"type"`
		Value []byte `json:"value"`
	}
	type signature struct {
		PublicKey publicKey `json:"pub_key"`
		Signature []byte    `json:"signature"`
	}
	return struct {
		Signed    any       `json:"signed"`
		Signature signature `json:"signature"`
	}{doc, signature{publicKey{"tendermint/PubKeySecp256k1", public[:]}, s[:]}}
}
