package ledger

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"obverse/core/wallet/signer/device"
)

// Client communicates with the devices of a port. It is safe for concurrent use; conversations
// with one device are serialized.
type Client struct {
	Port    Port
	Timeout time.Duration // how long to wait for a device that is absent or locked, or shows another app; 0 means not at all
	Tokens  Tokens        // nil means that no tokens are known

	queue device.Queue
}

// Time limits for requests that need no user, and for requests that a user must confirm.
const (
	answerWithin  = 30 * time.Second
	confirmWithin = 5 * time.Minute
)

// app describes the app that must be open on a device.
type app struct {
	name   string
	oldest Version // oldest version that supports the commands
}

// talk opens the device with an ID, or the only one, checks that the app is open on it, and
// uses it exclusively.
func (c *Client) talk(ctx context.Context, id string, wanted app, use func(*session) error) error {
	var s *session
	err := device.Wait(ctx, c.Timeout, func(ctx context.Context) (err error) {
		s, err = c.connect(ctx, id, wanted)
		return err
	})
	if err != nil {
		return err
	}
	defer s.close()
	return use(s)
}

// connect opens a device on which the app is open.
func (c *Client) connect(ctx context.Context, id string, wanted app) (*session, error) {
	link, _, done, err := device.Open(ctx, &c.queue, c.Port, id)
	if err != nil {
		return nil, err
	}
	s := &session{link: link, done: done, app: wanted.name}
	if err := s.check(ctx, wanted); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// session is a conversation with an app.
type session struct {
	link    Link
	done    func() // ends the turn in the queue
	app     string
	version Version
}

func (s *session) close() {
	_ = s.link.Close() // all answers were received already
	s.done()
}

// check compares the open app with the required one.
func (s *session) check(ctx context.Context, wanted app) error {
	name, text, err := s.open(ctx)
	if err != nil {
		return err
	}
	switch {
	case name == dashboard || name == dashboardOld:
		return device.Failf(device.WrongApp, "no app is open on the device: open app %s", wanted.name)
	case name != wanted.name:
		return device.Failf(device.WrongApp, "app %s is open on the device: close it and open app %s", name, wanted.name)
	}
	version, ok := parseVersion(text)
	if !ok {
		return device.Failf(device.InvalidAnswer, "app %s: invalid version %q", wanted.name, text)
	}
	if s.version = version; version.Before(wanted.oldest) {
		return device.Failf(device.TooOld, "app %s is too old: version is %s, want %s or newer: update it with Ledger Live", wanted.name, version, wanted.oldest)
	}
	return nil
}

// send exchanges a command that needs no confirmation.
func (s *session) send(ctx context.Context, what string, c command) (data []byte, status uint16, err error) {
	err = device.Within(ctx, answerWithin, what, func(ctx context.Context) error {
		data, status, err = s.exchange(ctx, c)
		return err
	})
	return data, status, err
}

// ask exchanges a command that the user must confirm or reject.
func (s *session) ask(ctx context.Context, what string, c command) (data []byte, status uint16, err error) {
	device.Report(ctx, device.FollowDeviceInstructions)
	err = device.Within(ctx, confirmWithin, what, func(ctx context.Context) error {
		data, status, err = s.exchange(ctx, c)
		return err
	})
	device.Report(ctx, device.Proceeding)
	return data, status, err
}

// stream sends commands one after the other. The user is asked with the last one. Another
// status than success ends the stream, and last reports whether it is the status of the last
// command.
func (s *session) stream(ctx context.Context, what string, all []command) (data []byte, status uint16, last bool, err error) {
	for _, c := range all[:len(all)-1] {
		if data, status, err = s.send(ctx, what, c); err != nil || status != statusOK {
			return data, status, false, err
		}
	}
	data, status, err = s.ask(ctx, what, all[len(all)-1])
	return data, status, true, err
}

func (s *session) exchange(ctx context.Context, c command) (data []byte, status uint16, err error) {
	answer, err := s.link.Exchange(ctx, c.encode())
	if err != nil {
		return nil, 0, err
	}
	return splitAnswer(answer)
}

// fail returns the error for a status.
func (s *session) fail(what string, status uint16, data []byte) *device.Error {
	return statusError(what, s.app, status, data)
}

// Names of the system while no app is open.
const (
	dashboard    = "BOLOS"
	dashboardOld = "OLOS\x00"
)

// commandOpen requests the name and the version of the open app. Each app answers it for the
// system.
var commandOpen = command{class: 0xb0, instruction: 0x01}

const whichApp = "asking which app is open"

// open returns the name and the version of the open app.
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

// parseOpen parses a 1, followed by name and version, each with its length before it. Flags may
// follow.
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

// prefixed returns bytes with their length before them, and the rest.
func prefixed(b []byte) (taken, rest []byte, ok bool) {
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return nil, nil, false
	}
	end := 1 + int(b[0])
	return b[1:end], b[end:], true
}

// printable reports whether a name can be displayed. The name of the old dashboard ends with a
// zero.
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

// Version is the version of an app.
type Version struct{ Major, Minor, Patch int }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Before reports whether v is older than other.
func (v Version) Before(other Version) bool {
	return cmp.Or(cmp.Compare(v.Major, other.Major), cmp.Compare(v.Minor, other.Minor), cmp.Compare(v.Patch, other.Patch)) < 0
}

// parseVersion parses three numbers. It ignores the part after a hyphen.
func parseVersion(text string) (v Version, ok bool) {
	text, _, _ = strings.Cut(text, "-")
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return v, false
	}
	for i, into := range []*int{&v.Major, &v.Minor, &v.Patch} {
		n, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil {
			return Version{}, false
		}
		*into = int(n)
	}
	return v, true
}
