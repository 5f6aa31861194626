package lightning

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	core "obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/link"
	"obverse/core/wallet/lightning/noise"
	"obverse/core/wallet/lightning/wire"
	"obverse/native/lightning/npmpeer"
)

// bob is the id of the npm peer.
const bob = "028d7500dd4c12685d1f568b4c2b5048e8534b873319f3a8daa612b469132ec7f7"

func initOf(t *testing.T, l npmpeer.Line) wire.Init {
	t.Helper()
	message, err := hex.DecodeString(l.Init)
	require.NoError(t, err)
	m, err := wire.DecodeInit(message[2:])
	require.NoError(t, err)
	return m
}

// The node connects to another implementation, by address and by name.
func TestConnectToAnNpmPeer(t *testing.T) {
	peer := npmpeer.Start(t)
	for _, host := range []string{"127.0.0.1", "localhost"} {
		n := start(t, "alice", nil)
		address := parse(t, fmt.Sprintf("%s@%s:%d", bob, host, peer.Port))
		already, err := n.Connect(t.Context(), address, 0)
		require.NoError(t, err)
		require.False(t, already)
		require.Equal(t, n.ID().String(), peer.Next(t, func(l npmpeer.Line) bool { return l.Ready != "" }).Ready)
		require.Equal(t, wire.LocalFeatures(), initOf(t, peer.Next(t, func(l npmpeer.Line) bool { return l.Init != "" })).Features)
		already, err = n.Connect(t.Context(), parse(t, bob+"@[::1]:1"), 0)
		require.NoError(t, err)
		require.True(t, already)
		require.NoError(t, n.Disconnect(address.Node))
		peer.Next(t, func(l npmpeer.Line) bool { return l.Closed != "" })
		require.Empty(t, n.List())
	}
}

// 1100 messages change the key of a direction twice. The directions are tested one at a time, since
// the other implementation has one chaining key for both directions, whereas BOLT 8 has one for
// each.
const manyMessages = 1100

func TestKeysOfAnNpmPeerChange(t *testing.T) {
	peer := npmpeer.Start(t, "--say", strings.TrimSuffix(strings.Repeat("8001,", manyMessages), ","), "--pings", "1")
	n := start(t, "alice", nil)
	_, err := n.Connect(t.Context(), parse(t, fmt.Sprintf("%s@127.0.0.1:%d", bob, peer.Port)), 0)
	require.NoError(t, err)
	require.Equal(t, 1, peer.Next(t, func(l npmpeer.Line) bool { return l.Pongs > 0 }).Pongs)
	require.Equal(t, core.Connected, n.List()[0].State)
}

func TestKeysChangeWithAnNpmPeer(t *testing.T) {
	peer := npmpeer.Start(t)
	conn, err := Dialer{}.Dial(t.Context(), "127.0.0.1", peer.Port)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	writer := handshake(t, conn, "alice", parse(t, bob+"@127.0.0.1:1").Node).Writer(conn)
	for n := range manyMessages {
		require.NoError(t, writer.Write(fmt.Appendf(nil, "\xff\xff%d", n)))
	}
	for n := range manyMessages {
		said := peer.Next(t, func(l npmpeer.Line) bool { return l.Message != "" }).Message
		require.Equal(t, "ffff"+hex.EncodeToString(fmt.Append(nil, n)), said)
	}
}

// handshake performs the handshake with the node that has an id, under a name.
func handshake(t *testing.T, conn io.ReadWriter, name string, id core.NodeID) *noise.Session {
	t.Helper()
	i := noise.NewInitiator(keyOf(t, name), keyOf(t, name+" once"), id)
	one, err := i.Act1()
	require.NoError(t, err)
	_, err = conn.Write(one[:])
	require.NoError(t, err)
	two := make([]byte, noise.Act2Size)
	_, err = io.ReadFull(conn, two)
	require.NoError(t, err)
	require.NoError(t, i.Act2(two))
	three, session, err := i.Act3()
	require.NoError(t, err)
	_, err = conn.Write(three[:])
	require.NoError(t, err)
	return session
}

// The other implementation connects to the node. Unknown odd messages are ignored.
func TestAnNpmPeerConnects(t *testing.T) {
	listener, err := Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	n := start(t, "alice", listener)
	peer := npmpeer.Start(t, "--connect", listener.Addr(), "--to", n.ID().String(), "--pings", "1", "--say", "8001"+strings.Repeat("ab", 5000)+",0108"+strings.Repeat("00", 60))
	require.Equal(t, n.ID().String(), peer.Next(t, func(l npmpeer.Line) bool { return l.Ready != "" }).Ready)
	require.Equal(t, 1, peer.Next(t, func(l npmpeer.Line) bool { return l.Pongs > 0 }).Pongs)
	list := n.List()
	require.Len(t, list, 1)
	require.Equal(t, bob, list[0].Node.String())
	require.True(t, list[0].Inbound)
	require.True(t, strings.HasPrefix(list[0].Address, "127.0.0.1:"))
}

func TestNpmPeersThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		name, id  string
		arguments []string
		want      string
	}{
		{"another key", "02" + strings.Repeat("0", 63) + "1", nil, "the node hung up before it authenticated"},
		{"an unknown feature", bob, []string{"--features", "010000000000000000"}, "feature 64 is required and not supported"},
		{"other chains", bob, []string{"--networks", strings.Repeat("07", 32)}, "no chain in common with the node"},
	} {
		t.Run(c.name, func(t *testing.T) {
			peer := npmpeer.Start(t, c.arguments...)
			hash, _ := core.ChainHash("regtest")
			n := start(t, "alice", nil, func(c *link.Config) { c.Networks = [][32]byte{hash} })
			_, err := n.Connect(t.Context(), parse(t, fmt.Sprintf("%s@127.0.0.1:%d", c.id, peer.Port)), 0)
			require.ErrorIs(t, err, core.ErrHandshake)
			require.ErrorContains(t, err, c.want)
			require.Empty(t, n.List())
		})
	}
}

// An unknown even message ends the connection, and the peer receives the reason.
func TestNpmPeerSaysWhatIsNotKnown(t *testing.T) {
	peer := npmpeer.Start(t, "--say", "7530") // type 30000
	n := start(t, "alice", nil)
	_, err := n.Connect(t.Context(), parse(t, fmt.Sprintf("%s@127.0.0.1:%d", bob, peer.Port)), 0)
	require.NoError(t, err)
	said := peer.Next(t, func(l npmpeer.Line) bool { return l.Message != "" }).Message
	require.Equal(t, "0001"+strings.Repeat("00", 32), said[:68])
	require.Contains(t, said, hex.EncodeToString([]byte("unsupported mandatory message of type 30000")))
	peer.Next(t, func(l npmpeer.Line) bool { return l.Closed != "" })
	peer.Next(t, func(l npmpeer.Line) bool { return l.Ready != "" }) // the user has requested the connection
}
