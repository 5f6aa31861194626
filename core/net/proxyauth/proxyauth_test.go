package proxyauth

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/peerid"
	"obverse/core/store/bunt"
)

// identity is the key used in a test of Komodo DeFi Framework.
type identity struct{ secret ed25519.PrivateKey }

func (i identity) public() [32]byte             { return [32]byte(i.secret.Public().(ed25519.PublicKey)) }
func (i identity) PublicKeyEncoded() []byte     { return peerid.EncodeEd25519(i.public()) }
func (i identity) PeerID() peerid.ID            { return peerid.FromEd25519(i.public()) }
func (i identity) Sign(message []byte) [64]byte { return [64]byte(ed25519.Sign(i.secret, message)) }

func upstreams() identity { return identity{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{0x7b}, 32))} }

const (
	uri      = "http://example.com/"
	bodySize = 123
)

var now = time.Unix(1_700_000_000, 999_999_999)

func TestSign(t *testing.T) {
	header, err := Sign(upstreams(), uri, bodySize, now)
	require.NoError(t, err)
	var value struct {
		SignatureBytes []int `json:"signature_bytes"`
		Address        string
		RawMessage     struct {
			URI              string
			BodySize         int   `json:"body_size"`
			PublicKeyEncoded []int `json:"public_key_encoded"`
			ExpiresAt        int64 `json:"expires_at"`
		} `json:"raw_message"`
	}
	decoder := json.NewDecoder(strings.NewReader(header))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&value))
	require.True(t, strings.HasPrefix(header, `{"signature_bytes":[`), "a list of numbers, first")
	require.Less(t, strings.Index(header, `"address"`), strings.Index(header, `"raw_message":{"uri":"`))
	require.Equal(t, "12D3KooWJPtxrHVDPoETNfPJY4WWVzX7Ti4WPemtXDgb5qmFrDiv", value.Address, "as upstream's test has it")
	require.Equal(t, uri, value.RawMessage.URI)
	require.Equal(t, bodySize, value.RawMessage.BodySize)
	require.EqualValues(t, 1_700_000_015, value.RawMessage.ExpiresAt)
	require.Len(t, value.RawMessage.PublicKeyEncoded, 36)
	require.Equal(t, []int{8, 1, 18, 32}, value.RawMessage.PublicKeyEncoded[:4])

	var public, signature []byte
	for _, n := range value.RawMessage.PublicKeyEncoded {
		public = append(public, byte(n))
	}
	for _, n := range value.SignatureBytes {
		signature = append(signature, byte(n))
	}
	numbers, err := hex.DecodeString("7b00000000000000" + "0ff1536500000000") // 123, 1700000015
	require.NoError(t, err)
	signed := "Encoded Message for KDP\n" + string(public) + uri + string(numbers)
	require.True(t, ed25519.Verify(public[4:], []byte(signed), signature))
}

func TestSignByTheNodesIdentity(t *testing.T) {
	kv, err := bunt.Open(":memory:")
	require.NoError(t, err)
	defer kv.Close()
	node, err := key.OpenIdentity(t.Context(), kv, bytes.NewReader(bytes.Repeat([]byte{0x7b}, 32)))
	require.NoError(t, err)
	header, err := Sign(node, uri, bodySize, now)
	require.NoError(t, err)
	want, err := Sign(upstreams(), uri, bodySize, now)
	require.NoError(t, err)
	require.Equal(t, want, header)
}

func TestVerify(t *testing.T) {
	good, err := Sign(upstreams(), uri, bodySize, now)
	require.NoError(t, err)
	change := func(edit func(*payload)) string {
		var p payload
		require.NoError(t, json.Unmarshal([]byte(good), &p))
		edit(&p)
		text, err := json.Marshal(p)
		require.NoError(t, err)
		return string(text)
	}
	other := identity{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32))}
	for _, c := range []struct {
		name, header string
		later        time.Duration
		want         error
	}{
		{"good", good, 0, nil},
		{"at its last second", good, 14 * time.Second, nil},
		{"too old", good, 15 * time.Second, ErrExpired},
		{"good for too long", good, -time.Second, ErrExpired},
		{"another URI", change(func(p *payload) { p.Message.URI += "x" }), 0, ErrSignature},
		{"another size", change(func(p *payload) { p.Message.BodySize++ }), 0, ErrSignature},
		{"another time", change(func(p *payload) { p.Message.ExpiresAt-- }), 0, ErrSignature},
		{"another peer", change(func(p *payload) { p.Address = other.PeerID().String() }), 0, ErrSignature},
		{"another key", change(func(p *payload) { p.Message.PublicKey = other.PublicKeyEncoded() }), 0, ErrSignature},
		{"another key and peer", change(func(p *payload) {
			p.Message.PublicKey, p.Address = other.PublicKeyEncoded(), other.PeerID().String()
		}), 0, ErrSignature},
		{"another kind of key", change(func(p *payload) { p.Message.PublicKey[1] = 2 }), 0, ErrSignature},
		{"another signature", change(func(p *payload) { p.Signature[0] ^= 1 }), 0, ErrSignature},
		{"short signature", change(func(p *payload) { p.Signature = p.Signature[:63] }), 0, ErrSignature},
		{"short key", change(func(p *payload) { p.Message.PublicKey = p.Message.PublicKey[:31] }), 0, ErrPayload},
		{"no key", change(func(p *payload) { p.Message.PublicKey = nil }), 0, ErrPayload},
		{"no JSON", good[1:], 0, ErrPayload},
		{"number that is no byte", strings.Replace(good, "[", "[256,", 1), 0, ErrPayload},
		{"too long", good + strings.Repeat(" ", maxHeader), 0, ErrPayload},
		{"nothing", "", 0, ErrPayload},
		{"nothing in it", "{}", 0, ErrExpired},
	} {
		t.Run(c.name, func(t *testing.T) {
			request, err := Verify(c.header, now.Add(c.later), Lifetime)
			require.ErrorIs(t, err, c.want)
			if c.want == nil {
				require.Equal(t, Request{upstreams().PeerID(), uri, bodySize}, request)
			} else {
				require.Zero(t, request)
			}
		})
	}
}

func FuzzVerify(f *testing.F) {
	good, err := Sign(upstreams(), uri, bodySize, now)
	require.NoError(f, err)
	f.Add(good)
	f.Add(`{"raw_message":{"public_key_encoded":"AAAA","expires_at":1700000001}}`)
	f.Fuzz(func(t *testing.T, header string) {
		request, err := Verify(header, now, Lifetime)
		if err == nil && request.Peer == upstreams().PeerID() {
			require.Equal(t, uri, request.URI, "nothing else was signed")
		}
	})
}
