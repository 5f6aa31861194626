package tx

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/wire"
)

// SignDirect signs a document that another program made. An external wallet may let its user change
// the memo and the fee. It returns the errors of Draft.Sign.
func SignDirect(ctx context.Context, account key.Account, signer string, doc wire.SignDoc) (DirectSigned, error) {
	mode, err := ModeOf(account)
	if err == nil && mode != wire.SignDirect {
		err = fmt.Errorf("%s %w: the wallet signs only amino JSON; the program must request that format", account.Policy(), key.ErrUnsupported)
	}
	if err != nil {
		return DirectSigned{}, err
	}
	public, err := publicKey(account)
	if err != nil {
		return DirectSigned{}, err
	}
	done, err := signDoc(ctx, account, signer, public, doc)
	if err == nil && !sameIntent(doc, done.Doc) {
		err = otherDocument("another transaction")
	}
	return done, err
}

// sameIntent reports whether two documents are the same except for memo and fee.
func sameIntent(a, b wire.SignDoc) bool {
	var bodies [2]wire.TxBody
	var auths [2]wire.AuthInfo
	for i, doc := range []wire.SignDoc{a, b} {
		if ReadDoc(doc, &bodies[i], &auths[i]) != nil {
			return false
		}
		bodies[i].Memo, auths[i].Fee.Amount, auths[i].Fee.GasLimit = "", nil, 0
	}
	return a.ChainID == b.ChainID && a.Account == b.Account && bytes.Equal(wire.Encode(&bodies[0]), wire.Encode(&bodies[1])) &&
		bytes.Equal(wire.Encode(&auths[0]), wire.Encode(&auths[1]))
}

// ErrDirectDoc means that bytes are not a sign document of a transaction.
var ErrDirectDoc = errors.New("not a sign document of a transaction")

// ReadDoc decodes the parts of a document that another program made. It rejects documents with
// unknown data, so that all that is signed can be displayed. The error is ErrDirectDoc.
func ReadDoc(doc wire.SignDoc, body *wire.TxBody, auth *wire.AuthInfo) error {
	for _, part := range []struct {
		name    string
		bytes   []byte
		message wire.Message
	}{{"body", doc.Body, body}, {"auth info", doc.AuthInfo, auth}} {
		if err := wire.Decode(part.bytes, part.message); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDirectDoc, part.name, err)
		}
		if !bytes.Equal(wire.Encode(part.message), part.bytes) {
			return fmt.Errorf("%w: %s has unknown fields, or another encoding than ADR-027's", ErrDirectDoc, part.name)
		}
	}
	return nil
}

// SignAmino is like SignDirect for a document of amino JSON.
func SignAmino(ctx context.Context, account key.Account, signer string, doc AminoDoc) (AminoSigned, error) {
	public, err := publicKey(account)
	if err != nil {
		return AminoSigned{}, err
	}
	done, err := signAminoDoc(ctx, account, signer, public, doc)
	if err != nil {
		return AminoSigned{}, err
	}
	changed := done.Doc
	changed.Memo, changed.Fee.Amount, changed.Fee.Gas = doc.Memo, doc.Fee.Amount, doc.Fee.Gas
	if same, err := sameAmino(doc, changed); err != nil || !same {
		return AminoSigned{}, otherDocument("another transaction")
	}
	return done, nil
}
