package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/signer/device"
)

// cosmosApp is the app for Cosmos chains. Versions before 2.1.0 use other commands to sign
// (cosmos/ledger-cosmos-go user_app.go).
var cosmosApp = app{"Cosmos", Version{2, 1, 0}}

// Commands of the app.
const (
	cosmosClass   = 0x55
	cosmosSign    = 0x02
	cosmosAddress = 0x04

	signInit, signAdd, signLast = 0, 1, 2
	formatJSON                  = 0
	cosmosChunk                 = 250
)

// plainPrefix is the prefix that every version supports. Versions since 2025 only support a
// list of prefixes (app/src/chain_config.c). Keys do not depend on the prefix.
const plainPrefix = "cosmos"

// prefixedSign is the first version that accepts a prefix in a request to sign. The prefix
// determines which hash is signed, and will become mandatory (docs/APDUSPEC.md).
var prefixedSign = Version{2, 35, 0}

// Cosmos is the app Cosmos on an open device.
type Cosmos struct {
	s     *session
	knows map[string]bool // whether the app supports a prefix
}

// Cosmos uses the app Cosmos on the device with an ID, or on the only one if id is empty. The
// app must not be used after use returns.
func (c *Client) Cosmos(ctx context.Context, id string, use func(*Cosmos) error) error {
	return c.talk(ctx, id, cosmosApp, func(s *session) error { return use(&Cosmos{s, map[string]bool{}}) })
}

// Version returns the version of the app.
func (a *Cosmos) Version() Version { return a.s.version }

// Key returns the public key at a path, which needs no confirmation. The path is
// m/44'/118'/account'/0/address.
func (a *Cosmos) Key(ctx context.Context, path key.Path, prefix string) (public [33]byte, err error) {
	const what = "getting the public key"
	data, status, err := a.address(ctx, what, path, prefix, quiet)
	if err == nil && status == statusNotAllowed && a.forget(ctx) {
		data, status, err = a.address(ctx, what, path, prefix, quiet)
	}
	if err == nil && status == statusPrefix && prefix != plainPrefix {
		a.knows[prefix] = false
		prefix = plainPrefix
		data, status, err = a.address(ctx, what, path, prefix, quiet)
	}
	if err != nil {
		return public, err
	}
	if status != statusOK {
		return public, a.fail(what, status, data)
	}
	a.knows[prefix] = true
	return a.parseAddress(what, prefix, data)
}

// forget makes the app forget an incomplete request of a sender that is gone, and reports whether
// it did. A request that the user is being asked to confirm accepts no more parts, and is not
// affected, since the user must approve exactly the displayed document.
func (a *Cosmos) forget(ctx context.Context) bool {
	const what, none = "ending an earlier request", 0xff
	part := command{class: cosmosClass, instruction: cosmosSign, p1: signAdd}
	if _, status, err := a.s.send(ctx, what, part); err != nil || status != statusOK {
		return false
	}
	part.p1 = none // an invalid part resets the app (app/src/apdu_handler.c)
	_, _, err := a.s.send(ctx, what, part)
	return err == nil
}

// Confirm shows the address of an account on the device and waits until its user confirms it.
func (a *Cosmos) Confirm(ctx context.Context, path key.Path, prefix string, public [33]byte) error {
	const what = "confirming the address"
	data, status, err := a.address(ctx, what, path, prefix, display)
	if err != nil {
		return err
	}
	switch status {
	case statusOK:
	case statusNotAllowed:
		return device.Failf(device.Rejected, "%s: rejected on the device", what)
	default:
		return a.fail(what, status, data)
	}
	got, err := a.parseAddress(what, prefix, data)
	if err != nil {
		return err
	}
	return device.SameKey(what, got, public, path)
}

// Values that determine whether the device shows an address.
const quiet, display = 0, 1

func (a *Cosmos) address(ctx context.Context, what string, path key.Path, prefix string, show byte) ([]byte, uint16, error) {
	steps, err := cosmosPath(path)
	if err != nil {
		return nil, 0, err
	}
	c := command{class: cosmosClass, instruction: cosmosAddress, p1: show, data: append(prefixBytes(prefix), steps...)}
	if show == display {
		return a.s.ask(ctx, what, c)
	}
	return a.s.send(ctx, what, c)
}

// parseAddress parses a compressed public key and its address, and checks that they belong
// together.
func (a *Cosmos) parseAddress(what, prefix string, data []byte) (public [33]byte, err error) {
	if public, err = device.PublicKey(what, data[:min(len(data), len(public))]); err != nil {
		return public, err
	}
	want, err := address.FromKey(prefix, public)
	if err != nil {
		return public, err
	}
	if got := string(data[len(public):]); got != want.String() {
		return public, device.Failf(device.InvalidAnswer, "%s: invalid address%s from the device: its key has %s", what, device.Said([]byte(got)), want)
	}
	return public, nil
}

// SignAmino shows a sign document on the device and signs it. The document is amino JSON in its
// canonical form, as in SIGN_MODE_LEGACY_AMINO_JSON. The public key of the account identifies
// its device and verifies the signature.
func (a *Cosmos) SignAmino(ctx context.Context, path key.Path, prefix string, public [33]byte, document []byte) (s key.Signature, err error) {
	const what = "signing"
	if err := CheckDocument(document); err != nil {
		return s, err
	}
	got, err := a.Key(ctx, path, prefix)
	if err != nil {
		return s, err
	}
	if err := device.SameKey(what, got, public, path); err != nil {
		return s, err
	}
	all, err := a.signCommands(path, prefix, document)
	if err != nil {
		return s, err
	}
	data, status, last, err := a.s.stream(ctx, what, all)
	if err != nil {
		return s, err
	}
	if status != statusOK {
		return s, a.signFail(what, status, last, data)
	}
	numbers, ok := readDER(data)
	if !ok {
		return s, device.Failf(device.InvalidAnswer, "%s: invalid signature of %d bytes from the device, want DER", what, len(data))
	}
	return device.Verified(what, numbers[0], numbers[1], sha256.Sum256(document), public)
}

// readDER parses the two positive numbers of a signature in DER. The key is used later to check
// whether they are a signature. The library's parser, which checks more, is far larger.
func readDER(b []byte) (numbers [2][32]byte, ok bool) {
	const sequence, integer = 0x30, 0x02
	if len(b) < 2 || b[0] != sequence || int(b[1]) != len(b)-2 {
		return numbers, false
	}
	b = b[2:]
	for n := range numbers {
		if len(b) < 3 || b[0] != integer || b[1] == 0 || int(b[1]) > len(b)-2 {
			return numbers, false
		}
		digits := b[2 : 2+b[1]]
		b = b[2+b[1]:]
		padded := len(digits) > 1 && digits[0] == 0
		if digits[0] >= 0x80 || padded && digits[1] < 0x80 { // negative, or longer than necessary
			return numbers, false
		}
		if padded {
			digits = digits[1:]
		}
		if len(digits) > len(numbers[n]) {
			return numbers, false
		}
		copy(numbers[n][len(numbers[n])-len(digits):], digits)
		if numbers[n] == [32]byte{} {
			return numbers, false
		}
	}
	return numbers, len(b) == 0
}

// signCommands splits a document into commands.
func (a *Cosmos) signCommands(path key.Path, prefix string, document []byte) ([]command, error) {
	first, err := cosmosPath(path)
	if err != nil {
		return nil, err
	}
	if a.knows[prefix] && !a.s.version.Before(prefixedSign) {
		first = append(first, prefixBytes(prefix)...)
	}
	all := []command{{cosmosClass, cosmosSign, signInit, formatJSON, first}}
	for ; len(document) > 0; document = document[min(cosmosChunk, len(document)):] {
		all = append(all, command{cosmosClass, cosmosSign, signAdd, formatJSON, document[:min(cosmosChunk, len(document))]})
	}
	all[len(all)-1].p1 = signLast
	return all, nil
}

// signFail distinguishes a user's refusal from an app that is busy with an earlier request.
// Both have the same status, but a busy app rejects the first command of a new request.
func (a *Cosmos) signFail(what string, status uint16, last bool, data []byte) *device.Error {
	if status == statusNotAllowed && last {
		return device.Failf(device.Rejected, "%s: rejected on the device", what)
	}
	return a.fail(what, status, data)
}

// fail returns the error for a status of the app.
func (a *Cosmos) fail(what string, status uint16, data []byte) *device.Error {
	switch status {
	case statusNotAllowed:
		return device.Failf(device.Busy, "%s: app Cosmos is busy with an earlier request: reject that on the device, or close and open the app", what)
	case statusPathValue:
		return device.Failf(device.SettingOff, "%s: app Cosmos takes accounts and addresses above 100 in expert mode only: switch Expert mode on in the app", what)
	case statusExpert:
		return device.Failf(device.SettingOff, "%s: app Cosmos requires expert mode for this chain: switch Expert mode on in the app", what)
	case statusPath:
		return device.Failf(device.Unsupported, "%s: app Cosmos %s has no keys at this path", what, a.s.version)
	case statusPrefix, statusPrefixLength:
		return device.Failf(device.Unsupported, "%s: app Cosmos %s cannot show addresses of this chain", what, a.s.version)
	case statusTooLong:
		return device.Failf(device.Unsupported, "%s: transaction is too long for the device", what)
	case statusCosmosInvalid, statusInvalidData:
		return device.Failf(device.Unsupported, "%s: app Cosmos %s cannot show this transaction%s", what, a.s.version, device.Said(data))
	}
	return a.s.fail(what, status, data)
}

// cosmosPath encodes a path in the app's byte order. It rejects a path at which the app has no
// keys.
func cosmosPath(path key.Path) ([]byte, error) {
	const purpose, coin = 44 + key.Hardened, 118 + key.Hardened
	if len(path) != 5 || path[0] != purpose || path[1] != coin || path[2] < key.Hardened || path[3] != 0 || path[4] >= key.Hardened {
		return nil, device.Failf(device.Unsupported, "app Cosmos has no keys at %s, want m/44'/118'/account'/0/address", path)
	}
	var b []byte
	for _, step := range path {
		b = binary.LittleEndian.AppendUint32(b, step)
	}
	return b, nil
}

func prefixBytes(prefix string) []byte { return append([]byte{byte(len(prefix))}, prefix...) }

// maxDocument is the size of the app's buffer (app/src/common/tx.c).
const maxDocument = 16384

// members holds the names in a sign document, all of which the app requires.
var members = []string{"account_number", "chain_id", "fee", "memo", "msgs", "sequence"}

// CheckDocument rejects documents that the app Cosmos cannot show. They must be amino JSON with
// sorted keys and without spaces (docs/TXSPEC.md).
func CheckDocument(document []byte) error {
	if len(document) > maxDocument {
		return device.Failf(device.Unsupported, "transaction is too long for the device: it has %d bytes, want at most %d", len(document), maxDocument)
	}
	all, err := decodeObject(document)
	if err != nil {
		return device.Failf(device.Unsupported, "device cannot show this transaction: want amino JSON (SIGN_MODE_LEGACY_AMINO_JSON), not SIGN_MODE_DIRECT")
	}
	for _, name := range members {
		if _, has := all[name]; !has {
			return device.Failf(device.Unsupported, "device cannot show this transaction: %s is missing", name)
		}
	}
	if canonical, err := json.Marshal(all); err != nil || !bytes.Equal(canonical, document) {
		return device.Failf(device.Unsupported, "device cannot show this transaction: want sorted keys and no spaces")
	}
	return nil
}

var errTrailing = errors.New("something follows the object")

// decodeObject decodes b, which must be exactly one object.
func decodeObject(b []byte) (all map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber() // keeps numbers unchanged
	if err := decoder.Decode(&all); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errTrailing
	}
	return all, nil
}
