package coin

import "context"

// MessageSigner is a coin whose key signs texts for people and programs that know its
// address.
type MessageSigner interface {
	SignMessage(ctx context.Context, message string) (SignedMessage, error)
}

// AddressSigner is a MessageSigner that may have the addresses of an HD wallet. Errors are an
// *InvalidError about FieldFrom, that of a coin with one address, and those of keys.
type AddressSigner interface {
	SignMessageFrom(ctx context.Context, from From, message string) (SignedMessage, error)
}

// SignedMessage is a signature in the form that the coin's wallets have for it.
type SignedMessage struct {
	Signature string
	PublicKey []byte // of the signer; nil where signatures give it away
}

// MessageVerifier is a coin that checks signatures of texts. An error is an
// *InvalidError and says that the signature, the address or the key is none; a
// signature that is not the address's is false.
type MessageVerifier interface {
	VerifyMessage(ctx context.Context, p MessageProof) (bool, error)
}

// MessageProof is what should prove that the owner of an address signed a text.
type MessageProof struct {
	Message   string
	Signature string
	Address   string
	PublicKey []byte // nil: the address is enough
}

// Fields of messages and proofs that an InvalidError can be about.
const (
	FieldMessage   Field = "message"
	FieldSignature Field = "signature"
	FieldAddress   Field = "address"
	FieldPublicKey Field = "public key"
)
