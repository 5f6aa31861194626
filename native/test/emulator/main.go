// Emulator is an emulated Ledger for tests in other languages. Standard input and output contain
// one JSON object per line. The input is {"report": hexadecimal digits} with the 64 bytes of a HID
// report, or {"do": …} with app (with "name"; "" closes it), lock, unlock, approve, reject or
// ignore. The output is {"report"} and, for each screen, {"shown": [lines]}. The program ends when
// its standard input ends.
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

type line struct {
	Report string   `json:"report,omitempty"`
	Do     string   `json:"do,omitempty"`
	Name   string   `json:"name,omitempty"`
	Screen []string `json:"shown,omitempty"`
}

// host is the host to which the device is connected: the lines of standard input and output.
type host struct {
	device *ledgertest.Device
	lines  *bufio.Scanner

	mu  sync.Mutex
	out *json.Encoder
}

func main() {
	if err := run(); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "emulator:", err)
		os.Exit(1)
	}
}

func run() error {
	d, err := ledgertest.Make("emulated", ledgertest.Phrase)
	if err != nil {
		return err
	}
	h := &host{device: d, lines: bufio.NewScanner(os.Stdin), out: json.NewEncoder(os.Stdout)}
	d.Use(h.decide(ledgertest.Approve))
	return d.ServeReports(context.Background(), h)
}

// decide prints a screen and waits for the decision of its user.
func (h *host) decide(user ledgertest.User) ledgertest.User {
	return func(ctx context.Context, screen []string) bool {
		h.say(line{Screen: screen})
		return user(ctx, screen)
	}
}

func (h *host) say(l line) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.out.Encode(l)
}

// Read returns the next report after its number, and executes the commands before it.
func (h *host) Read(report []byte) (int, error) {
	for h.lines.Scan() {
		var l line
		if err := json.Unmarshal(h.lines.Bytes(), &l); err != nil {
			return 0, err
		}
		if l.Report != "" {
			b, err := hex.DecodeString(l.Report)
			if err != nil || len(b) != device.ReportSize {
				return 0, fmt.Errorf("report has %d bytes, want %d", len(b), device.ReportSize)
			}
			report[0] = 0
			return 1 + copy(report[1:], b), nil
		}
		if err := h.do(l); err != nil {
			return 0, err
		}
	}
	return 0, errors.Join(h.lines.Err(), io.EOF)
}

func (h *host) do(l line) error {
	switch l.Do {
	case "app":
		h.device.OpenApp(l.Name)
	case "lock":
		h.device.Lock()
	case "unlock":
		h.device.Unlock()
	case "approve":
		h.device.Use(h.decide(ledgertest.Approve))
	case "reject":
		h.device.Use(h.decide(ledgertest.Reject))
	case "ignore":
		h.device.Use(h.decide(ledgertest.Ignore))
	default:
		return fmt.Errorf("command %q is unknown", l.Do)
	}
	return nil
}

// Write prints a report of the device.
func (h *host) Write(report []byte) (int, error) {
	return len(report), h.say(line{Report: hex.EncodeToString(report)})
}
