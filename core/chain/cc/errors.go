package cc

import "errors"

// Errors of decoding and encoding.
var (
	// ErrMalformed reports bytes that are no crypto-condition at all.
	ErrMalformed = errors.New("malformed crypto-condition")
	// ErrNotCanonical reports bytes that mean a crypto-condition which has other bytes.
	ErrNotCanonical = errors.New("crypto-condition is not in its canonical form")
	// ErrUnsupported reports a kind that upstream knows but does not implement: RSA.
	ErrUnsupported = errors.New("kind of crypto-condition is not supported")
	// ErrTooLarge reports more than MaxSize bytes.
	ErrTooLarge = errors.New("crypto-condition is too large")
	// ErrTooDeep reports more than MaxDepth nodes below one another.
	ErrTooDeep = errors.New("crypto-condition is too deep")
	// ErrUnfulfilled reports a tree that lacks a signature it needs.
	ErrUnfulfilled = errors.New("crypto-condition is not fulfilled")
)
