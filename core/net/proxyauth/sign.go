package proxyauth

import (
	"encoding/binary"
	"encoding/json"
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

// signed is what the signature is of. Upstream writes the size as a machine word; it is
// 8 bytes here on every machine, as its gateways are of 64 bits.
func (m message) signed() []byte {
	b := append([]byte("Encoded Message for KDP\n"), m.PublicKey...)
	b = append(b, m.URI...)
	b = binary.LittleEndian.AppendUint64(b, m.BodySize)
	return binary.LittleEndian.AppendUint64(b, uint64(m.ExpiresAt))
}

// Sign gives the header's value for a request with a body of that many bytes. The URI is
// the request's whole one, with "/" where its path is empty.
func Sign(s Signer, uri string, bodySize int, now time.Time) (string, error) {
	m := message{uri, uint64(bodySize), s.PublicKeyEncoded(), now.Add(Lifetime).Unix()}
	signature := s.Sign(m.signed())
	text, err := json.Marshal(payload{signature[:], s.PeerID().String(), m})
	return string(text), err
}
