package key

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunttest"
)

func bytesOf(b byte) io.Reader { return bytes.NewReader(bytes.Repeat([]byte{b}, 32)) }

// TestIdentity uses a seed with a peer id from a test of Komodo DeFi Framework's
// proxy_signature.
func TestIdentity(t *testing.T) {
	kv := bunttest.Memory(t)
	made, err := OpenIdentity(t.Context(), kv, bytesOf(0x7b))
	require.NoError(t, err)
	require.Equal(t, "12D3KooWJPtxrHVDPoETNfPJY4WWVzX7Ti4WPemtXDgb5qmFrDiv", made.PeerID().String())
	public := made.PublicKey()
	require.Equal(t, append([]byte{8, 1, 18, 32}, public[:]...), made.PublicKeyEncoded())
	message := []byte("Encoded Message for KDP\n")
	signature := made.Sign(message)
	require.True(t, ed25519.Verify(public[:], message, signature[:]))
	require.False(t, ed25519.Verify(public[:], message[1:], signature[:]))

	again, err := OpenIdentity(t.Context(), kv, strings.NewReader(""))
	require.NoError(t, err, "randomness is read once in the life of a store")
	require.Equal(t, made, again)
	private := again.Private()
	require.Equal(t, ed25519.PrivateKey(append(bytes.Repeat([]byte{0x7b}, 32), public[:]...)), private)
	again.Wipe()
	require.Equal(t, make(ed25519.PrivateKey, 64), private, "what Private gave is wiped too")
	require.Equal(t, made.PeerID(), again.PeerID())
	require.Equal(t, signature, made.Sign(message), "identities share no memory")
}

// TestIdentityInStore checks that the store contains libp2p's encoding of a private key, which
// other programs can read.
func TestIdentityInStore(t *testing.T) {
	kv := bunttest.Memory(t)
	made, err := OpenIdentity(t.Context(), kv, bytesOf(0x7b))
	require.NoError(t, err)
	found, err := kv.Get(t.Context(), "N/identity")
	require.NoError(t, err)
	public := made.PublicKey()
	require.Equal(t, "\x08\x01\x12\x40"+strings.Repeat("\x7b", 32)+string(public[:]), found[0].Data)
}

func TestDamagedIdentity(t *testing.T) {
	good := identityPrefix + string(ed25519.NewKeyFromSeed(make([]byte, 32)))
	for name, data := range map[string]string{
		"empty":          "",
		"short":          good[:67],
		"long":           good + "\x00",
		"another type":   "\x08\x02" + good[2:],
		"another public": good[:67] + "\x00",
		"another seed":   good[:4] + "\x01" + good[5:],
		"only the key":   good[4:],
		"something else": strings.Repeat("x", 68),
	} {
		t.Run(name, func(t *testing.T) {
			kv := bunttest.Memory(t)
			var b store.Batch
			b.Put(identityKey, data)
			require.NoError(t, store.Apply(t.Context(), kv, b))
			identity, err := OpenIdentity(t.Context(), kv, bytesOf(1))
			require.Nil(t, identity)
			require.ErrorIs(t, err, ErrIdentity)
			require.NotContains(t, err.Error(), "xxx")
			found, err := kv.Get(t.Context(), identityKey)
			require.NoError(t, err)
			require.Equal(t, data, found[0].Data, "a damaged identity is left for an operator to look at")
		})
	}
}

func TestIdentityNeedsRandomness(t *testing.T) {
	kv := bunttest.Memory(t)
	for name, random := range map[string]io.Reader{
		"short":   strings.NewReader("31 bytes are one byte too few.."),
		"failing": io.MultiReader(strings.NewReader("x"), failingReader{}),
	} {
		identity, err := OpenIdentity(t.Context(), kv, random)
		require.Nil(t, identity, name)
		require.ErrorContains(t, err, "source of randomness", name)
		found, err := kv.Get(t.Context(), identityKey)
		require.NoError(t, err)
		require.False(t, found[0].Present, name)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("no entropy") }

func TestManyOpenersOfOneIdentity(t *testing.T) {
	kv := bunttest.Memory(t)
	const openers = 16
	identities := make([]*Identity, openers)
	var group sync.WaitGroup
	for i := range openers {
		group.Go(func() {
			identity, err := OpenIdentity(context.Background(), kv, bytesOf(byte(i)))
			if err == nil {
				identities[i] = identity
			}
		})
	}
	group.Wait()
	for _, identity := range identities {
		require.NotNil(t, identity)
		require.Equal(t, identities[0], identity)
	}
}

// rivalStore is a store that lets a concurrent call in between Get and Stage, or refuses a
// batch.
type rivalStore struct {
	store.KV
	before    func()
	durable   error
	durations atomic.Int32
}

func (r *rivalStore) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	if r.before != nil {
		before := r.before
		r.before = nil
		before()
	}
	wait, err := r.KV.Stage(ctx, b)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		r.durations.Add(1)
		if r.durable != nil {
			return r.durable
		}
		return wait(ctx)
	}, nil
}

func TestFasterOpenerWins(t *testing.T) {
	kv := bunttest.Memory(t)
	var rival *Identity
	slow := &rivalStore{KV: kv}
	slow.before = func() {
		var err error
		rival, err = OpenIdentity(context.Background(), kv, bytesOf(2))
		require.NoError(t, err)
	}
	identity, err := OpenIdentity(t.Context(), slow, bytesOf(1))
	require.NoError(t, err)
	require.Equal(t, rival, identity)
	require.EqualValues(t, 1, slow.durations.Load(), "what another one staged is waited for")
}

// TestIdentityIsDurableBeforeUse checks that an identity that a crash could lose is not
// returned.
func TestIdentityIsDurableBeforeUse(t *testing.T) {
	refusing := &rivalStore{KV: bunttest.Memory(t), durable: store.ErrFailed}
	for _, what := range []string{"made", "found"} {
		identity, err := OpenIdentity(t.Context(), refusing, bytesOf(1))
		require.Nil(t, identity, what)
		require.ErrorIs(t, err, store.ErrFailed, what)
	}
	require.EqualValues(t, 2, refusing.durations.Load())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := OpenIdentity(ctx, bunttest.Memory(t), bytesOf(1))
	require.ErrorIs(t, err, context.Canceled)
}

func TestIdentityShowsNothing(t *testing.T) {
	identity, err := OpenIdentity(t.Context(), bunttest.Memory(t), bytes.NewReader([]byte("a seed for the identity, 32 byte")))
	require.NoError(t, err)
	secret := *identity.secret.open()
	showsNothing(t, [][]byte{secret[:32]}, identity, *identity, struct{ hidden Identity }{*identity}, struct{ hidden *Identity }{identity})
}

func FuzzDecodeIdentity(f *testing.F) {
	f.Add("")
	f.Add(identityPrefix + string(ed25519.NewKeyFromSeed(make([]byte, 32))))
	f.Fuzz(func(t *testing.T, data string) {
		identity, err := decodeIdentity(data)
		if err != nil {
			require.ErrorIs(t, err, ErrIdentity)
			return
		}
		require.Equal(t, data, identityPrefix+string(*identity.secret.open()))
	})
}
