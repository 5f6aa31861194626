package link

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/wire"
)

func message(kind uint16, payload ...byte) []byte {
	return append(binary.BigEndian.AppendUint16(nil, kind), payload...)
}

// TestMessages checks the replies to messages of a peer. The reply to a following ping shows
// that the connection still works and that no reply is missing.
func TestMessages(t *testing.T) {
	chain, id := bytes.Repeat([]byte{0xaa}, 32), bytes.Repeat([]byte{0xbb}, 32)
	for _, c := range []struct {
		name    string
		message []byte
		reply   []byte // nil means none
		fatal   string // "" means that the connection is kept
	}{
		{"ping", wire.Ping{Pong: 5, Ignored: 3}.Encode(), wire.Pong(5).Encode(), ""},
		{"ping for nothing", wire.Ping{Pong: 0}.Encode(), wire.Pong(0).Encode(), ""},
		{"ping for the largest pong", wire.Ping{Pong: 65531}.Encode(), wire.Pong(65531).Encode(), ""},
		{"ping that wants no pong", wire.Ping{Pong: 65532}.Encode(), nil, ""},
		{"pong without a ping", wire.Pong(100).Encode(), nil, ""},
		{"unknown odd type", message(12345, 1, 2, 3), nil, ""},
		{"custom odd type", message(65535), nil, ""},
		{"warning", wire.Problem{Text: "take care"}.Encode(wire.TypeWarning), nil, ""},
		{"error", wire.Problem{Text: "sorry"}.Encode(wire.TypeError), nil, ""},
		{"error of a channel", wire.Problem{Channel: [32]byte(id)}.Encode(wire.TypeError), nil, ""},
		{"open a channel", message(32, append(append(bytes.Clone(chain), id...), make([]byte, 200)...)...),
			wire.Problem{Channel: [32]byte(id), Text: noChannels}.Encode(wire.TypeError), ""},
		{"open a channel, version 2", message(64, append(append(bytes.Clone(chain), id...), 1)...),
			wire.Problem{Channel: [32]byte(id), Text: noChannels}.Encode(wire.TypeError), ""},
		{"reestablish a channel", message(136, id...), nil, ""},
		{"gossip", message(256, make([]byte, 400)...), nil, ""},
		{"which channels", message(263, append(bytes.Clone(chain), 0, 0, 0, 1, 0, 0, 0, 9)...),
			message(264, append(bytes.Clone(chain), 0, 0, 0, 1, 0, 0, 0, 9, 1, 0, 1, 0)...), ""},
		{"these channels", message(261, append(bytes.Clone(chain), 0, 1, 0)...), message(262, append(bytes.Clone(chain), 0)...), ""},
		{"wants gossip", message(265, make([]byte, 40)...), nil, ""},

		{"unknown even type", message(12344), nil, "unsupported mandatory message of type 12344"},
		{"init again", usual().Encode(), nil, "duplicate init message"},
		{"half a ping", message(18, 0), nil, "invalid message: ping: truncated"},
		{"half a pong", message(19), nil, "invalid message: pong: truncated"},
		{"half an error", message(17, id...), nil, "invalid message: error or warning: truncated"},
		{"half a channel", message(32, id...), nil, "invalid message: open_channel: truncated"},
		{"half a question", message(263, id...), nil, "invalid message: query_channel_range: truncated"},
		{"no type", []byte{1}, nil, "invalid message: type: truncated"},
		{"nothing", nil, nil, "invalid message: type: truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				alice := w.start(t, "alice", "alice.example:9735")
				bob := w.call(t, "bob", alice)
				bob.greet(usual())
				bob.say(c.message)
				if c.fatal != "" {
					require.Equal(t, wire.Problem{Text: c.fatal}.Encode(wire.TypeWarning), bob.hear(), "the peer receives the reason")
					_, err := bob.reader.Read()
					require.Error(t, err)
					synctest.Wait()
					require.Empty(t, alice.List())
					require.Equal(t, []lightning.State{lightning.Connected, lightning.Disconnected}, alice.history())
					require.EqualError(t, alice.reason(), c.fatal)
					return
				}
				if c.reply != nil {
					require.True(t, bytes.Equal(c.reply, bob.hear()))
				}
				bob.say(wire.Ping{Pong: 77}.Encode())
				require.Equal(t, wire.Pong(77).Encode(), bob.hear())
				require.Equal(t, lightning.Connected, alice.state(idOf(t, "bob")))
			})
		})
	}
}

// TestNothingBeforeInit checks that nothing but init is sent before init was received.
func TestNothingBeforeInit(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		for name, early := range map[string][]byte{"ping": wire.Ping{Pong: 1}.Encode(), "even": message(30000), "odd": message(30001), "junk": {7}} {
			bob := w.call(t, "bob", alice)
			bob.hear()
			bob.say(early)
			_, err := bob.reader.Read()
			require.Error(t, err, name)
		}
		bob := w.call(t, "bob", alice)
		bob.say(wire.Problem{Text: "busy"}.Encode(wire.TypeWarning)) // a peer may send its reason before it disconnects
		bob.greet(usual())
		bob.say(wire.Ping{Pong: 1}.Encode())
		require.Equal(t, wire.Pong(1).Encode(), bob.hear())
	})
}

func TestOwnInit(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		hash, _ := lightning.ChainHash("regtest")
		alice := w.start(t, "alice", "alice.example:9735", func(c *Config) { c.Networks = [][32]byte{hash} })
		said := w.call(t, "bob", alice).greet(usual())
		require.Equal(t, wire.LocalFeatures(), said.Features)
		require.Equal(t, [][32]byte{hash}, said.Networks)
		require.Equal(t, "198.51.100.7:4321", said.Remote.String())
	})
}

func TestPublicAddress(t *testing.T) {
	for text, want := range map[string]bool{"198.51.100.7:1": true, "[2001:db8::1]:1": true, "[::ffff:198.51.100.7]:1": true, "127.0.0.1:1": false,
		"10.1.2.3:1": false, "192.168.0.1:1": false, "[fe80::1]:1": false, "[fd00::1]:1": false, "[::1]:1": false, "0.0.0.0:1": false, "224.0.0.1:1": false} {
		require.Equal(t, want, publicAddress(netip.MustParseAddrPort(text)).IsValid(), text)
	}
	require.Equal(t, "198.51.100.7:1", publicAddress(netip.MustParseAddrPort("[::ffff:198.51.100.7]:1")).String())
	require.False(t, publicAddress(lightning.Peer{}.Seen).IsValid())
}

// TestTextOfAPeer checks that the text of a peer is in the reason, with only its harmless
// characters.
func TestTextOfAPeer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		bob := w.call(t, "bob", alice)
		bob.greet(usual())
		bob.say(wire.Problem{Text: "\x1b[2J\"bye\"\n" + strings.Repeat("x", 9000)}.Encode(wire.TypeError))
		bob.conn.Close()
		synctest.Wait()
		reason := alice.reason().Error()
		require.True(t, strings.HasPrefix(reason, `the node hung up; the node's message: "?[2J\"bye\"?xxx`), reason)
		require.Less(t, len(reason), 320)
	})
}

// TestLatency checks that a peer that sends too much is read slowly, and only for as long as it
// does.
func TestLatency(t *testing.T) {
	now := time.Unix(1, 0)
	p := rateLimit{now: func() time.Time { return now }}
	for range readBurst / 65536 {
		require.Zero(t, p.spend(65536), "a burst")
	}
	require.Equal(t, time.Second/32, p.spend(65536))
	now = now.Add(time.Second / 32)
	require.Equal(t, 500*time.Millisecond, p.spend(readRate/2).Round(time.Millisecond))
	now = now.Add(10 * time.Second)
	require.Zero(t, p.spend(65536), "all is paid for")
	require.Equal(t, 65536, p.spent)
	now = now.Add(-time.Hour)
	require.Zero(t, p.spend(1), "a clock that is set back costs nothing")
	require.Equal(t, 65536+minMessageCost, p.spent)
}

// TestFlood checks that the cost of a message includes its reply and a minimum.
func TestFlood(t *testing.T) {
	for _, c := range []struct {
		name    string
		message []byte
		cost    int
		count   int
	}{
		{"large messages", message(32769, make([]byte, 65000)...), 65002, 300},
		{"small messages", message(32769), 512, 20000},
		{"large answers", wire.Ping{Pong: 65531}.Encode(), 65535, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				alice := w.start(t, "alice", "alice.example:9735")
				bob := w.call(t, "bob", alice)
				bob.greet(usual())
				begun := time.Now()
				go func() {
					for range c.count {
						bob.say(c.message)
					}
					bob.say(wire.Ping{Pong: 1}.Encode())
				}()
				for !bytes.Equal(bob.hear(), wire.Pong(1).Encode()) {
				}
				want := time.Duration(c.count*c.cost-readBurst) * time.Second / readRate
				require.InDelta(t, want.Seconds(), time.Since(begun).Seconds(), 0.1)
			})
		})
	}
}

// FuzzInbox checks that the replies to any messages in any order are few and small, and that
// nothing is sent before init.
func FuzzInbox(f *testing.F) {
	f.Add(usual().Encode(), wire.Ping{Pong: 9}.Encode(), message(263, make([]byte, 40)...))
	f.Add(usual().Encode(), message(32, make([]byte, 64)...), message(12344))
	f.Add(wire.Problem{Text: "x"}.Encode(wire.TypeError), usual().Encode(), usual().Encode())
	f.Add([]byte{}, []byte{0}, []byte{0, 16})
	f.Fuzz(func(t *testing.T, one, two, three []byte) {
		in := inbox{networks: [][32]byte{{1}}}
		for _, m := range [][]byte{one, two, three} {
			begun := in.initialized
			n, cost := in.handle(m)
			require.GreaterOrEqual(t, cost, len(m))
			require.LessOrEqual(t, len(n.reply), 65535)
			if !begun && !in.initialized {
				require.Nil(t, n.reply)
				require.Nil(t, n.init)
			}
			if n.init != nil {
				require.False(t, begun)
				require.NoError(t, n.fatal)
			}
			if n.fatal != nil {
				return
			}
		}
	})
}
