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

func TestParseAddress(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Address
	}{
		{"IPv4", "168.119.236.241", Address{Host: "168.119.236.241"}},
		{"IPv4 and port", "127.0.0.1:42845", Address{"127.0.0.1", 42845}},
		{"IPv6", "2001:db8::1", Address{Host: "2001:db8::1"}},
		{"IPv6 in brackets", "[::1]", Address{Host: "::1"}},
		{"IPv6 and port", "[::1]:7", Address{"::1", 7}},
		{"IPv4 as IPv6", "::ffff:10.0.0.1", Address{Host: "::ffff:10.0.0.1"}},
		{"domain", "viserion.dragon-seed.com", Address{Host: "viserion.dragon-seed.com"}},
		{"domain and port", "Seed_1.Example.org:65535", Address{"Seed_1.Example.org", 65535}},
		{"domain with its root", "example.org.", Address{Host: "example.org."}},
		{"one label", "localhost:1", Address{"localhost", 1}},
		{"digits in front", "1.seed.1a", Address{Host: "1.seed.1a"}},
		{"scheme", "https://seed.example.org", Address{Host: "seed.example.org"}},
		{"scheme and port", "tcp://[2001:db8::2]:42845", Address{"2001:db8::2", 42845}},
		{"longest label", strings.Repeat("a", 63) + ".org", Address{Host: strings.Repeat("a", 63) + ".org"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseAddress(c.text)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestParseAddressRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, reason string }{
		{"nothing", "", reasonHost},
		{"scheme alone", "https://", reasonHost},
		{"port alone", ":42845", reasonHost},
		{"path", "https://seed.example.org/", reasonHost},
		{"path after a port", "seed.example.org:1/x", reasonPort},
		{"space", "seed example", reasonHost},
		{"user", "user@seed.example.org", reasonHost},
		{"not ASCII", "sämen.example.org", reasonHost},
		{"zero byte", "seed\x00.org", reasonHost},
		{"empty label", "seed..org", reasonHost},
		{"hyphen in front", "-seed.org", reasonHost},
		{"hyphen behind", "seed-.org", reasonHost},
		{"long label", strings.Repeat("a", 64) + ".org", reasonHost},
		{"long name", strings.Repeat("a.", 126) + "aa", reasonHost},
		{"broken IPv4", "300.1.1.1", reasonHost},
		{"short IPv4", "127.1", reasonHost},
		{"number", "2130706433", reasonHost},
		{"IPv4 in brackets", "[127.0.0.1]:1", reasonHost},
		{"no closing bracket", "[::1", reasonHost},
		{"something after the bracket", "[::1]1", reasonHost},
		{"IPv6 and port, no brackets", "2001:db8::1:xyz", reasonSix},
		{"IPv6 and a large port", "1:2:3:4:5:6:7:8:42845", reasonSix},
		{"zone", "fe80::1%eth0", reasonZone},
		{"zone in brackets", "[fe80::1%eth0]:1", reasonZone},
		{"no port after the colon", "example.org:", reasonPort},
		{"port 0", "example.org:0", reasonPort},
		{"large port", "example.org:65536", reasonPort},
		{"port with a sign", "example.org:+1", reasonPort},
		{"too long", strings.Repeat("a", MaxText+1), reasonLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseAddress(c.text)
			var wrong *AddressError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, c.reason, wrong.Reason)
		})
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"1.2.3.4", "[::1]:1", "a.b:2", "x://y", "[", "::%a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}
		require.Contains(t, text, a.Host)
		require.NotContains(t, a.Host, "[")
		require.NotEmpty(t, a.Host)
		again, err := ParseAddress(a.Host)
		require.NoError(t, err)
		require.Equal(t, Address{Host: a.Host}, again)
	})
}
