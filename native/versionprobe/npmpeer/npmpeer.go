// Package npmpeer starts a peer of the network that is not ours, for tests: js-libp2p
// under Node, see peer.mjs. Its npm packages come from `make peer`.
//
// Invariant: the peer's process does not outlive the test that started it.
package npmpeer

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/test/npmprocess"
)

// Line is a line of the peer's output. One of the fields is set.
type Line struct {
	PeerID    string   `json:"peer_id"`
	Addresses []string `json:"addresses"`
	Request   string   `json:"asked"`   // a request, in hexadecimal
	Time      uint64   `json:"time"`    // what we answered to the time query
	Dropped   string   `json:"dropped"` // why it hung up
}

// Peer is a running peer.
type Peer struct {
	*npmprocess.Process[Line]
	ID      string
	Address string // host:port
}

// Start runs a peer until the test ends; peer.mjs lists the arguments. Without its
// packages the test fails.
func Start(t testing.TB, arguments ...string) *Peer {
	t.Helper()
	p := &Peer{Process: npmprocess.Start[Line](t, "versionprobe/npmpeer", "libp2p", arguments...)}
	first := p.Next(t, func(l Line) bool { return l.PeerID != "" })
	p.ID = first.PeerID
	require.Len(t, first.Addresses, 1)
	part := strings.Split(first.Addresses[0], "/") // "", ip4, host, tcp, port, p2p, id
	require.Greater(t, len(part), 4, first.Addresses[0])
	p.Address = net.JoinHostPort(part[2], part[4])
	return p
}
