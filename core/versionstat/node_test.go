package versionstat

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/peerid"
)

func TestAddRefuses(t *testing.T) {
	s := newStation(t, nil)
	s.add(1, 2)
	good := Node{Name: "new", Address: "seed.example.org", PeerID: peerNumber(3)}
	for _, c := range []struct {
		name   string
		change func(*Node)
		check  func(error)
	}{
		{"name taken", func(n *Node) { n.Name = "node 1" }, taken(t, ColumnName)},
		{"peer id taken", func(n *Node) { n.PeerID = peerNumber(2) }, taken(t, ColumnPeerID)},
		{"both taken, by different nodes", func(n *Node) { n.Name, n.PeerID = "node 1", peerNumber(2) }, taken(t, ColumnPeerID)},
		{"both taken by one", func(n *Node) { n.Name, n.PeerID = "node 1", peerNumber(1) }, taken(t, ColumnPeerID)},
		{"no peer id", func(n *Node) { n.PeerID = "12D3KooW" }, func(err error) {
			var wrong *PeerIDError
			require.ErrorAs(t, err, &wrong)
			require.ErrorIs(t, err, peerid.ErrMultihash)
		}},
		{"no address", func(n *Node) { n.Address = "a b" }, func(err error) {
			var wrong *AddressError
			require.ErrorAs(t, err, &wrong)
		}},
		{"peer id before address", func(n *Node) { n.PeerID, n.Address = "", "" }, func(err error) {
			var wrong *PeerIDError
			require.ErrorAs(t, err, &wrong)
		}},
		{"long name", func(n *Node) { n.Name = strings.Repeat("x", MaxText+1) }, func(err error) { require.ErrorIs(t, err, ErrName) }},
		{"name that is no text", func(n *Node) { n.Name = "\xff" }, func(err error) { require.ErrorIs(t, err, ErrName) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := good
			c.change(&n)
			err := s.Add(t.Context(), n)
			require.Error(t, err)
			c.check(err)
			nodes, err := s.list(t.Context())
			require.NoError(t, err)
			require.Len(t, nodes, 2)
		})
	}
	require.NoError(t, s.Add(t.Context(), good))
}

func taken(t *testing.T, column string) func(error) {
	return func(err error) {
		var taken *TakenError
		require.ErrorAs(t, err, &taken)
		require.Equal(t, column, taken.Column)
	}
}

func TestAddKeepsWhatWasGiven(t *testing.T) {
	s := newStation(t, nil)
	for n, name := range []string{"", "seed", "SEED", "a/b", "a\x00b", strings.Repeat("ü", MaxText/2)} {
		require.NoError(t, s.Add(t.Context(), Node{Name: name, Address: "https://Seed.Example.org:1", PeerID: peerNumber(n)}))
	}
	nodes, err := s.list(t.Context())
	require.NoError(t, err)
	require.Len(t, nodes, 6)
	for _, n := range nodes {
		require.Equal(t, "https://Seed.Example.org:1", n.Address)
	}
}

func TestPeerIDsAreEqualInAnyText(t *testing.T) {
	s := newStation(t, nil)
	s.add(1)
	id, err := peerid.Parse(peerNumber(1))
	require.NoError(t, err)
	cid := "f0172" + hex.EncodeToString(id.Bytes())
	taken(t, ColumnPeerID)(s.Add(t.Context(), Node{Name: "same", Address: "::1", PeerID: cid}))
}

func TestRemove(t *testing.T) {
	s := newStation(t, nil)
	s.add(1, 2)
	require.NoError(t, s.Remove(t.Context(), "node 1"))
	require.NoError(t, s.Remove(t.Context(), "node 1"), "it is gone already")
	nodes, err := s.list(t.Context())
	require.NoError(t, err)
	require.Len(t, nodes, 1)
	s.add(1)
}

func TestListIsBounded(t *testing.T) {
	s := newStation(t, nil)
	s.crowd(MaxNodes - 1)
	require.NoError(t, s.Add(t.Context(), Node{Name: "last", Address: "::1", PeerID: peerNumber(MaxNodes)}))
	next := Node{Name: "next", Address: "::1", PeerID: peerNumber(MaxNodes + 1)}
	require.ErrorIs(t, s.Add(t.Context(), next), ErrFull)
	taken(t, ColumnName)(s.Add(t.Context(), Node{Name: "last", Address: "::1", PeerID: next.PeerID}))
	require.NoError(t, s.Remove(t.Context(), "crowd 1"))
	require.NoError(t, s.Add(t.Context(), next))
}

func TestStoreFailures(t *testing.T) {
	s := newStation(t, nil)
	s.add(1)
	s.kv.breakWith(errBroken)
	require.ErrorIs(t, s.Add(t.Context(), Node{Name: "x", Address: "::1", PeerID: peerNumber(2)}), errBroken)
	require.ErrorIs(t, s.Remove(t.Context(), "node 1"), errBroken)
	require.ErrorIs(t, s.Start(t.Context(), time.Minute), errBroken)
	require.Equal(t, Stopped, s.State())
	_, _, err := s.Stats(t.Context(), everything())
	require.ErrorIs(t, err, errBroken)
	s.kv.breakWith(nil)
	s.add(2)
}
