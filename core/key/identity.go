package key

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"

	"obverse/core/net/peerid"
	"obverse/core/store"
)

// identityKey is the key of the identity in the store.
const identityKey = "N/identity"

// identityPrefix is the start of libp2p's encoding of an ed25519 private key as a protocol
// buffer: type 1, followed by 64 bytes, which are the seed and the public key.
const identityPrefix = "\x08\x01\x12\x40"

// ErrIdentity reports that the store contains an invalid identity.
var ErrIdentity = errors.New("the node's identity in the store is damaged")

// Identity is the ed25519 key by which peers and proxies know this node. It is independent of
// the passphrase and holds no coins.
type Identity struct {
	unprintable
	secret sealed[ed25519.PrivateKey]
	public [32]byte
}

// OpenIdentity reads the identity from the store. If the store has no identity, OpenIdentity
// creates one from 32 bytes of random; otherwise it does not read from random. The result is
// durable, and the same for all callers with the same store, including concurrent ones.
func OpenIdentity(ctx context.Context, kv store.KV, random io.Reader) (*Identity, error) {
	found, err := kv.Get(ctx, identityKey)
	if err != nil {
		return nil, fmt.Errorf("read the node's identity: %w", err)
	}
	if !found[0].Present {
		made, err := makeIdentity(ctx, kv, random)
		if !errors.Is(err, store.ErrConflict) {
			return made, err
		}
		if found, err = kv.Get(ctx, identityKey); err != nil {
			return nil, fmt.Errorf("read the node's identity: %w", err)
		}
	}
	// A concurrent call may have staged it just now: wait until it is durable.
	var same store.Batch
	same.Expect(identityKey, found[0].Data)
	if err := store.Apply(ctx, kv, same); err != nil {
		return nil, fmt.Errorf("verify the node's identity: %w", err)
	}
	return decodeIdentity(found[0].Data)
}

// StoredPeerID returns the peer id of the identity in the store, or "" if the store has no
// identity.
func StoredPeerID(ctx context.Context, kv store.KV) (string, error) {
	found, err := kv.Get(ctx, identityKey)
	if err != nil {
		return "", fmt.Errorf("read the node's identity: %w", err)
	}
	if !found[0].Present {
		return "", nil
	}
	i, err := decodeIdentity(found[0].Data)
	if err != nil {
		return "", err
	}
	defer i.Wipe()
	return i.PeerID().String(), nil
}

// makeIdentity creates an identity. It returns store.ErrConflict if a concurrent call was
// faster.
func makeIdentity(ctx context.Context, kv store.KV, random io.Reader) (*Identity, error) {
	seed := make([]byte, ed25519.SeedSize)
	defer clear(seed)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, fmt.Errorf("make the node's identity: source of randomness: %w", err)
	}
	secret := ed25519.NewKeyFromSeed(seed)
	var b store.Batch
	b.ExpectAbsent(identityKey)
	b.Put(identityKey, identityPrefix+string(secret))
	if err := store.Apply(ctx, kv, b); err != nil {
		return nil, fmt.Errorf("save the node's identity: %w", err)
	}
	return newIdentity(secret), nil
}

func decodeIdentity(data string) (*Identity, error) {
	encoded, ok := bytes.CutPrefix([]byte(data), []byte(identityPrefix))
	if !ok || len(encoded) != ed25519.PrivateKeySize {
		return nil, ErrIdentity
	}
	secret := ed25519.NewKeyFromSeed(encoded[:ed25519.SeedSize])
	if !bytes.Equal(secret, encoded) {
		return nil, ErrIdentity
	}
	return newIdentity(secret), nil
}

func newIdentity(secret ed25519.PrivateKey) *Identity {
	return &Identity{secret: seal(&secret), public: [32]byte(secret[ed25519.SeedSize:])}
}

// PublicKey returns the ed25519 public key.
func (i *Identity) PublicKey() [32]byte { return i.public }

// PublicKeyEncoded returns the public key in libp2p's encoding: 08 01 12 20, followed by the
// key.
func (i *Identity) PublicKeyEncoded() []byte { return peerid.EncodeEd25519(i.public) }

// PeerID returns the id by which peers know this node.
func (i *Identity) PeerID() peerid.ID { return peerid.FromEd25519(i.public) }

// Sign signs the message itself, not a hash of it, as in Ed25519.
func (i *Identity) Sign(message []byte) [64]byte {
	return [64]byte(ed25519.Sign(*i.secret.open(), message))
}

// Private returns the private key for libp2p's handshakes. Wipe also overwrites the returned
// key.
func (i *Identity) Private() ed25519.PrivateKey { return *i.secret.open() }

// Wipe overwrites the secret. Afterwards the identity still has its public key, but must not be
// used to sign.
func (i *Identity) Wipe() { clear(*i.secret.open()) }
