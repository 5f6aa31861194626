package evm

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/walletconnect"
)

// Methods that a session needs.
const (
	Personal = "personal_sign"
	Send     = "eth_sendTransaction"
)

// Namespace is the name of the family in sessions.
const Namespace = "eip155"

// Chain is how sessions name a network.
func Chain(id uint64) string { return Namespace + ":" + strconv.FormatUint(id, 10) }

// Requester sends a request to a wallet; *walletconnect.Manager is one.
type Requester interface {
	Request(ctx context.Context, topic, chain, method string, params any) (json.RawMessage, error)
}

// Accounts are those that a session has on a network. What is no address is left out.
func Accounts(s walletconnect.Session, chain uint64) []address.Address {
	var all []address.Address
	for _, text := range s.Namespaces.Accounts(Chain(chain)) {
		if a, err := address.ParseOn(chain, text); err == nil {
			all = append(all, a)
		}
	}
	return all
}

// anyV is what a text's signature has added to its recovery number.
const anyV = 27

// SignText has a wallet sign a text: r, s and 27 or 28. Errors of what the wallet sent are
// walletconnect.ErrAnswer.
func SignText(ctx context.Context, r Requester, topic string, chain uint64, by address.Address, text string) (signature [65]byte, err error) {
	answer, err := r.Request(ctx, topic, Chain(chain), Personal, []string{"0x" + hex.EncodeToString([]byte(text)), by.String()})
	if err != nil {
		return signature, err
	}
	return decodeSignature(answer, by, text)
}

func decodeSignature(answer json.RawMessage, by address.Address, text string) (signature [65]byte, err error) {
	b, err := unhex(answer, len(signature))
	if err != nil {
		return signature, err
	}
	signature = [65]byte(b)
	if signature[64] < anyV { // some wallets write it without that
		signature[64] += anyV
	}
	hash := address.TextHash(text)
	signer, err := wire.Signer(hash, big.NewInt(int64(signature[64])-anyV), signature[:32], signature[32:64])
	if err != nil || signer != by {
		return [65]byte{}, fmt.Errorf("%w: the signature is not one of the text by %s", walletconnect.ErrAnswer, by)
	}
	return signature, nil
}

// SendTransaction has a wallet sign and send a transaction, in the form of
// eth_sendTransaction, and returns its hash.
func SendTransaction(ctx context.Context, r Requester, topic string, chain uint64, transaction any) (hash [32]byte, err error) {
	answer, err := r.Request(ctx, topic, Chain(chain), Send, []any{transaction})
	if err != nil {
		return hash, err
	}
	b, err := unhex(answer, len(hash))
	if err != nil {
		return hash, err
	}
	return [32]byte(b), nil
}

// unhex reads so many bytes.
func unhex(answer json.RawMessage, length int) ([]byte, error) {
	var text string
	if json.Unmarshal(answer, &text) == nil {
		if b, err := hex.DecodeString(strings.TrimPrefix(text, "0x")); err == nil && len(b) == length {
			return b, nil
		}
	}
	return nil, fmt.Errorf("%w: it is not %d bytes in hexadecimal", walletconnect.ErrAnswer, length)
}
