package noise_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/lightning/noise"
)

// keyOf returns a key that is derived from a text.
func keyOf(t testing.TB, text string) *key.Private {
	secret := sha256.Sum256([]byte(text))
	return private(t, secret[:])
}

// sessions returns the two ends of a session between alice, who connects, and bob.
func sessions(t testing.TB) (alice, bob *noise.Session) {
	t.Helper()
	a, b := keyOf(t, "alice"), keyOf(t, "bob")
	i := noise.NewInitiator(a, keyOf(t, "alice's"), b.PublicKey())
	r := noise.NewResponder(b, keyOf(t, "bob's"))
	one, err := i.Act1()
	require.NoError(t, err)
	require.NoError(t, r.Act1(one[:]))
	two, err := r.Act2()
	require.NoError(t, err)
	require.NoError(t, i.Act2(two[:]))
	three, alice, err := i.Act3()
	require.NoError(t, err)
	who, bob, err := r.Act3(three[:])
	require.NoError(t, err)
	require.Equal(t, a.PublicKey(), who)
	return alice, bob
}

// TestMessages checks messages of all sizes in both directions, with key changes at different
// times.
func TestMessages(t *testing.T) {
	alice, bob := sessions(t)
	var there, back bytes.Buffer
	ends := []struct {
		writer *noise.Writer
		reader *noise.Reader
	}{{alice.Writer(&there), bob.Reader(iotest.OneByteReader(&there))}, {bob.Writer(&back), alice.Reader(iotest.HalfReader(&back))}}
	for n := range 1300 {
		for side, end := range ends {
			if side == 1 && n%3 > 0 {
				continue
			}
			sent := bytes.Repeat([]byte{byte(n)}, n)
			require.NoError(t, end.writer.Write(sent))
			got, err := end.reader.Read()
			require.NoError(t, err)
			require.True(t, bytes.Equal(sent, got), "message %d of side %d", n, side)
		}
	}
	for _, size := range []int{0, 1, noise.MaxMessage - 1, noise.MaxMessage, 5} {
		require.NoError(t, ends[0].writer.Write(make([]byte, size)))
		got, err := ends[0].reader.Read()
		require.NoError(t, err)
		require.Len(t, got, size)
	}
	require.ErrorIs(t, ends[0].writer.Write(make([]byte, noise.MaxMessage+1)), noise.ErrLong)
	require.NoError(t, ends[0].writer.Write([]byte("as before")))
	got, err := ends[0].reader.Read()
	require.NoError(t, err)
	require.Equal(t, "as before", string(got))
	_, err = ends[0].reader.Read()
	require.Equal(t, io.EOF, err, "an end between messages")
}

// TestOneWrite checks that a message is written with one call of the underlying writer, since
// two calls would send two packets.
func TestOneWrite(t *testing.T) {
	alice, _ := sessions(t)
	calls := 0
	writer := alice.Writer(writerFunc(func(p []byte) (int, error) { calls++; return len(p), nil }))
	require.NoError(t, writer.Write([]byte("hello")))
	require.NoError(t, writer.Write(make([]byte, 60000)))
	require.Equal(t, 2, calls)
	broken := errors.New("broken pipe")
	alice, _ = sessions(t)
	require.ErrorIs(t, alice.Writer(writerFunc(func([]byte) (int, error) { return 0, broken })).Write(nil), broken)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestIdleReader checks that a reader that waits for a message does not keep the memory of the
// previous large one.
func TestIdleReader(t *testing.T) {
	alice, bob := sessions(t)
	var wire bytes.Buffer
	writer := alice.Writer(&wire)
	require.NoError(t, writer.Write(make([]byte, noise.MaxMessage)))
	var reader *noise.Reader
	reader = bob.Reader(readerFunc(func(p []byte) (int, error) {
		if wire.Len() == 0 {
			require.Zero(t, noise.ReadCapacity(reader))
		}
		return wire.Read(p)
	}))
	message, err := reader.Read()
	require.NoError(t, err)
	require.Len(t, message, noise.MaxMessage)
	_, err = reader.Read()
	require.Equal(t, io.EOF, err)
	require.Zero(t, noise.WriteCapacity(writer), "nor does who has written it")
}

// TestLengthsOfActs checks that acts of other lengths are rejected.
func TestLengthsOfActs(t *testing.T) {
	a, b := keyOf(t, "alice"), keyOf(t, "bob")
	for _, extra := range []int{-1, 0, 1} {
		change := func(act []byte) []byte { return append(act, 0)[:len(act)+extra] }
		i, r := noise.NewInitiator(a, keyOf(t, "alice's"), b.PublicKey()), noise.NewResponder(b, keyOf(t, "bob's"))
		one, err := i.Act1()
		require.NoError(t, err)
		if extra != 0 {
			require.ErrorIs(t, noise.NewResponder(b, keyOf(t, "bob's")).Act1(change(one[:])), noise.ErrShort)
		}
		require.NoError(t, r.Act1(one[:]))
		two, err := r.Act2()
		require.NoError(t, err)
		if extra != 0 {
			require.ErrorIs(t, noise.NewInitiator(a, keyOf(t, "alice's"), b.PublicKey()).Act2(change(two[:])), noise.ErrShort)
		}
		require.NoError(t, i.Act2(two[:]))
		three, _, err := i.Act3()
		require.NoError(t, err)
		_, _, err = r.Act3(change(three[:]))
		if extra != 0 {
			require.ErrorIs(t, err, noise.ErrShort)
		} else {
			require.NoError(t, err)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestTamperedFrames checks that changed, missing, repeated and truncated bytes of a frame are
// detected.
func TestTamperedFrames(t *testing.T) {
	frames := func(t *testing.T) (a, b []byte, reader func([]byte) *noise.Reader) {
		alice, bob := sessions(t)
		var wire bytes.Buffer
		writer := alice.Writer(&wire)
		require.NoError(t, writer.Write([]byte("first")))
		length := wire.Len()
		require.NoError(t, writer.Write([]byte("second")))
		return wire.Bytes()[:length], wire.Bytes()[length:], func(b []byte) *noise.Reader { return bob.Reader(bytes.NewReader(b)) }
	}
	first, _, _ := frames(t)
	for n := range first {
		a, _, reader := frames(t)
		a[n] ^= 0x40
		_, err := reader(a).Read()
		require.ErrorIs(t, err, noise.ErrFrame, "byte %d", n)
	}
	for n := 1; n < len(first); n++ {
		a, _, reader := frames(t)
		_, err := reader(a[:n]).Read()
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "after %d bytes", n)
	}
	_, b, reader := frames(t)
	_, err := reader(b).Read()
	require.ErrorIs(t, err, noise.ErrFrame, "the first one is missing")
	a, _, reader := frames(t)
	twice := reader(append(bytes.Clone(a), a...))
	_, err = twice.Read()
	require.NoError(t, err)
	_, err = twice.Read()
	require.ErrorIs(t, err, noise.ErrFrame, "repeated")
}

// TestWrongKeys checks that a responder with another key than the expected one fails at act 1.
func TestWrongKeys(t *testing.T) {
	a, b := keyOf(t, "alice"), keyOf(t, "bob")
	i := noise.NewInitiator(a, keyOf(t, "alice's"), keyOf(t, "carol").PublicKey())
	act, err := i.Act1()
	require.NoError(t, err)
	err = noise.NewResponder(b, keyOf(t, "bob's")).Act1(act[:])
	require.ErrorIs(t, err, noise.ErrTag)
	require.EqualError(t, err, "act 1 of the handshake: authentication failed")

	invalid := [33]byte(unhex(t, "020000000000000000000000000000000000000000000000000000000000000005")) // no point has x = 5
	_, err = noise.NewInitiator(a, keyOf(t, "alice's"), invalid).Act1()
	require.ErrorIs(t, err, noise.ErrPoint)
	require.ErrorIs(t, err, key.ErrPoint)
}

// TestNothingIsPrinted checks that formatting a value shows no key.
func TestNothingIsPrinted(t *testing.T) {
	alice, _ := sessions(t)
	i := noise.NewInitiator(keyOf(t, "alice"), keyOf(t, "alice's"), keyOf(t, "bob").PublicKey())
	r := noise.NewResponder(keyOf(t, "alice"), keyOf(t, "alice's"))
	for _, secret := range []any{alice, *alice, i, *i, r, *r, alice.Writer(nil), alice.Reader(nil)} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
			require.Equal(t, "[keys]", fmt.Sprintf(verb, secret), "%T", secret)
		}
	}
}

// FuzzActs checks that acts by an unauthenticated peer are rejected without a panic.
func FuzzActs(f *testing.F) {
	alice, bob := keyOf(f, "alice"), keyOf(f, "bob")
	good, err := noise.NewInitiator(alice, keyOf(f, "alice's"), bob.PublicKey()).Act1()
	require.NoError(f, err)
	f.Add(good[:], good[:], append(good[:], make([]byte, 16)...))
	f.Add([]byte{}, []byte{1}, bytes.Repeat([]byte{2}, noise.Act3Size))
	f.Add(good[:49], bytes.Repeat([]byte{0}, noise.Act2Size), bytes.Repeat([]byte{0}, noise.Act3Size))
	f.Fuzz(func(t *testing.T, one, two, three []byte) {
		r := noise.NewResponder(bob, keyOf(t, "bob's"))
		if err := r.Act1(one); err == nil {
			_, err = r.Act2()
			require.NoError(t, err)
			_, _, err = r.Act3(three)
			requireActError(t, err)
		} else {
			requireActError(t, err)
		}
		i := noise.NewInitiator(alice, keyOf(t, "alice's"), bob.PublicKey())
		_, err := i.Act1()
		require.NoError(t, err)
		requireActError(t, i.Act2(two))
	})
}

func requireActError(t *testing.T, err error) {
	var act *noise.ActError
	require.ErrorAs(t, err, &act)
}

// FuzzFrames checks that forged messages are rejected, and that the peer's messages are read
// regardless of how they are split.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("hello"), []byte{})
	f.Add([]byte{}, bytes.Repeat([]byte{0}, 100))
	f.Add(bytes.Repeat([]byte{7}, 5000), []byte{1})
	f.Fuzz(func(t *testing.T, message, junk []byte) {
		alice, bob := sessions(t)
		var wire bytes.Buffer
		writer := alice.Writer(&wire)
		if err := writer.Write(message); err != nil {
			require.Greater(t, len(message), noise.MaxMessage)
			return
		}
		wire.Write(junk)
		reader := bob.Reader(&wire)
		got, err := reader.Read()
		require.NoError(t, err)
		require.True(t, bytes.Equal(message, got))
		_, err = reader.Read()
		require.Error(t, err)
	})
}

// BenchmarkMessage measures a message of 1 kB.
func BenchmarkMessage(b *testing.B) {
	alice, bob := sessions(b)
	var wire bytes.Buffer
	writer, reader, message := alice.Writer(&wire), bob.Reader(&wire), make([]byte, 1000)
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		if writer.Write(message) != nil {
			b.Fatal("not written")
		}
		if _, err := reader.Read(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHandshake measures all three acts on both sides.
func BenchmarkHandshake(b *testing.B) {
	for b.Loop() {
		sessions(b)
	}
}
