package wallets

import (
	"context"
	"encoding/hex"
	"fmt"

	"obverse/core/chain/script"
	"obverse/core/key"
)

// OpenError is a wallet that cannot be opened. Its text begins as that of Komodo DeFi
// Framework: clients recognise a wrong password by it.
type OpenError struct{ Cause error }

func (e OpenError) Error() string {
	return "Error generating or decrypting mnemonic: " + e.Cause.Error()
}

// Unwrap gives the cause.
func (e OpenError) Unwrap() error { return e.Cause }

// SignIn opens the wallet that l names, as Open does, and the key of its phrase. The folder
// is the one for the wallet's data, named as Komodo DeFi Framework names it: by the hash of
// the public key. Errors are an OpenError.
func (w *Wallets) SignIn(ctx context.Context, l Login) (phrase, folder string, err error) {
	phrase, err = w.Open(ctx, l)
	if err != nil {
		return "", "", OpenError{err}
	}
	ring, err := key.Open(phrase, l.HD)
	if err != nil {
		return "", "", OpenError{fmt.Errorf("wallet %q: %w", w.active, err)}
	}
	defer ring.Wipe()
	public := ring.Node().PublicKey()
	hash := script.Hash160(public[:])
	return phrase, hex.EncodeToString(hash[:]), nil
}
