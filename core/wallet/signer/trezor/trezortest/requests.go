package trezortest

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/signer/trezor"
)

// Codes of screens: messages-common.proto, ButtonRequestType.
const (
	showsTransaction = 8
	showsAddress     = 10
	showsOther       = 1
	showsPassphrase  = 19
	showsPIN         = 20
)

// Kinds of messages that only Trezor's own library uses. It identifies a wallet by an address.
const (
	kindGetAddress trezor.Kind = 29
	kindAddress    trezor.Kind = 30
)

func (t *talk) handle(m trezor.Message) (trezor.Message, error) {
	all, ok := trezor.ReadFields(m.Body)
	if !ok {
		return trezor.Message{}, malformed
	}
	switch m.Kind {
	case trezor.KindInitialize:
		session, _ := all.Bytes(1)
		return t.d.initialize(session), nil
	case trezor.KindGetFeatures:
		return t.d.features(), nil
	case trezor.KindPing:
		said, _ := all.Bytes(1)
		return success(string(said)), nil
	case trezor.KindCancel:
		return trezor.Message{}, cancelled
	case trezor.KindEndSession:
		t.d.do(func() { t.d.sessions, t.d.current = map[string]*session{}, nil })
		return success("Session ended"), nil
	}
	if t.d.config().Empty {
		return trezor.Message{}, failure{11, "Device not initialized"}
	}
	return t.withKeys(m.Kind, all)
}

// withKeys answers requests that need a key.
func (t *talk) withKeys(kind trezor.Kind, all trezor.Fields) (none trezor.Message, err error) {
	answers := map[trezor.Kind]func(n *node, all trezor.Fields) (trezor.Message, error){
		trezor.KindGetPublicKey: publicKey(trezor.KindPublicKey), trezor.KindEthereumKeyRequest: publicKey(trezor.KindEthereumKey),
		kindGetAddress: walletAddress, trezor.KindEthereumAddressRequest: t.address,
		trezor.KindEthereumSignTx: t.signLegacy, trezor.KindEthereumSignTxEIP1559: t.signFees,
		trezor.KindEthereumSignMessage: t.signText, trezor.KindEthereumSignTypedHash: t.signTyped,
	}
	answer := answers[kind]
	if answer == nil {
		return none, unexpected
	}
	if err := t.unlock(); err != nil {
		return none, err
	}
	root, err := t.root()
	if err != nil {
		return none, err
	}
	var path key.Path
	for _, step := range all.Numbers(1) {
		path = append(path, uint32(step))
	}
	return answer(root.at(path), all)
}

func success(said string) trezor.Message {
	return trezor.Message{Kind: trezor.KindSuccess, Body: text(nil, 1, said)}
}

// maxSessions is the maximum number of sessions of a device.
const maxSessions = 10

// initialize resumes a known session, or starts another one.
func (d *Device) initialize(id []byte) trezor.Message {
	d.do(func() {
		if d.current = d.sessions[string(id)]; d.current == nil {
			if len(d.sessions) == maxSessions {
				clear(d.sessions)
			}
			d.made++
			d.current = &session{id: slices.Concat([]byte{d.made}, make([]byte, 31))}
			d.sessions[string(d.current.id)] = d.current
		}
	})
	return d.features()
}

func (d *Device) features() trezor.Message {
	var s Settings
	var id []byte
	var locked bool
	d.do(func() {
		if s, locked = d.settings, d.locked; d.current != nil {
			id = d.current.id
		}
	})
	flag := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	b := text(nil, 1, "trezor.io")
	b = number(number(number(b, 2, s.Version.Major), 3, s.Version.Minor), 4, s.Version.Patch)
	if s.Bootloader {
		b = number(b, 5, 1)
	}
	b = number(number(text(b, 6, strings.Repeat("A1", 12)), 7, flag(s.PIN != "")), 8, flag(s.Passphrase))
	b = number(text(text(b, 9, "en-US"), 10, "Emulator"), 12, flag(!s.Empty))
	b = bytes(number(number(b, 16, flag(!locked)), 18, 1), 13, make([]byte, 20))
	b = text(text(b, 21, s.Model), 44, map[string]string{"1": "T1B1", "T": "T2T1"}[s.Model])
	for _, c := range s.Capabilities {
		b = number(b, 30, c)
	}
	if id != nil {
		b = bytes(b, 35, id)
	}
	b = number(number(number(b, 36, flag(s.PassphraseOnDevice)), 41, flag(s.Busy)), 50, 1)
	return trezor.Message{Kind: trezor.KindFeatures, Body: b}
}

// Matrix returns the digits that a user enters at the host for a PIN. They are the positions of
// the PIN's digits in the matrix on the device, which shows 7 1 4, 9 2 8, 3 6 5 from the bottom
// left.
func Matrix(pin string) string {
	return strings.Map(func(digit rune) rune { return rune('1' + strings.IndexRune("714928365", digit)) }, pin)
}

// unlock asks for the PIN, at the host for the first model and otherwise on the device.
func (t *talk) unlock() error {
	var locked bool
	var s Settings
	if t.d.do(func() { locked, s = t.d.locked, t.d.settings }); !locked {
		return nil
	}
	if s.Model != "1" {
		if err := t.show(showsPIN, "Enter PIN"); err != nil {
			return err
		}
	} else {
		all, err := t.ask(trezor.Message{Kind: trezor.KindPinMatrixRequest, Body: number(nil, 1, 1)}, trezor.KindPinMatrixAck)
		if err != nil {
			return err
		}
		if entered, _ := all.Bytes(1); string(entered) != Matrix(s.PIN) {
			return failure{7, "PIN invalid"}
		}
	}
	t.d.do(func() { t.d.locked = false })
	return nil
}

// root returns the root key of the session. It asks for the passphrase once.
func (t *talk) root() (root *node, err error) {
	var current *session
	var s Settings
	t.d.do(func() { current, s = t.d.current, t.d.settings })
	if current == nil {
		return nil, failure{14, "Invalid session"}
	}
	if current.root != nil {
		return current.root, nil
	}
	passphrase := ""
	if s.Passphrase {
		if passphrase, err = t.passphrase(s); err != nil {
			return nil, err
		}
	}
	if root, err = newRoot(s.Phrase, passphrase); err == nil {
		t.d.do(func() { current.root = root })
	}
	return root, err
}

func (t *talk) passphrase(s Settings) (string, error) {
	if s.PassphraseOnDevice {
		return s.Typed, t.show(showsPassphrase, "Enter passphrase")
	}
	all, err := t.ask(trezor.Message{Kind: trezor.KindPassphrase}, trezor.KindPassphraseAck)
	if err != nil {
		return "", err
	}
	if all.Number(3) == 1 {
		return s.Typed, t.show(showsPassphrase, "Enter passphrase")
	}
	given, ok := all.Bytes(1)
	if !ok || len(given) > 50 {
		return "", failure{3, "Invalid passphrase"}
	}
	return string(given), nil
}

// publicKey returns a function that answers with an extended key.
func publicKey(kind trezor.Kind) func(*node, trezor.Fields) (trezor.Message, error) {
	return func(n *node, _ trezor.Fields) (trezor.Message, error) {
		public := n.publicKey()
		b := number(number(number(nil, 1, uint64(n.depth)), 2, uint64(binary.BigEndian.Uint32(n.parent[:]))), 3, uint64(n.step))
		b = bytes(bytes(b, 4, n.chain[:]), 6, public[:])
		return trezor.Message{Kind: kind, Body: text(bytes(nil, 1, b), 2, n.xpub())}, nil
	}
}

// walletAddress answers with a text that identifies a wallet, instead of an address on a test
// network.
func walletAddress(n *node, _ trezor.Fields) (trezor.Message, error) {
	public := n.publicKey()
	return trezor.Message{Kind: kindAddress, Body: text(nil, 1, "m"+hex.EncodeToString(public[1:17]))}, nil
}

func account(n *node) string {
	a, err := address.FromKey(n.publicKey())
	if err != nil {
		return err.Error()
	}
	return a.String()
}

// address answers with an address. If it must be shown, the user confirms it.
func (t *talk) address(n *node, all trezor.Fields) (none trezor.Message, err error) {
	if all.Number(2) == 1 {
		if err := t.show(showsAddress, "Address: "+account(n)); err != nil {
			return none, err
		}
	}
	return trezor.Message{Kind: trezor.KindEthereumAddress, Body: text(nil, 2, account(n))}, nil
}
