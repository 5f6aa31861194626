package ledger

import (
	"context"
	"encoding/binary"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/device"
)

// Tokens knows descriptions of ERC-20 tokens that Ledger has signed, which it serves as
// part of its crypto-assets list. It may be used by many goroutines.
type Tokens interface {
	// Token returns the description of a contract's token as the device takes it: ticker
	// behind its length, contract, decimals, chain, signature. nil: none is known.
	Token(ctx context.Context, chainID uint64, contract address.Address) ([]byte, error)
}

// SignTransaction has the device show and sign a transaction. The account's public key
// identifies the account's device and verifies the signature. Contract data is refused while
// Blind signing is off in the app, unless it transfers a token that the device knows from
// Tokens.
func (a *Ethereum) SignTransaction(ctx context.Context, path key.Path, public [33]byte, t wire.Transaction) (s key.Signature, err error) {
	token, err := a.token(ctx, t)
	if err != nil {
		return s, err
	}
	if len(t.Data) > 0 && token == nil && !a.blind {
		return s, blindSigningOff(signing)
	}
	if err := a.check(ctx, path, public); err != nil {
		return s, err
	}
	if token != nil {
		if err := a.provide(ctx, token); err != nil {
			return s, err
		}
	}
	return a.sign(ctx, transactionCommands(path, t), t.SigningHash(), public)
}

// token is the description of the token that a transaction moves, if one is known.
func (a *Ethereum) token(ctx context.Context, t wire.Transaction) ([]byte, error) {
	if a.tokens == nil || !movesToken(t.Data) {
		return nil, nil
	}
	token, err := a.tokens.Token(ctx, t.ChainID, t.To)
	if err != nil || len(token) == 0 || len(token) > maxData {
		return nil, err
	}
	return token, nil
}

// movesToken reports whether data calls transfer or approve of an ERC-20 contract, which
// are the calls that the app has words for.
func movesToken(data []byte) bool {
	const transfer, approve, call = 0xa9059cbb, 0x095ea7b3, 4 + 32 + 32
	if len(data) != call {
		return false
	}
	selector := binary.BigEndian.Uint32(data)
	return selector == transfer || selector == approve
}

// provide gives the device a description of a token.
func (a *Ethereum) provide(ctx context.Context, token []byte) error {
	const what = "describing the token"
	data, status, err := a.s.send(ctx, what, command{class: ethereumClass, instruction: ethereumToken, data: token})
	if err != nil {
		return err
	}
	switch status {
	case statusOK:
		return nil
	case statusInvalidData:
		return device.Failf(device.Unsupported, "%s: device refused it: its signature is not Ledger's", what)
	}
	return a.fail(what, status, data)
}

// transactionCommands cuts a path and a transaction into commands, of which none but the
// last may end where a transaction could end.
func transactionCommands(path key.Path, t wire.Transaction) (all []command) {
	rest := append(ethereumPath(path), t.Unsigned()...)
	size := maxData
	for tail := t.UnsignedTail(); len(rest) > size && len(rest)%size > 0 && len(rest)%size <= tail; {
		size--
	}
	for p1 := byte(firstBlock); len(rest) > 0; p1 = moreBlock {
		n := min(size, len(rest))
		all = append(all, command{class: ethereumClass, instruction: ethereumSign, p1: p1, data: rest[:n]})
		rest = rest[n:]
	}
	return all
}

// maxText is the longest text that the app shows, in bytes.
const maxText = 32766

// CheckText refuses a text that the app Ethereum could not show.
func CheckText(text string) error {
	if text == "" || len(text) > maxText {
		return device.Failf(device.Unsupported, "device cannot show this text: it has %d bytes, want 1 to %d", len(text), maxText)
	}
	return nil
}

// SignText has the device show and sign a text as wallets do at personal_sign.
func (a *Ethereum) SignText(ctx context.Context, path key.Path, public [33]byte, text string) (s key.Signature, err error) {
	if err := CheckText(text); err != nil {
		return s, err
	}
	if err := a.check(ctx, path, public); err != nil {
		return s, err
	}
	hash := address.TextHash(text)
	return a.sign(ctx, textCommands(path, text), hash, public)
}

// textBlock is how much of a text a command carries, as in hw-app-eth.
const textBlock = 150

// textCommands cuts a path, a text's length and a text into commands.
func textCommands(path key.Path, text string) (all []command) {
	rest := append(binary.BigEndian.AppendUint32(ethereumPath(path), uint32(len(text))), text...)
	for p1 := byte(firstBlock); len(rest) > 0; p1 = moreBlock {
		n := min(textBlock, len(rest))
		all = append(all, command{class: ethereumClass, instruction: ethereumText, p1: p1, data: rest[:n]})
		rest = rest[n:]
	}
	return all
}

// SignTyped has the device show and sign the two hashes of typed data (EIP-712): that of
// its domain and that of its message. The device cannot show what they are of, and signs
// them only while Blind signing is on in the app.
func (a *Ethereum) SignTyped(ctx context.Context, path key.Path, public [33]byte, domain, message [32]byte) (s key.Signature, err error) {
	if !a.blind {
		return s, blindSigningOff(signing)
	}
	if err := a.check(ctx, path, public); err != nil {
		return s, err
	}
	return a.sign(ctx, typedCommands(path, domain, message), address.Keccak([]byte("\x19\x01"), domain[:], message[:]), public)
}

func typedCommands(path key.Path, domain, message [32]byte) []command {
	data := append(append(ethereumPath(path), domain[:]...), message[:]...)
	return []command{{class: ethereumClass, instruction: ethereumTyped, data: data}}
}
