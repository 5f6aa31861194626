// Package portowner finds the user whose program listens on a port of this machine. Any user
// may listen on ports above 1023: a program that expects a service there may connect to that of
// another user.
//
// Source: proc(5), /proc/net/tcp: the local address and port in hexadecimal digits, the state
// (0A is LISTEN) and the user. Other systems than Linux have no such table.
//
// Invariant: a port is only refused if a listener of another user is found.
package portowner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"obverse/core/net/fetch"
)

// ErrOther says that a program of another user listens on a port.
var ErrOther = errors.New("a program of another user listens there")

// tables are where Linux lists sockets. One of the second listens to addresses of the first too.
var tables = []string{"/proc/net/tcp", "/proc/net/tcp6"}

// check fails with ErrOther if a program that is neither root's nor this user's listens on a port.
// Where the tables cannot be read it does not know, and does not fail.
func check(tables []string, port int) error {
	for _, path := range tables {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		uid, found := otherListener(file, port, os.Geteuid())
		_ = file.Close() // it was read only
		if found {
			return fmt.Errorf("port %d: %w (uid %d)", port, ErrOther, uid)
		}
	}
	return nil
}

// otherListener finds a listener on a port of a user other than root and self.
func otherListener(table io.Reader, port, self int) (uid int, found bool) {
	const state, listening, fields = 3, "0A", 8
	suffix := fmt.Sprintf(":%04X", port)
	for lines := bufio.NewScanner(table); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < fields || !strings.HasSuffix(words[1], suffix) || words[state] != listening {
			continue
		}
		uid, err := strconv.Atoi(words[fields-1])
		if err == nil && uid != 0 && uid != self {
			return uid, true
		}
	}
	return 0, false
}

// Fetcher sends requests to a port only while no other user's program listens on it.
type Fetcher struct {
	fetch.Fetcher
	port   int
	tables []string
}

// New makes a Fetcher of requests to a port of this machine.
func New(f fetch.Fetcher, port int) Fetcher { return Fetcher{f, port, tables} }

// Fetch implements fetch.Fetcher.
func (f Fetcher) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	if err := check(f.tables, f.port); err != nil {
		return fetch.Response{}, err
	}
	return f.Fetcher.Fetch(ctx, r)
}
