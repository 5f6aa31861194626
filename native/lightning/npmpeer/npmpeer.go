// Package npmpeer starts a Lightning peer that is not ours, for tests: @node-dlc/noise
// under Node, see peer.mjs. Its npm packages come from `make peer`.
//
// Invariant: the peer's process does not outlive the test that started it.
package npmpeer

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/test/npmprocess"
)

// Line is a line of the peer's output. One of the fields is set.
type Line struct {
	Port    uint16 `json:"port"`
	Ready   string `json:"ready"`   // who has shaken hands
	Init    string `json:"init"`    // as the rest in hexadecimal
	Message string `json:"message"` // any other
	Pongs   int    `json:"pongs"`
	Closed  string `json:"closed"`
	Error   string `json:"error"`
}

// Peer is a running peer.
type Peer struct {
	*npmprocess.Process[Line]
	Port uint16 // 0: it connects by itself
}

// Start runs a peer until the test ends; peer.mjs lists the arguments. Without its
// packages the test fails.
func Start(t testing.TB, arguments ...string) *Peer {
	t.Helper()
	p := &Peer{Process: npmprocess.Start[Line](t, "lightning/npmpeer", "@node-dlc/noise", arguments...)}
	if !slices.Contains(arguments, "--connect") {
		p.Port = p.Next(t, func(l Line) bool { return l.Port != 0 }).Port
	}
	return p
}

// Next waits for a line of the kind that is wanted and skips others, but for errors.
func (p *Peer) Next(t testing.TB, wanted func(Line) bool) Line {
	t.Helper()
	l := p.Process.Next(t, func(l Line) bool { return l.Error != "" || wanted(l) })
	require.Empty(t, l.Error)
	return l
}
