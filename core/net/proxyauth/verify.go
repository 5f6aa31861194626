package proxyauth

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obverse/core/net/peerid"
)

// Request is what a header says.
type Request struct {
	Peer     peerid.ID
	URI      string
	BodySize uint64
}

// maxHeader bounds a header: a URI of 4 KiB and what is around it.
const maxHeader = 8 << 10

// Reasons for which a header is not good.
var (
	ErrPayload   = errors.New("invalid auth payload")
	ErrExpired   = errors.New("auth payload expired or valid for too long")
	ErrSignature = errors.New("invalid signature in auth payload")
)

// Verify reads a header as a gateway does that lets headers be good for longest. The
// caller compares what it says with the request. Its errors are those above.
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
