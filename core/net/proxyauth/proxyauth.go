// Package proxyauth makes the header by which Komodo DeFi Framework's gateways identify a node:
// a signature of the node's ed25519 identity over one request. It does not log in: a gateway
// grants access by peer id. The identity holds no coins, and the key of the wallet is not
// involved.
//
// Source: Komodo DeFi Framework proxy_signature/src/lib.rs.
//
// Invariant: the signature covers the URI, the size of the body and the time of one request, so
// a header is invalid for any other request and after a quarter of a minute.
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

// Lifetime is how long a header is good for, as upstream has it.
const Lifetime = 15 * time.Second

// Signer is an identity: a *key.Identity.
type Signer interface {
	PublicKeyEncoded() []byte // as libp2p writes it: 08 01 12 20, then 32 bytes
	PeerID() peerid.ID
	Sign(message []byte) [64]byte
}

// payload is the header's value.
type payload struct {
	Signature ints    `json:"signature_bytes"`
	Address   string  `json:"address"` // the peer id
	Message   message `json:"raw_message"`
}

type message struct {
	URI       string `json:"uri"`
	BodySize  uint64 `json:"body_size"`
	PublicKey ints   `json:"public_key_encoded"`
	ExpiresAt int64  `json:"expires_at"` // Unix seconds
}

// ints are bytes that JSON has as a list of numbers.
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

// signed returns the bytes that are signed. Upstream writes the size as a machine word; here it
// has 8 bytes on every machine, because upstream's gateways run on 64-bit machines.
func (m message) signed() []byte {
	b := append([]byte("Encoded Message for KDP\n"), m.PublicKey...)
	b = append(b, m.URI...)
	b = binary.LittleEndian.AppendUint64(b, m.BodySize)
	return binary.LittleEndian.AppendUint64(b, uint64(m.ExpiresAt))
}

// Sign returns the header's value for a request with a body of that many bytes. The URI is
// the request's whole one, with "/" where its path is empty.
func Sign(s Signer, uri string, bodySize int, now time.Time) (string, error) {
	m := message{uri, uint64(bodySize), s.PublicKeyEncoded(), now.Add(Lifetime).Unix()}
	signature := s.Sign(m.signed())
	text, err := json.Marshal(payload{signature[:], s.PeerID().String(), m})
	return string(text), err
}

// Request holds the contents of a header.
type Request struct {
	Peer     peerid.ID
	URI      string
	BodySize uint64
}

// maxHeader limits a header: a URI of 4 KiB and the fields around it.
const maxHeader = 8 << 10

// Reasons for which a header is not good.
var (
	ErrPayload   = errors.New("invalid auth payload")
	ErrExpired   = errors.New("auth payload expired or valid for too long")
	ErrSignature = errors.New("invalid signature in auth payload")
)

// Verify reads a header as the gateway with the longest validity does. The caller compares the
// result with the request. It returns the errors above.
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
