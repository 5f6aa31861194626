package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// lndProgram is a Lightning node.
func lndProgram() program {
	return program{name: "lnd", version: "v0.20.1-beta", main: "github.com/lightningnetwork/lnd/cmd/lnd"}
}

// lncliProgram is its client. Both programs are in one module.
func lncliProgram() program {
	return program{name: "lncli", version: "v0.20.1-beta", main: "github.com/lightningnetwork/lnd/cmd/lncli", folder: "lnd"}
}

// LND is a Lightning node that has peers and no channels.
type LND struct {
	ID    string // id of the node
	Place string // host:port where nodes connect to it, over IPv6
	Dir   string // folder with all files; removed by Stop

	lnd, lncli string // paths of the programs
	rpc        string // host:port
	process    *process
}

// StartLND builds lnd if necessary, starts a node, and returns when other nodes can connect to it.
// The node uses no chain, which it does not need without channels. The context limits the start.
func StartLND(ctx context.Context) (l *LND, err error) {
	l = new(LND)
	if l.lnd, err = lndProgram().build(ctx, os.Stderr); err != nil {
		return nil, err
	}
	if l.lncli, err = lncliProgram().build(ctx, os.Stderr); err != nil {
		return nil, err
	}
	// lnd assumes that connections from 127.0.0.1 come over Tor, and triples its timeouts for them.
	if l.Place, err = freePort("[::1]:0"); err != nil {
		return nil, err
	}
	if l.rpc, err = freeAddress(); err != nil {
		return nil, err
	}
	if l.Dir, err = os.MkdirTemp("", "obverse-interop-"); err != nil {
		return nil, err
	}
	if err := l.Restart(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start lnd: %w", err), l.Stop())
	}
	return l, nil
}

// Restart starts a killed node again, with the same id and port.
func (l *LND) Restart(ctx context.Context) (err error) {
	if l.process != nil {
		return errors.New("lnd runs")
	}
	l.process, err = startProcess(filepath.Join(l.Dir, "log"), l.lnd, "--lnddir="+l.Dir, "--configfile="+os.DevNull,
		"--bitcoin.active", "--bitcoin.simnet", "--noseedbackup", "--nobootstrap", "--bitcoin.node=nochainbackend",
		"--listen="+l.Place, "--rpclisten="+l.rpc, "--norest", "--no-macaroons")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		var info struct {
			ID string `json:"identity_pubkey"`
		}
		if err = l.Ask(ctx, &info, "getinfo"); err == nil {
			l.ID = info.ID
			err = l.listens(ctx)
		}
		if err == nil {
			return nil
		}
		select {
		case <-l.process.ended:
			return fmt.Errorf("lnd ended by itself: %s", l.process.lastWords())
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("lnd does not answer: %w", ctx.Err()), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// listens returns an error until nodes can connect.
func (l *LND) listens(ctx context.Context) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", l.Place)
	if err != nil {
		return err
	}
	return conn.Close()
}

// CLI runs lncli and returns its output.
func (l *LND) CLI(ctx context.Context, arguments ...string) (string, error) {
	cmd := exec.CommandContext(ctx, l.lncli, append([]string{"--lnddir=" + l.Dir, "--rpcserver=" + l.rpc, "--network=simnet", "--no-macaroons"}, arguments...)...)
	text, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("lncli %s: %w: %s", strings.Join(arguments, " "), err, tail(string(text), 2000))
	}
	return string(text), nil
}

// Ask runs lncli and decodes its output.
func (l *LND) Ask(ctx context.Context, answer any, arguments ...string) error {
	text, err := l.CLI(ctx, arguments...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), answer)
}

// Kill ends the process with SIGKILL. Restart starts the node again.
func (l *LND) Kill() error {
	if l.process == nil {
		return ErrNotRunning
	}
	err := l.process.end(syscall.SIGKILL)
	l.process = nil
	return err
}

// Stop stops the node and removes its folder. It may be called more than once.
func (l *LND) Stop() error {
	err := l.Kill()
	if errors.Is(err, ErrNotRunning) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(l.Dir))
}
