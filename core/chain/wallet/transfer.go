package wallet

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// ParseKey reads the public key of a token's owner or destination in hexadecimal: a compressed
// point of the curve, or the burn key, which is not a valid point. It fails with ErrPubKey.
// Upstream accepts any text and uses uninitialized memory.
func ParseKey(text string) (key token.Key, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != token.KeySize {
		return key, fmt.Errorf("%w %.70q: 66 hexadecimal digits that start with 02 or 03 are expected", ErrPubKey, text)
	}
	key = token.Key(b)
	return key, checkKey(key)
}

func checkKey(key token.Key) error {
	if key == token.BurnKey() {
		return nil
	}
	if _, err := btcec.ParsePubKey(key[:]); err != nil {
		return fmt.Errorf("%w %x: it is not a point of the curve secp256k1", ErrPubKey, key)
	}
	return nil
}

// TransferToken builds a transfer of amount tokens to dest, the burn key to burn
// them. It fails with an Error.
func (w *Wallet) TransferToken(from Source, id wire.Hash, dest token.Key, amount int64) (*wire.Tx, error) {
	if !w.params.CCEnabled {
		return nil, ErrNoCC
	}
	if err := checkTransfer(id, dest, amount); err != nil {
		return nil, err
	}
	const maxInputs = 3
	coins, err := w.chooseCoins(from, Fee, maxInputs, Fee/maxInputs)
	if errors.Is(err, errShort) {
		return nil, ErrFee
	} else if err != nil {
		return nil, err
	}
	creation, ok, err := from.Creation(id)
	if err != nil {
		return nil, err
	} else if !ok {
		return nil, ErrNoTokens
	}
	holder := token.HolderCodes(creation.NFT)
	tokens, err := w.chooseTokens(from, id, holder, amount)
	if err != nil {
		return nil, err
	}
	codes := outputCodes(creation)
	outputs := []wire.TxOut{{Value: amount, Script: token.Script(codes, dest)}}
	if rest := value(tokens) - amount; rest > 0 {
		outputs = append(outputs, wire.TxOut{Value: rest, Script: token.Script(codes, w.public)})
	}
	payload := &token.Payload{Func: token.Transfer, TokenID: id, Keys: []token.Key{dest}}
	return w.finish(&draft{plain: coins, tokens: tokens, holder: holder, outputs: outputs, payload: payload},
		from.NextHeight())
}

func checkTransfer(id wire.Hash, dest token.Key, amount int64) error {
	if id.IsZero() {
		return ErrTokenID
	}
	if err := checkKey(dest); err != nil {
		return err
	}
	if amount <= 0 {
		return ErrAmount
	}
	return nil
}

// chooseTokens takes the first tokens that are worth their share, without looking
// for the best.
func (w *Wallet) chooseTokens(from Source, id wire.Hash, holder []byte, amount int64) ([]Coin, error) {
	const maxInputs = 60
	address := script.PubKeyAddress(token.Script(holder, w.public))
	enough := func(c Coin) bool { return c.Value >= amount/maxInputs }
	tokens, sum, err := gather(from.Tokens(id, address), amount, maxInputs, enough)
	switch {
	case err != nil:
		return nil, err
	case sum == 0:
		return nil, ErrNoTokens
	case sum < amount:
		return nil, ErrFewTokens
	}
	return tokens, nil
}

// outputCodes are the eval codes under which a token is paid out. Where its data
// starts with 00 or f2 they are not those under which it is looked for.
func outputCodes(c token.Creation) []byte {
	if c.IsNFT {
		return token.CreateCodes([]byte{c.NFT})
	}
	return token.CreateCodes(nil)
}
