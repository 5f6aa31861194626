package ledger

import (
	"context"

	"obverse/core/wallet/signer/device"
)

// What the system calls itself while no app is open.
const (
	dashboard    = "BOLOS"
	dashboardOld = "OLOS\x00"
)

// commandOpen asks for the name and the version of what is open. Each app answers it for
// the system.
var commandOpen = command{class: 0xb0, instruction: 0x01}

const whichApp = "asking which app is open"

// open asks what is open on the device.
func (s *session) open(ctx context.Context) (name, version string, err error) {
	data, status, err := s.send(ctx, whichApp, commandOpen)
	if err != nil {
		return "", "", err
	}
	if status != statusOK {
		return "", "", s.fail(whichApp, status, data)
	}
	return parseOpen(data)
}

// parseOpen reads a 1, then name and version, each behind its length. Flags may follow.
func parseOpen(data []byte) (name, version string, err error) {
	if len(data) > 0 && data[0] == 1 {
		first, rest, ok := prefixed(data[1:])
		second, _, also := prefixed(rest)
		if ok && also && len(first) > 0 && printable(first) && printable(second) {
			return string(first), string(second), nil
		}
	}
	return "", "", device.Failf(device.InvalidAnswer, "%s: invalid answer of %d bytes, want a name and a version", whichApp, len(data))
}

// prefixed takes bytes behind their length.
func prefixed(b []byte) (taken, rest []byte, ok bool) {
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return nil, nil, false
	}
	end := 1 + int(b[0])
	return b[1:end], b[end:], true
}

// printable reports whether a name can be shown; the old dashboard's ends with a zero.
func printable(b []byte) bool {
	if string(b) == dashboardOld {
		return true
	}
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
