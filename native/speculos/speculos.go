// Package speculos connects to emulators of Ledger's devices with Speculos' protocol over
// TCP, in which each APDU follows its length. It is for development and tests. The connection is not
// encrypted, so the emulator should run on the same machine.
//
// Source: LedgerHQ/ledger-live libs/ledgerjs/packages/hw-transport-node-speculos 6.34.7.
//
// Invariant: an answer that is too long or incomplete is an error, never a shorter answer.
package speculos

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"time"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
)

// Port connects to one emulator. It implements ledger.Port.
type Port struct {
	Address string // host:port
}

// List returns the emulator, whether it runs or not.
func (p Port) List(context.Context) ([]device.Info, error) {
	return []device.Info{{ID: p.Address, Vendor: ledger.Vendor, Name: "Speculos"}}, nil
}

// Open connects to the emulator.
func (p Port) Open(ctx context.Context, _ string) (ledger.Link, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", p.Address)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, device.Failf(device.NotFound, "emulator at %s is not running: %v", p.Address, err)
	}
	return &link{conn, p.Address}, nil
}

// link is a connection to an emulator.
type link struct {
	conn    net.Conn
	address string
}

func (l *link) Close() error { return l.conn.Close() }

func (l *link) Exchange(ctx context.Context, apdu []byte) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { _ = l.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	answer, err := l.exchange(apdu)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, err
}

// statusBytes is the size of the status after an answer, which the length does not include.
const statusBytes = 2

func (l *link) exchange(apdu []byte) ([]byte, error) {
	if _, err := l.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(apdu))), apdu...)); err != nil {
		return nil, l.lost(err)
	}
	var size [4]byte
	if _, err := io.ReadFull(l.conn, size[:]); err != nil {
		return nil, l.lost(err)
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > ledger.MaxAnswer-statusBytes {
		return nil, device.Failf(device.InvalidAnswer, "emulator at %s: invalid answer of %d bytes, want at most %d", l.address, n, ledger.MaxAnswer-statusBytes)
	}
	answer := make([]byte, n+statusBytes)
	if _, err := io.ReadFull(l.conn, answer); err != nil {
		return nil, l.lost(err)
	}
	return answer, nil
}

func (l *link) lost(err error) error {
	return device.Failf(device.Unplugged, "connection to the emulator at %s was lost: %v", l.address, err)
}
