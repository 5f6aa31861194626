package dapp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/signer/device"
)

// Error codes of EIP-1193 and EIP-1474.
const (
	CodeRejected     = 4001   // the user rejected the request in an external wallet or on a device
	CodeUnauthorized = 4100   // the coin is active with another account
	CodeUnsupported  = 4200   // the method, or a feature that it needs, is not supported
	CodeDisconnected = 4900   // no node answers
	CodeUnknownChain = 4902   // no coin of the chain is active
	CodeInvalid      = -32602 // the request is invalid
	CodeRefused      = -32003 // the chain rejected the request
	CodeInternal     = -32603
)

// Error is the reason why a request failed.
type Error struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitempty"` // data of a node's error, which may be from a contract
}

func (e *Error) Error() string { return e.Message }

func fail(code int64, format string, values ...any) error {
	return &Error{Code: code, Message: fmt.Errorf(format, values...).Error()}
}

// Invalid returns an error for an invalid request.
func Invalid(format string, values ...any) error { return fail(CodeInvalid, format, values...) }

// Decode decodes the JSON of a program. Its error names the text and the member of the wrong
// type.
func Decode(what string, text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var other *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &other) && other.Field != "":
		return Invalid("%s: %.100s has the wrong type: %s", what, other.Field[strings.LastIndexByte(other.Field, '.')+1:], other.Value)
	case errors.As(err, &other):
		return Invalid("%s has the wrong type: %s", what, other.Value)
	}
	return Invalid("%s is invalid", what)
}

// Unsupported returns an error for a feature that a wallet does not support.
func Unsupported(format string, values ...any) error { return fail(CodeUnsupported, format, values...) }

// OtherAccount returns an error for the account of another owner.
func OtherAccount(given, account string) error {
	return fail(CodeUnauthorized, "the request is for the account %.100q, and the wallet's is %s", given, account)
}

// ErrorOf converts an error to an Error.
func ErrorOf(err error) *Error {
	if own, is := errors.AsType[*Error](err); is {
		return own
	}
	if answer, is := errors.AsType[*nodepool.RPCError](err); is {
		return &Error{Code: answer.Code, Message: answer.Message, Data: answer.Data}
	}
	return &Error{Code: codeOf(err), Message: err.Error()}
}

func codeOf(err error) int64 {
	wallet, _ := errors.AsType[*key.WalletError](err)
	_, refused := errors.AsType[*coin.RefusedError](err)
	_, short := errors.AsType[*coin.ShortageError](err)
	_, invalid := errors.AsType[*coin.InvalidError](err)
	switch {
	case wallet != nil && wallet.Fault == key.WalletRefused, device.Is(err, device.Rejected):
		return CodeRejected
	case wallet != nil && wallet.Fault == key.WalletSwitched, device.Is(err, device.Unexpected):
		return CodeUnauthorized
	case errors.Is(err, key.ErrUnsupported):
		return CodeUnsupported
	case refused, short:
		return CodeRefused
	case invalid:
		return CodeInvalid
	case errors.Is(err, coin.ErrTransport), errors.Is(err, context.DeadlineExceeded):
		return CodeDisconnected
	}
	return CodeInternal
}
