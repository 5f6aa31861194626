package ledger

import (
	"context"
	"encoding/binary"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/device"
)

// ethereumApp is the app for EVM networks. Versions before 1.9.0 do not support transactions of
// EIP-1559 (CHANGELOG.md).
var ethereumApp = app{"Ethereum", Version{1, 9, 0}}

// Commands of the app.
const (
	ethereumClass   = 0xe0
	ethereumAddress = 0x02
	ethereumSign    = 0x04
	ethereumConfig  = 0x06
	ethereumText    = 0x08
	ethereumToken   = 0x0a
	ethereumTyped   = 0x0c

	firstBlock, moreBlock = 0x00, 0x80
)

// flagBlind means that the app signs data that it cannot show in words.
const flagBlind = 0x01

// Ethereum is the app Ethereum on an open device.
type Ethereum struct {
	s      *session
	tokens Tokens
	blind  bool // the setting at the beginning of the conversation
}

// Ethereum uses the app Ethereum on the device with an ID, or on the only one if id is empty.
// The app must not be used after use returns.
func (c *Client) Ethereum(ctx context.Context, id string, use func(*Ethereum) error) error {
	return c.talk(ctx, id, ethereumApp, func(s *session) error {
		a := &Ethereum{s: s, tokens: c.Tokens}
		if err := a.configure(ctx); err != nil {
			return err
		}
		return use(a)
	})
}

// Version returns the version of the app.
func (a *Ethereum) Version() Version { return a.s.version }

// BlindSigning reports whether the user allows the app to sign contract data and typed data,
// which it cannot show in words.
func (a *Ethereum) BlindSigning() bool { return a.blind }

// configure queries the app's settings, which are flags and the three numbers of a version.
func (a *Ethereum) configure(ctx context.Context) error {
	const what = "getting the app's settings"
	data, status, err := a.s.send(ctx, what, command{class: ethereumClass, instruction: ethereumConfig})
	if err != nil {
		return err
	}
	if status != statusOK {
		return a.fail(what, status, data)
	}
	if len(data) != 4 {
		return device.Failf(device.InvalidAnswer, "%s: invalid answer of %d bytes, want 4", what, len(data))
	}
	a.blind = data[0]&flagBlind != 0
	return nil
}

// Key returns the public key at a path, which needs no confirmation.
func (a *Ethereum) Key(ctx context.Context, path key.Path) (public [33]byte, err error) {
	const what = "getting the public key"
	if err := checkEthereumPath(path); err != nil {
		return public, err
	}
	data, status, err := a.s.send(ctx, what, command{class: ethereumClass, instruction: ethereumAddress, data: ethereumPath(path)})
	if err != nil {
		return public, err
	}
	return a.parseAddress(what, status, data)
}

// Confirm shows the address of an account on the device, with the name of the network if it
// knows the chain id, and waits until its user confirms it.
func (a *Ethereum) Confirm(ctx context.Context, path key.Path, chainID uint64, public [33]byte) error {
	const what = "confirming the address"
	if err := checkEthereumPath(path); err != nil {
		return err
	}
	data := binary.BigEndian.AppendUint64(ethereumPath(path), chainID)
	data, status, err := a.s.ask(ctx, what, command{class: ethereumClass, instruction: ethereumAddress, p1: 1, data: data})
	if err != nil {
		return err
	}
	got, err := a.parseAddress(what, status, data)
	if err != nil {
		return err
	}
	return device.SameKey(what, got, public, path)
}

// parseAddress parses an uncompressed public key and the digits of its address, each with its
// length before it, and checks that they belong together.
func (a *Ethereum) parseAddress(what string, status uint16, data []byte) (public [33]byte, err error) {
	if status != statusOK {
		return public, a.fail(what, status, data)
	}
	point, rest, _ := prefixed(data)
	digits, rest, ok := prefixed(rest)
	if !ok || len(rest) > 0 {
		return public, device.Failf(device.InvalidAnswer, "%s: invalid answer of %d bytes, want a public key and an address", what, len(data))
	}
	if public, err = device.PublicKey(what, point); err != nil {
		return public, err
	}
	want, err := address.FromKey(public)
	if err != nil {
		return public, err
	}
	if got, err := address.Parse("0x" + string(digits)); err != nil || got != want {
		return public, device.Failf(device.InvalidAnswer, "%s: invalid address%s from the device: its key has %s", what, device.Said(digits), want)
	}
	return public, nil
}

// check returns an error if the key of the device at the path is not the account's.
func (a *Ethereum) check(ctx context.Context, path key.Path, public [33]byte) error {
	got, err := a.Key(ctx, path)
	if err != nil {
		return err
	}
	return device.SameKey(signing, got, public, path)
}

const signing = "signing"

// sign sends the commands of a request to sign, of which the user confirms the last one, and
// verifies the signature. The answer is a byte that depends on the chain, r and s.
func (a *Ethereum) sign(ctx context.Context, all []command, hash [32]byte, public [33]byte) (signature key.Signature, err error) {
	data, status, _, err := a.s.stream(ctx, signing, all)
	if err != nil {
		return signature, err
	}
	if status != statusOK {
		return signature, a.fail(signing, status, data)
	}
	if len(data) != 65 {
		return signature, device.Failf(device.InvalidAnswer, "%s: invalid signature of %d bytes from the device, want 65", signing, len(data))
	}
	return device.Verified(signing, [32]byte(data[1:33]), [32]byte(data[33:]), hash, public)
}

// fail returns the error for a status of the app.
func (a *Ethereum) fail(what string, status uint16, data []byte) *device.Error {
	switch status {
	case statusSecurity:
		return device.Failf(device.Rejected, "%s: rejected on the device", what)
	case statusInvalidData:
		if !a.blind {
			return blindSigningOff(what)
		}
		return device.Failf(device.Unsupported, "%s: app Ethereum %s cannot show or sign this", what, a.s.version)
	case statusNoMemory:
		return device.Failf(device.Unsupported, "%s: request is too long for the device", what)
	case statusTypeUnknown:
		return device.Failf(device.TooOld, "%s: app Ethereum %s does not know transactions of this type: update it with Ledger Live", what, a.s.version)
	}
	return a.s.fail(what, status, data)
}

func blindSigningOff(what string) *device.Error {
	return device.Failf(device.SettingOff, "%s: device cannot show this in words: switch Blind signing on in the settings of app Ethereum", what)
}

// ethereumPath encodes the number of elements of a path, and the elements.
func ethereumPath(path key.Path) []byte {
	b := []byte{byte(len(path))}
	for _, step := range path {
		b = binary.BigEndian.AppendUint32(b, step)
	}
	return b
}

// ethereumSteps is the maximum number of elements of a path.
const ethereumSteps = 10

// checkEthereumPath rejects a path that the app does not support.
func checkEthereumPath(path key.Path) error {
	if len(path) == 0 || len(path) > ethereumSteps {
		return device.Failf(device.Unsupported, "app Ethereum has no keys at %s, want 1 to %d numbers", path, ethereumSteps)
	}
	return nil
}

// Tokens provides descriptions of ERC-20 tokens that Ledger has signed as part of its
// crypto-assets list. It must be safe for concurrent use.
type Tokens interface {
	// Token returns the description of a contract's token in the format of the device: the
	// ticker with its length before it, contract, decimals, chain, signature. It returns nil if
	// none is known.
	Token(ctx context.Context, chainID uint64, contract address.Address) ([]byte, error)
}

// SignTransaction shows a transaction on the device and signs it. The public key of the account
// identifies its device and verifies the signature. Contract data is rejected while blind
// signing is off in the app, except for transfers of tokens that the device knows from Tokens.
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

// token returns the description of the token that a transaction moves, if one is known.
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

// movesToken reports whether data calls transfer or approve of an ERC-20 contract, which the
// app can show in words.
func movesToken(data []byte) bool {
	const transfer, approve, call = 0xa9059cbb, 0x095ea7b3, 4 + 32 + 32
	if len(data) != call {
		return false
	}
	selector := binary.BigEndian.Uint32(data)
	return selector == transfer || selector == approve
}

// provide sends a description of a token to the device.
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

// transactionCommands splits a path and a transaction into commands. Only the last command may
// end where a transaction could end.
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

// maxText is the maximum length of a text that the app can show, in bytes.
const maxText = 32766

// CheckText rejects a text that the app Ethereum cannot show.
func CheckText(text string) error {
	if text == "" || len(text) > maxText {
		return device.Failf(device.Unsupported, "device cannot show this text: it has %d bytes, want 1 to %d", len(text), maxText)
	}
	return nil
}

// SignText shows a text on the device and signs it as wallets do for personal_sign.
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

// textBlock is the number of bytes of a text in one command, as in hw-app-eth.
const textBlock = 150

// textCommands splits a path, the length of a text and the text into commands.
func textCommands(path key.Path, text string) (all []command) {
	rest := append(binary.BigEndian.AppendUint32(ethereumPath(path), uint32(len(text))), text...)
	for p1 := byte(firstBlock); len(rest) > 0; p1 = moreBlock {
		n := min(textBlock, len(rest))
		all = append(all, command{class: ethereumClass, instruction: ethereumText, p1: p1, data: rest[:n]})
		rest = rest[n:]
	}
	return all
}

// SignTyped signs the two hashes of typed data (EIP-712), of its domain and of its message. The
// device shows the hashes but not the data, and signs only while blind signing is on in the
// app.
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
