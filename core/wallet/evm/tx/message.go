package tx

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"obverse/core/key"
	"obverse/core/text"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
)

var errEmpty = errors.New("text is empty")

// anyV is added to the recovery number in signatures of texts.
const anyV = 27

// SignMessage signs a text as wallets do for personal_sign. The signature is r, s and 27 or 28.
func SignMessage(ctx context.Context, account key.Account, message string) (m coin.SignedMessage, err error) {
	if message == "" {
		return m, invalid(coin.FieldMessage, errEmpty)
	}
	var signature [65]byte
	if outside, is := account.(TextSigner); is {
		signature, err = outside.SignText(ctx, message)
	} else {
		signature, err = signHash(ctx, account, address.TextHash(message))
		signature[64] += anyV
	}
	if err != nil {
		return m, err
	}
	return coin.SignedMessage{Signature: text.Hex(signature[:])}, nil
}

// SignTyped signs typed data (EIP-712) for the owner of an address, given the hashes of its
// domain and its message. The signature is r, s and 27 or 28.
func SignTyped(ctx context.Context, account key.Account, from address.Address, domain, message [32]byte) (signature [65]byte, err error) {
	hash := address.Keccak([]byte("\x19\x01"), domain[:], message[:])
	if outside, is := account.(TypedSigner); is {
		signature, err = checked(hash, from)(outside.SignTyped(ctx, domain, message))
	} else {
		signature, err = signHash(ctx, account, hash)
	}
	signature[64] += anyV
	return signature, err
}

var errSignature = errors.New("a signature is 65 bytes in hexadecimal that end with 1b or 1c, or the 64 bytes of EIP-2098")

// expanded converts a signature from the compact form of EIP-2098, with the recovery number in the
// first bit of s, to 65 bytes.
func expanded(b []byte) []byte {
	if len(b) != 64 {
		return b
	}
	whole := append(b, b[32]>>7)
	whole[32] &= 0x7f
	return whole
}

// VerifyMessage reports whether the owner of an address, in the format of a network, signed a
// text.
func VerifyMessage(chain uint64, p coin.MessageProof) (bool, error) {
	owner, err := address.ParseOn(chain, p.Address)
	if err != nil {
		return false, invalid(coin.FieldAddress, err)
	}
	b, err := hex.DecodeString(strings.TrimPrefix(p.Signature, "0x"))
	b = expanded(b)
	if err != nil || len(b) != 65 {
		return false, invalid(coin.FieldSignature, errSignature)
	}
	recovery := b[64]
	if recovery >= anyV { // some wallets omit the 27
		recovery -= anyV
	}
	if recovery > 1 {
		return false, invalid(coin.FieldSignature, errSignature)
	}
	who, err := wire.Signer(address.TextHash(p.Message), big.NewInt(int64(recovery)), b[:32], b[32:64])
	if err != nil {
		return false, nil // no key can make such a signature
	}
	return who == owner, nil
}

func invalid(field coin.Field, reason error) error {
	return &coin.InvalidError{Field: field, Reason: reason}
}

func invalidf(field coin.Field, format string, values ...any) error {
	return invalid(field, fmt.Errorf(format, values...))
}
