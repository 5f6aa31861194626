// Package evm implements the accounts of wallets that were paired over WalletConnect, on EVM
// networks. It provides the accounts of a session, requests signatures of texts, and has the
// wallet send transactions. It sends no request before something must be signed. The package
// verifies signatures of texts. For a transaction, wallets return only the hash, with which the
// caller must look the transaction up.
//
// Sources: EIP-191 (personal_sign), WalletConnect's JSON-RPC methods for Ethereum.
//
// Invariant: Every returned signature was made by the account over the text.
package evm

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"obverse/core/text"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/walletconnect"
)

// Requester sends requests to a wallet. *walletconnect.Manager implements it.
type Requester interface {
	Request(ctx context.Context, topic, chain, method string, params any) (json.RawMessage, error)
}

// Accounts returns the accounts of a session on a network. It omits invalid addresses.
func Accounts(s walletconnect.Session, chain uint64) []address.Address {
	var all []address.Address
	for _, text := range s.Namespaces.Accounts(tx.CAIP2(chain)) {
		if a, err := address.ParseOn(chain, text); err == nil {
			all = append(all, a)
		}
	}
	return all
}

// anyV is added to the recovery id in the last byte of a signature.
const anyV = 27

// SignText requests the signature of a text. The signature is r, s and 27 or 28. It returns
// walletconnect.ErrAnswer for an invalid response.
func SignText(ctx context.Context, r Requester, topic string, chain uint64, by address.Address, message string) (signature [65]byte, err error) {
	answer, err := r.Request(ctx, topic, tx.CAIP2(chain), tx.MethodSignText, []string{text.Hex([]byte(message)), by.String()})
	if err != nil {
		return signature, err
	}
	return decodeSignature(answer, by, message)
}

func decodeSignature(answer json.RawMessage, by address.Address, message string) (signature [65]byte, err error) {
	b, err := unhex(answer, len(signature))
	if err != nil {
		return signature, err
	}
	signature = [65]byte(b)
	if signature[64] < anyV { // some wallets return the plain recovery id
		signature[64] += anyV
	}
	hash := address.TextHash(message)
	signer, err := wire.Signer(hash, big.NewInt(int64(signature[64])-anyV), signature[:32], signature[32:64])
	if err != nil || signer != by {
		return [65]byte{}, fmt.Errorf("%w: the signature is not one of the text by %s", walletconnect.ErrAnswer, by)
	}
	return signature, nil
}

// SendTransaction requests that a wallet signs and sends a transaction, which is given as
// params of eth_sendTransaction. It returns the hash.
func SendTransaction(ctx context.Context, r Requester, topic string, chain uint64, transaction any) (hash [32]byte, err error) {
	answer, err := r.Request(ctx, topic, tx.CAIP2(chain), tx.MethodSend, []any{transaction})
	if err != nil {
		return hash, err
	}
	b, err := unhex(answer, len(hash))
	if err != nil {
		return hash, err
	}
	return [32]byte(b), nil
}

// unhex decodes exactly length bytes in hexadecimal.
func unhex(answer json.RawMessage, length int) ([]byte, error) {
	var digits string
	_ = json.Unmarshal(answer, &digits) // an empty text is invalid too
	b, err := text.ParseHexOf(digits, length)
	if err != nil {
		err = fmt.Errorf("%w: %w", walletconnect.ErrAnswer, err)
	}
	return b, err
}
