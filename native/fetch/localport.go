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

// ErrOtherUser means that a program of another user listens on a port. Any user may listen on
// ports above 1023, so a program may reach another user's program instead of the expected service.
var ErrOtherUser = errors.New("a program of another user listens there")

// tables lists the files in which Linux lists sockets: address and port in hexadecimal digits, state (0A is LISTEN),
// user. Source: proc(5). Other systems have no such files. A socket in tcp6 may accept IPv4 connections too.
var tables = []string{"/proc/net/tcp", "/proc/net/tcp6"}

// checkOwner fails with ErrOtherUser if a program of another user, except root, listens on a port.
// It does not fail if the tables cannot be read.
func checkOwner(tables []string, port int) error {
	for _, path := range tables {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		uid, found := otherListener(file, port, os.Geteuid())
		_ = file.Close() // the file was only read
		if found {
			return fmt.Errorf("port %d: %w (uid %d)", port, ErrOtherUser, uid)
		}
	}
	return nil
}

// otherListener searches a table for a listener on a port that belongs to neither root nor self.
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

// LocalPort sends requests to a port of this machine, unless another user's program listens on it.
type LocalPort struct {
	fetch.Fetcher
	port   int
	tables []string
}

// ToLocalPort returns a Fetcher for requests to a port of this machine.
func ToLocalPort(f fetch.Fetcher, port int) LocalPort { return LocalPort{f, port, tables} }

// Fetch implements fetch.Fetcher.
func (f LocalPort) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	if err := checkOwner(f.tables, f.port); err != nil {
		return fetch.Response{}, err
	}
	return f.Fetcher.Fetch(ctx, r)
}
