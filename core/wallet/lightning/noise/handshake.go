package noise

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// Sizes of the acts in bytes.
const (
	Act1Size = 50
	Act2Size = 50
	Act3Size = 66
)

const (
	protocolName = "Noise_XK_secp256k1_ChaChaPoly_SHA256"
	prologue     = "lightning"
	version      = 0 // version of the acts
	pointSize    = 33
	tagSize      = chacha20poly1305.Overhead
)

// Key is a secp256k1 key with only the operations of a handshake.
type Key interface {
	// PublicKey returns the compressed public key.
	PublicKey() [33]byte
	// ECDH returns the SHA-256 of the compressed product with another public key. It fails if
	// that is not a point of the curve.
	ECDH(public [33]byte) ([32]byte, error)
}

// Causes of an ActError.
var (
	// ErrShort means that there were fewer or more bytes than the act has.
	ErrShort = errors.New("wrong length")
	// ErrPoint means that the key in the act is not a point of the curve.
	ErrPoint = errors.New("invalid public key")
	// ErrCiphertext means that the encrypted static key is not of this handshake.
	ErrCiphertext = errors.New("authentication of the encrypted key failed")
	// ErrTag means that the tag does not match, because the message belongs to another
	// handshake.
	ErrTag = errors.New("authentication failed")
)

// VersionError means that an act has another version of the handshake.
type VersionError byte

func (e VersionError) Error() string {
	return fmt.Sprintf("unsupported version %d, want %d", byte(e), version)
}

// ActError reports an invalid act and the cause.
type ActError struct {
	Act   int // 1, 2 or 3
	Cause error
}

func (e *ActError) Error() string { return fmt.Sprintf("act %d of the handshake: %v", e.Act, e.Cause) }

// Unwrap returns the cause.
func (e *ActError) Unwrap() error { return e.Cause }

// symmetric is the state that both sides share: h, ck and temp_k of BOLT 8.
type symmetric struct {
	unprintable
	hash, chain, key [32]byte
}

func begin(responder [33]byte) symmetric {
	var s symmetric
	s.hash = sha256.Sum256([]byte(protocolName))
	s.chain = s.hash
	s.mixHash([]byte(prologue))
	s.mixHash(responder[:])
	return s
}

func (s *symmetric) mixHash(data []byte) {
	h := sha256.New()
	h.Write(s.hash[:])
	h.Write(data)
	h.Sum(s.hash[:0])
}

func (s *symmetric) mixKey(secret [32]byte) {
	s.chain, s.key = expand(s.chain, secret[:])
}

// seal encrypts with the key and a nonce, and mixes the result into the hash.
func (s *symmetric) seal(nonce uint64, plain []byte) []byte {
	sealed := aead(s.key).Seal(nil, encodeNonce(nonce), plain, s.hash[:])
	s.mixHash(sealed)
	return sealed
}

func (s *symmetric) open(nonce uint64, sealed []byte) ([]byte, bool) {
	plain, err := aead(s.key).Open(nil, encodeNonce(nonce), sealed, s.hash[:])
	s.mixHash(sealed)
	return plain, err == nil
}

// expand is the HKDF of BOLT 8. It returns two keys from a chaining key and a secret.
func expand(chain [32]byte, secret []byte) (first, second [32]byte) {
	both, err := hkdf.Key(sha256.New, secret, chain[:], "", 64)
	if err != nil {
		panic("noise: " + err.Error()) // only for a length that is not possible with SHA-256
	}
	return [32]byte(both[:32]), [32]byte(both[32:])
}

func aead(key [32]byte) cipher.AEAD {
	c, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("noise: " + err.Error()) // only for a key of another length
	}
	return c
}

// point parses the version and the key at the beginning of each act.
func point(act []byte, number, size int) (key [33]byte, err error) {
	if len(act) != size {
		return key, &ActError{number, ErrShort}
	}
	if act[0] != version {
		return key, &ActError{number, VersionError(act[0])}
	}
	return [33]byte(act[1 : 1+pointSize]), nil
}

// agree mixes the shared secret of a key and the peer's key into the state.
func (s *symmetric) agree(number int, local Key, theirs [33]byte) error {
	secret, err := local.ECDH(theirs)
	if err != nil {
		return &ActError{number, fmt.Errorf("%w: %w", ErrPoint, err)}
	}
	s.mixKey(secret)
	return nil
}

// write returns act 1 or 2, which is the ephemeral key and a tag with the secret that it shares
// with a key of the peer.
func (s *symmetric) write(number int, ephemeral Key, theirs [33]byte) (act [Act1Size]byte, err error) {
	public := ephemeral.PublicKey()
	s.mixHash(public[:])
	if err := s.agree(number, ephemeral, theirs); err != nil {
		return act, err
	}
	act[0] = version
	copy(act[1:], public[:])
	copy(act[1+pointSize:], s.seal(0, nil))
	return act, nil
}

// read is the reverse of write.
func (s *symmetric) read(number int, local Key, act []byte) (theirs [33]byte, err error) {
	if theirs, err = point(act, number, Act1Size); err != nil {
		return theirs, err
	}
	s.mixHash(theirs[:])
	if err := s.agree(number, local, theirs); err != nil {
		return theirs, err
	}
	if _, ok := s.open(0, act[1+pointSize:]); !ok {
		return theirs, &ActError{number, ErrTag}
	}
	return theirs, nil
}
