package trezor

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"time"

	//lint:ignore SA1019 a Trezor is named by a hash with RIPEMD-160
	"golang.org/x/crypto/ripemd160"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
)

// Client communicates with the devices of a port. It is safe for concurrent use; conversations
// with one device are serialized.
type Client struct {
	Port    Port
	Timeout time.Duration // how long to wait for a device that is absent or busy; 0 means not at all

	queue    device.Queue
	mu       sync.Mutex
	sessions map[string][]byte // sessions in which devices keep a passphrase, by device
}

// Time limits for requests that need no user, and for requests that a user must confirm.
const (
	answerWithin  = 30 * time.Second
	confirmWithin = 5 * time.Minute
	leaveWithin   = time.Second // to cancel the request for which a device waits
)

// talk opens the device with an ID, or the only one, and uses it exclusively.
func (c *Client) talk(ctx context.Context, id string, timeout time.Duration, use func(*session) error) error {
	var s *session
	err := device.Wait(ctx, timeout, func(ctx context.Context) (err error) {
		s, err = c.connect(ctx, id)
		return err
	})
	if err != nil {
		return err
	}
	defer s.close(ctx)
	return use(s)
}

// connect opens a device that is ready.
func (c *Client) connect(ctx context.Context, id string) (*session, error) {
	link, chosen, done, err := device.Open(ctx, &c.queue, c.Port, id)
	if err != nil {
		return nil, err
	}
	s := &session{link: link, done: done}
	if err := c.begin(ctx, s, chosen); err != nil {
		s.close(ctx)
		return nil, err
	}
	return s, nil
}

// begin resumes the last session with the device, or starts another one.
func (c *Client) begin(ctx context.Context, s *session, id string) error {
	const what = "connecting"
	var initialize body
	if last := c.session(id); last != nil {
		initialize = initialize.bytes(1, last)
	}
	all, err := s.call(ctx, what, Message{KindInitialize, initialize}, KindFeatures)
	if err != nil {
		return err
	}
	if s.features, err = readFeatures(all); err != nil {
		return err
	}
	c.keep(id, s.features.session)
	return s.features.check()
}

func (c *Client) session(id string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// maxSessions is the maximum number of devices whose sessions are remembered.
const maxSessions = 64

func (c *Client) keep(id string, session []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions == nil || len(c.sessions) >= maxSessions {
		c.sessions = map[string][]byte{}
	}
	if c.sessions[id] = session; session == nil {
		delete(c.sessions, id)
	}
}

// End makes a device forget the passphrase of its session, and removes the session.
func (c *Client) End(ctx context.Context, id string) error {
	return c.talk(ctx, id, 0, func(s *session) error {
		_, err := s.call(ctx, "ending the session", Message{Kind: KindEndSession}, KindSuccess)
		return err
	})
}

// Version is the version of a firmware.
type Version struct{ Major, Minor, Patch uint64 }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// before reports whether v is older than other.
func (v Version) before(other Version) bool {
	return slices.Compare([]uint64{v.Major, v.Minor, v.Patch}, []uint64{other.Major, other.Minor, other.Patch}) < 0
}

// oldest returns the first version that signs transactions of EIP-1559, for the first model
// (major version 1) or for the others.
func oldest(v Version) Version {
	if v.Major <= 1 {
		return Version{1, 10, 4}
	}
	return Version{2, 4, 2}
}

// capabilityEthereum means that a firmware supports EVM networks. A firmware for Bitcoin only
// does not.
const capabilityEthereum = 7

// Features is a device's description of itself.
type Features struct {
	Version            Version
	Model              string // as reported by the device: 1, T, Safe 3
	ID                 string // does not change until the device is wiped
	Label              string // set by the user
	PassphraseOnDevice bool   // whether the device requires that the passphrase is entered on it

	session      []byte
	bootloader   bool
	initialized  bool
	capabilities []uint64
	busy         bool
}

// maxSession limits the length of a session's name, which has 32 bytes.
const maxSession = 64

// readFeatures parses the answer to Initialize.
func readFeatures(all Fields) (f Features, err error) {
	text := func(b []byte, _ bool) string { return device.Printable(b) }
	f = Features{
		Version: Version{all.Number(2), all.Number(3), all.Number(4)},
		Model:   text(all.Bytes(21)), ID: text(all.Bytes(6)), Label: text(all.Bytes(10)),
		bootloader: all.Number(5) == 1, initialized: all.Number(12) == 1, capabilities: all.Numbers(30),
		PassphraseOnDevice: all.Number(36) == 1, busy: all.Number(41) == 1,
	}
	session, _ := all.Bytes(35)
	if len(session) > maxSession {
		return f, device.Failf(device.InvalidAnswer, "invalid session of %d bytes from the device, want at most %d", len(session), maxSession)
	}
	f.session = slices.Clone(session)
	return f, nil
}

// check returns an error if a device is not ready for requests.
func (f Features) check() error {
	switch want := oldest(f.Version); {
	case f.bootloader:
		return device.Failf(device.WrongApp, "device is in bootloader mode: reconnect it without touching it")
	case !f.initialized:
		return device.Failf(device.NotInitialized, "device holds no wallet yet: set it up with Trezor Suite")
	case f.busy:
		return device.Failf(device.Busy, "device is busy: finish what it shows")
	case f.Version.before(want):
		return device.Failf(device.TooOld, "firmware is too old: version is %s, want %s or newer: update it with Trezor Suite", f.Version, want)
	case len(f.capabilities) > 0 && !slices.Contains(f.capabilities, capabilityEthereum):
		return device.Failf(device.Unsupported, "firmware %s knows Bitcoin only: install the universal one with Trezor Suite", f.Version)
	}
	return nil
}

// identityPath returns the path of the key that identifies a wallet, as in Komodo DeFi
// Framework, crypto/src/hw_ctx.rs.
func identityPath() key.Path {
	return key.Path{44 + key.Hardened, 141 + key.Hardened, key.Hardened - 1, 0, 0}
}

// Identify connects to the device with an ID, or to the only one if id is empty, for which it
// waits up to patience. If the device asks for them, the user must enter the PIN and the
// passphrase.
func (c *Client) Identify(ctx context.Context, id string, patience time.Duration) (i device.Identity, err error) {
	err = c.talk(ctx, id, patience, func(s *session) error {
		i.Model, i.ID, i.Label = s.features.Model, s.features.ID, s.features.Label
		public, err := s.identity(ctx)
		if err != nil {
			return err
		}
		sum, hash := sha256.Sum256(public[:]), ripemd160.New()
		hash.Write(sum[:]) // never fails
		copy(i.Wallet[:], hash.Sum(nil))
		return nil
	})
	return i, err
}

func (s *session) identity(ctx context.Context) (public [33]byte, err error) {
	const what = "getting the wallet's name"
	request := body(nil).path(1, identityPath()).text(2, "secp256k1").text(4, "Komodo").flag(6)
	all, err := s.call(ctx, what, Message{KindGetPublicKey, request}, KindPublicKey)
	if err != nil {
		return public, err
	}
	return nodeKey(what, all)
}

// nodeKey parses the public key in an answer.
func nodeKey(what string, all Fields) (public [33]byte, err error) {
	node, _ := all.Bytes(1)
	fields, ok := ReadFields(node)
	if !ok {
		return public, device.Failf(device.InvalidAnswer, "%s: invalid answer of %d bytes from the device", what, len(node))
	}
	point, _ := fields.Bytes(6)
	return device.PublicKey(what, point)
}

// Connected reports whether the device with an ID is connected, or exactly one device if id is
// empty. It does not affect the screen of the device.
func (c *Client) Connected(ctx context.Context, id string) (bool, error) {
	all, err := c.Port.List(ctx)
	if err != nil {
		return false, err
	}
	_, err = device.Choose(all, id)
	return err == nil || device.Is(err, device.MultipleDevices), nil
}

// Codes of failures: common/protob/messages-common.proto, FailureType.
const (
	failureUnexpected     = 1
	failureData           = 3
	failureCancelled      = 4
	failurePinExpected    = 5
	failurePinCancelled   = 6
	failurePinInvalid     = 7
	failureNotInitialized = 11
	failurePinMismatch    = 12
	failureSession        = 14
	failureBusy           = 15
)

func failureCode(m Message) uint64 {
	all, _ := ReadFields(m.Body)
	return all.Number(1)
}

// failed returns the error for the fields of a failure. what names the request.
func failed(what string, all Fields) *device.Error {
	words, _ := all.Bytes(2)
	code, said := all.Number(1), device.Said(words)
	switch code {
	case failureCancelled, failurePinCancelled:
		return device.Failf(device.Rejected, "%s: rejected on the device", what)
	case failurePinInvalid, failurePinMismatch:
		return device.Failf(device.InvalidPIN, "%s: invalid PIN", what)
	case failurePinExpected:
		return device.Failf(device.Locked, "%s: device is locked: unlock it with its PIN", what)
	case failureUnexpected:
		return device.Failf(device.TooOld, "%s: device's firmware does not know this request%s: update it with Trezor Suite", what, said)
	case failureData:
		return device.Failf(device.Unsupported, "%s: device refused the request%s", what, said)
	case failureNotInitialized:
		return device.Failf(device.NotInitialized, "%s: device holds no wallet yet: set it up with Trezor Suite", what)
	case failureBusy, failureSession:
		return device.Failf(device.Busy, "%s: device is busy%s: try again", what, said)
	}
	return device.Failf(device.Failed, "%s: device failed with code %d%s", what, code, said)
}

// Kind is the type of a message: common/protob/messages.proto.
type Kind uint16

// Kinds of messages.
const (
	KindInitialize       Kind = 0
	KindPing             Kind = 1
	KindSuccess          Kind = 2
	KindFailure          Kind = 3
	KindGetPublicKey     Kind = 11
	KindPublicKey        Kind = 12
	KindFeatures         Kind = 17
	KindPinMatrixRequest Kind = 18
	KindPinMatrixAck     Kind = 19
	KindCancel           Kind = 20
	KindButtonRequest    Kind = 26
	KindButtonAck        Kind = 27
	KindPassphrase       Kind = 41 // PassphraseRequest
	KindPassphraseAck    Kind = 42
	KindGetFeatures      Kind = 55
	KindEndSession       Kind = 83

	KindEthereumAddressRequest   Kind = 56 // EthereumGetAddress
	KindEthereumAddress          Kind = 57
	KindEthereumSignTx           Kind = 58
	KindEthereumTxRequest        Kind = 59
	KindEthereumTxAck            Kind = 60
	KindEthereumSignMessage      Kind = 64
	KindEthereumMessageSignature Kind = 66
	KindEthereumKeyRequest       Kind = 450 // EthereumGetPublicKey
	KindEthereumKey              Kind = 451 // EthereumPublicKey
	KindEthereumSignTxEIP1559    Kind = 452
	KindEthereumTypedSignature   Kind = 469 // EthereumTypedDataSignature
	KindEthereumSignTypedHash    Kind = 470
)
