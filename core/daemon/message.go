package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/base64"

	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"obverse/core/chain/keyring"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

func (b *Backend) messageMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("signmessage", rpc.Doc{
			Usage:    `signmessage "t-addr" "message"`,
			Summary:  "Sign a text with the key of an address of the wallet",
			Category: categoryWallet,
		}, b.signMessage).Guarded(b.requireUnlocked),
		rpc.Handle("verifymessage", rpc.Doc{
			Usage:    `verifymessage "komodoaddress" "signature" "message"`,
			Summary:  "Report whether a text was signed with the key of an address",
			Category: "Util",
		}, b.verifyMessage),
	}
}

// messageMagic begins what is signed, so that no signature of a text is one of a transaction.
const messageMagic = "Komodo Signed Message:\n"

func messageHash(message string) [32]byte {
	text := wire.AppendVarBytes(wire.AppendVarBytes(nil, []byte(messageMagic)), []byte(message))
	first := sha256.Sum256(text)
	return sha256.Sum256(first[:])
}

// keyAddress reads the address of a key.
func keyAddress(text Text) (script.Address, error) {
	a, err := script.ParseAddress(string(text))
	switch {
	case err != nil:
		return a, &Error{CodeType, "Invalid address"}
	case a.Version != script.PubKeyHashVersion:
		return a, &Error{CodeType, "Address does not refer to key"}
	}
	return a, nil
}

type signMessageParams struct {
	Address Text `json:"t-addr"`
	Message Text `json:"message"`
}

// headers of signatures: the recovery number is added.
const (
	headerUncompressed = 27
	headerCompressed   = 31
)

func (b *Backend) signMessage(_ context.Context, p signMessageParams) (string, error) {
	a, err := keyAddress(p.Address)
	if err != nil {
		return "", err
	}
	var k *keyring.Key
	if b.Ring != nil {
		k, _ = b.Ring.Key(a.Hash)
	}
	if k == nil {
		return "", &Error{CodeWallet, "Private key not available"}
	}
	secret, err := b.Ring.Secret(k)
	if err != nil {
		return "", errLocked
	}
	sig := secret.Sign(messageHash(string(p.Message)))
	header := byte(headerCompressed)
	if !k.Compressed() {
		header = headerUncompressed
	}
	compact := sig.Compact()
	return base64.StdEncoding.EncodeToString(append([]byte{header + sig.Recovery}, compact[:]...)), nil
}

type verifyMessageParams struct {
	Address   Text `json:"komodoaddress"`
	Signature Text `json:"signature" doc:"in base64, as signmessage returns it"`
	Message   Text `json:"message"`
}

func (b *Backend) verifyMessage(_ context.Context, p verifyMessageParams) (bool, error) {
	a, err := keyAddress(p.Address)
	if err != nil {
		return false, err
	}
	sig, err := base64.StdEncoding.DecodeString(string(p.Signature))
	if err != nil {
		return false, &Error{CodeAddress, "Malformed base64 encoding"}
	}
	if len(sig) != 65 || sig[0] < headerUncompressed || sig[0] > headerCompressed+3 {
		return false, nil
	}
	hash := messageHash(string(p.Message))
	public, compressed, err := ecdsa.RecoverCompact(sig, hash[:])
	if err != nil {
		return false, nil // the signature is not one of this text
	}
	serialized := public.SerializeUncompressed()
	if compressed {
		serialized = public.SerializeCompressed()
	}
	return script.PubKeyAddress(serialized) == a, nil
}
