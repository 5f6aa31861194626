package fetch

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

// ErrOtherUser says that a program of another user listens on a port. Any user may listen on
// ports above 1023: a program that expects a service there may reach that of another user.
var ErrOtherUser = errors.New("a program of another user listens there")

// tables list the sockets of Linux: address and port in hexadecimal digits, state (0A is LISTEN),
// user. Source: proc(5). Other systems have no such table. One of the second listens to addresses of the first too.
var tables = []string{"/proc/net/tcp", "/proc/net/tcp6"}

// checkOwner fails with ErrOtherUser if a program that is neither root's nor this user's listens on a port.
// Where the tables cannot be read it does not know, and does not fail.
func checkOwner(tables []string, port int) error {
	for _, path := range tables {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		uid, found := otherListener(file, port, os.Geteuid())
		_ = file.Close() // it was read only
		if found {
			return fmt.Errorf("port %d: %w (uid %d)", port, ErrOtherUser, uid)
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

// LocalPort sends requests to a port of this machine only while no other user's program listens on it.
type LocalPort struct {
	fetch.Fetcher
	port   int
	tables []string
}

// ToLocalPort returns a Fetcher of requests to a port of this machine.
func ToLocalPort(f fetch.Fetcher, port int) LocalPort { return LocalPort{f, port, tables} }

// Fetch implements fetch.Fetcher.
func (f LocalPort) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	if err := checkOwner(f.tables, f.port); err != nil {
		return fetch.Response{}, err
	}
	return f.Fetcher.Fetch(ctx, r)
}
