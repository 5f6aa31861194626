package keys

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

const categoryMessages = "Messages"

// Messages is the area of the methods that sign messages and verify signatures.
type Messages struct {
	Active *coin.Active
}

// Methods implements Area.
func (m Messages) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("sign_message", rpc.Doc{
			Summary: "Sign a text with the key of a coin's address",
			Detail: "For coins of the Cosmos family, the signature has the format of ADR-036, as in browser wallets: base64 of 64 bytes. " +
				"The signature cannot authorize a transaction.",
			Category: categoryMessages,
		}, m.sign).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.UnknownAccount, mmerr.SigningError)...).Raises(wire.KeyKinds()...),
		rpc.Handle("verify_message", rpc.Doc{Reads: true,
			Summary: "Verify that the owner of an address signed a text", Category: categoryMessages,
		}, m.verify).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.SignatureDecodingError, mmerr.AddressDecodingError)...),
	}
}

type signMessageParams struct {
	Coin    string `json:"coin" doc:"ticker of an active coin; its address signs"`
	Message string `json:"message" doc:"text to sign, not empty"`

	Address wire.FromAddress `json:"address" rpc:"optional" doc:"address of an HD wallet that signs; by default the coin's own"`
}

type signedMessage struct {
	Signature string `json:"signature" doc:"signature in the format of the coin's wallets"`
	PublicKey string `json:"public_key,omitempty" doc:"public key of the signer in hexadecimal, for wallets that require it to verify"`
}

func (m Messages) sign(ctx context.Context, p signMessageParams) (signedMessage, error) {
	if p.Address.From != nil {
		return m.signFrom(ctx, p)
	}
	signer, err := wire.ActiveAs[coin.MessageSigner](m.Active, p.Coin, "signs no messages")
	if err != nil {
		return signedMessage{}, err
	}
	signed, err := signer.SignMessage(ctx, p.Message)
	if err != nil {
		return signedMessage{}, wire.SendingFailure(err)
	}
	return signedMessage{signed.Signature, hex.EncodeToString(signed.PublicKey)}, nil
}

// signFrom signs with a different address than the coin's own.
func (m Messages) signFrom(ctx context.Context, p signMessageParams) (signedMessage, error) {
	active, err := m.Active.Get(p.Coin)
	if err != nil {
		return signedMessage{}, wire.NoSuchCoin(err, p.Coin)
	}
	signer, can := active.(coin.AddressSigner)
	view, err := wire.AccountsOf(active)
	if err != nil || !can {
		const text = "You need to enable kdf with enable_hd to sign messages with a specific account/address" // the text of Komodo DeFi Framework
		return signedMessage{}, mmerr.InvalidRequest.From(err, text, "Invalid request: "+text)
	}
	if err := wire.KnownAccount(ctx, view, *p.Address.From); err != nil {
		return signedMessage{}, atParam("address", err)
	}
	signed, err := signer.SignMessageFrom(ctx, *p.Address.From, p.Message)
	if err != nil {
		return signedMessage{}, wire.SendingFailure(err)
	}
	return signedMessage{signed.Signature, hex.EncodeToString(signed.PublicKey)}, nil
}

// atParam adds the name of the parameter to an error about an address of an HD wallet.
func atParam(name string, err error) error {
	var invalid *coin.InvalidError
	if errors.As(err, &invalid) {
		return &rpc.ParamError{Path: name, Want: wire.WantFrom, Err: invalid.Reason}
	}
	return err
}

type verifyMessageParams struct {
	Coin      string `json:"coin" doc:"ticker of an active coin"`
	Message   string `json:"message" doc:"the text"`
	Signature string `json:"signature" doc:"signature from sign_message"`
	Address   string `json:"address" doc:"address of the expected signer"`
	PublicKey string `json:"public_key" default:"" doc:"public key of the signer in hexadecimal; not required"`
}

type verifiedMessage struct {
	Valid bool `json:"is_valid"`
}

func (m Messages) verify(ctx context.Context, p verifyMessageParams) (verifiedMessage, error) {
	verifier, err := wire.ActiveAs[coin.MessageVerifier](m.Active, p.Coin, "verifies no messages")
	if err != nil {
		return verifiedMessage{}, err
	}
	public, err := wire.ReadHex(p.PublicKey)
	if err != nil {
		return verifiedMessage{}, &rpc.ParamError{Path: wire.ParamOf(coin.FieldPublicKey), Want: "a public key in hexadecimal", Got: rpc.KindString, Err: err}
	}
	valid, err := verifier.VerifyMessage(ctx, coin.MessageProof{Message: p.Message, Signature: strings.TrimSpace(p.Signature), Address: p.Address, PublicKey: public})
	var invalid *coin.InvalidError
	if errors.As(err, &invalid) {
		reason := wire.Text(invalid.Reason)
		switch invalid.Field {
		case coin.FieldSignature:
			return verifiedMessage{}, mmerr.SignatureDecodingError.From(err, reason, "Signature decoding error: "+reason)
		case coin.FieldAddress:
			return verifiedMessage{}, mmerr.AddressDecodingError.From(err, reason, "Address decoding error: "+reason)
		}
		return verifiedMessage{}, wire.InvalidField(err, invalid)
	}
	return verifiedMessage{valid}, err
}
