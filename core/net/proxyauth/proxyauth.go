// Package proxyauth creates the header by which Komodo DeFi Framework's gateways identify a
// node: a signature of one request by the node's ed25519 identity. There is no login: a gateway
// grants access by peer id. The identity holds no coins, and the key of the wallet is not
// involved.
//
// Source: Komodo DeFi Framework proxy_signature/src/lib.rs.
//
// Invariant: the signature covers the URI, the size of the body and the time of one request, so
// a header is invalid for any other request and after 15 seconds.
package proxyauth

import (
	"crypto/ed25519"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"obverse/core/net/peerid"
)

// Header is the name of the header.
const Header = "X-Auth-Payload"

// Lifetime is the validity period of a header, as in Komodo DeFi Framework.
const Lifetime = 15 * time.Second

// Signer is an identity, such as a *key.Identity.
type Signer interface {
	PublicKeyEncoded() []byte // in libp2p's encoding: 08 01 12 20, followed by 32 bytes
	PeerID() peerid.ID
	Sign(message []byte) [64]byte
}

// payload is the value of the header.
type payload struct {
	Signature ints    `json:"signature_bytes"`
	Address   string  `json:"address"` // peer id
	Message   message `json:"raw_message"`
}

type message struct {
	URI       string `json:"uri"`
	BodySize  uint64 `json:"body_size"`
	PublicKey ints   `json:"public_key_encoded"`
	ExpiresAt int64  `json:"expires_at"` // Unix time in seconds
}

// ints is a byte slice that is encoded in JSON as a list of numbers.
type ints []byte

// MarshalJSON implements json.Marshaler.
func (b ints) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for i, n := range b {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, uint64(n), 10)
	}
	return append(text, ']'), nil
}

// signed returns the signed bytes. Komodo DeFi Framework encodes the size as a machine word.
// Here it has 8 bytes on every machine, because the gateways run on 64-bit machines.
func (m message) signed() []byte {
	b := append([]byte("Encoded Message for KDP\n"), m.PublicKey...)
	b = append(b, m.URI...)
	b = binary.LittleEndian.AppendUint64(b, m.BodySize)
	return binary.LittleEndian.AppendUint64(b, uint64(m.ExpiresAt))
}

// Sign returns the value of the header for a request with a body of the given size. The URI is
// the complete URI of the request, with "/" in place of an empty path.
func Sign(s Signer, uri string, bodySize int, now time.Time) (string, error) {
	m := message{uri, uint64(bodySize), s.PublicKeyEncoded(), now.Add(Lifetime).Unix()}
	signature := s.Sign(m.signed())
	text, err := json.Marshal(payload{signature[:], s.PeerID().String(), m})
	return string(text), err
}

// Request is the content of a header.
type Request struct {
	Peer     peerid.ID
	URI      string
	BodySize uint64
}

// maxHeader limits the length of a header. It is sufficient for a URI of 4 KiB and the other
// fields.
const maxHeader = 8 << 10

// Reasons why a header is invalid.
var (
	ErrPayload   = errors.New("invalid auth payload")
	ErrExpired   = errors.New("auth payload expired or valid for too long")
	ErrSignature = errors.New("invalid signature in auth payload")
)

// Verify verifies a header with the same checks as a gateway. The argument longest limits the
// remaining validity. The caller must compare the result with the request. The errors are declared
// above.
func Verify(header string, now time.Time, longest time.Duration) (Request, error) {
	var p payload
	if len(header) > maxHeader {
		return Request{}, fmt.Errorf("%w: too long", ErrPayload)
	}
	if err := json.Unmarshal([]byte(header), &p); err != nil {
		return Request{}, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	left := p.Message.ExpiresAt - now.Unix()
	if left <= 0 || left > int64(longest/time.Second) {
		return Request{}, ErrExpired
	}
	key := p.Message.PublicKey
	if len(key) < ed25519.PublicKeySize {
		return Request{}, fmt.Errorf("%w: the key is too short", ErrPayload)
	}
	public := [32]byte(key[len(key)-ed25519.PublicKeySize:])
	peer := peerid.FromEd25519(public)
	if string(key) != string(peerid.EncodeEd25519(public)) || p.Address != peer.String() ||
		!ed25519.Verify(public[:], p.Message.signed(), p.Signature) {
		return Request{}, ErrSignature
	}
	return Request{peer, p.Message.URI, p.Message.BodySize}, nil
}
