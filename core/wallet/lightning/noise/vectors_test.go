package noise_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/rpc/recording"
	"obverse/core/wallet/lightning/noise"
)

// step is a message that a side reads or writes, or the result of a handshake.
type step struct {
	Dir, Hex, Error, SK, RK string
	Message                 *int
}

type vector struct {
	Name  string
	Keys  map[string]string
	Steps []step
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return b
}

// private returns the key of a known secret.
func private(t testing.TB, secret []byte) *key.Private {
	t.Helper()
	p, err := key.Generate(bytes.NewReader(secret))
	require.NoError(t, err)
	return p
}

// TestVectorsBOLT8 uses appendix A of BOLT 8: both sides, all failures of a handshake, and
// messages across two key changes.
func TestVectorsBOLT8(t *testing.T) {
	for _, file := range recording.Read(t, "testdata", "OBVERSE_VECTORS", "bolt8.json") {
		var list struct{ Cases []vector }
		require.NoError(t, json.Unmarshal(file, &list))
		require.GreaterOrEqual(t, len(list.Cases), 16)
		for _, v := range list.Cases {
			t.Run(strings.TrimPrefix(v.Name, "transport-"), func(t *testing.T) {
				for name, text := range v.Keys {
					if secret, ok := strings.CutSuffix(name, ".priv"); ok {
						public := private(t, unhex(t, text)).PublicKey()
						require.Equal(t, v.Keys[secret+".pub"], hex.EncodeToString(public[:]))
					}
				}
				switch {
				case strings.HasPrefix(v.Name, "transport-initiator"):
					v.replay(t, v.initiator(t))
				case strings.HasPrefix(v.Name, "transport-responder"):
					v.replay(t, v.responder(t))
				default:
					v.messages(t)
				}
			})
		}
	}
}

// side is one side of a handshake. It writes the next act and reads acts.
type side struct {
	write   func() ([]byte, error)
	read    func(act []byte) error
	session func() *noise.Session
}

func (v vector) initiator(t *testing.T) side {
	i := noise.NewInitiator(private(t, unhex(t, v.Keys["ls.priv"])), private(t, unhex(t, v.Keys["e.priv"])), [33]byte(unhex(t, v.Keys["rs.pub"])))
	var session *noise.Session
	first := true
	return side{
		write: func() ([]byte, error) {
			if first {
				first = false
				act, err := i.Act1()
				return act[:], err
			}
			act, s, err := i.Act3()
			session = s
			return act[:], err
		},
		read:    i.Act2,
		session: func() *noise.Session { return session },
	}
}

func (v vector) responder(t *testing.T) side {
	r := noise.NewResponder(private(t, unhex(t, v.Keys["ls.priv"])), private(t, unhex(t, v.Keys["e.priv"])))
	var session *noise.Session
	first := true
	return side{
		write: func() ([]byte, error) {
			act, err := r.Act2()
			return act[:], err
		},
		read: func(act []byte) (err error) {
			if first {
				first = false
				return r.Act1(act)
			}
			_, session, err = r.Act3(act)
			return err
		},
		session: func() *noise.Session { return session },
	}
}

func (v vector) replay(t *testing.T, s side) {
	var failed error
	for _, step := range v.Steps {
		switch {
		case step.Error != "":
			require.ErrorIs(t, failed, wantedCause(t, step.Error))
			var act *noise.ActError
			require.ErrorAs(t, failed, &act)
			require.Equal(t, fmt.Sprint("ACT", act.Act), step.Error[:4])
			failed = nil
		case step.SK != "":
			send, receive := noise.Keys(s.session())
			require.Equal(t, step.SK, hex.EncodeToString(send[:]))
			require.Equal(t, step.RK, hex.EncodeToString(receive[:]))
		case step.Dir == "input":
			require.NoError(t, failed)
			failed = s.read(unhex(t, step.Hex))
		default:
			require.NoError(t, failed)
			act, err := s.write()
			require.NoError(t, err)
			require.Equal(t, step.Hex, hex.EncodeToString(act))
		}
	}
	require.NoError(t, failed)
}

// wantedCause returns the error for a name in BOLT 8.
func wantedCause(t *testing.T, name string) error {
	name, _, _ = strings.Cut(name[len("ACT1_"):], " ")
	causes := map[string]error{"READ_FAILED": noise.ErrShort, "BAD_VERSION": noise.VersionError(1), "BAD_PUBKEY": noise.ErrPoint,
		"BAD_TAG": noise.ErrTag, "BAD_CIPHERTEXT": noise.ErrCiphertext}
	require.Contains(t, causes, name)
	return causes[name]
}

func (v vector) messages(t *testing.T) {
	chain, send, receive := [32]byte(unhex(t, v.Keys["ck"])), [32]byte(unhex(t, v.Keys["sk"])), [32]byte(unhex(t, v.Keys["rk"]))
	var wire bytes.Buffer
	writer := noise.NewSession(chain, send, receive).Writer(&wire)
	reader := noise.NewSession(chain, receive, send).Reader(&wire)
	want := map[int]string{}
	for _, step := range v.Steps {
		want[*step.Message] = step.Hex
	}
	require.Len(t, want, 6)
	for n := range 1002 {
		require.NoError(t, writer.Write([]byte("hello")))
		if text, ok := want[n]; ok {
			require.Equal(t, text, hex.EncodeToString(wire.Bytes()), n)
			delete(want, n)
		}
		message, err := reader.Read()
		require.NoError(t, err)
		require.Equal(t, "hello", string(message))
	}
	require.Empty(t, want)
}
