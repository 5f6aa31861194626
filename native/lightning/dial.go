package lightning

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"obverse/core/lightning/link"
)

const (
	// nextAfter is how long an address is waited for before the next one is tried too,
	// as RFC 8305 has it.
	nextAfter = 300 * time.Millisecond
	// maxAddresses is how many addresses of a name are tried.
	maxAddresses = 16
)

// Dialer connects over TCP. It looks names up, each time anew, and takes the address
// that answers first: one of several that is dead costs a moment, not the whole time.
type Dialer struct {
	// for tests; nil: those of package net
	lookup  func(ctx context.Context, network, host string) ([]netip.Addr, error)
	connect func(ctx context.Context, network, place string) (net.Conn, error)
}

// Dial implements link.Dialer. The error is that of the first address.
func (d Dialer) Dial(ctx context.Context, host string, port uint16) (link.Conn, error) {
	addresses, err := d.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var trying sync.WaitGroup
	defer trying.Wait()
	defer cancel()
	outcomes := make(chan outcome)
	next := time.NewTimer(0)
	defer next.Stop()
	var first error
	for waiting, left := 0, addresses; waiting+len(left) > 0; {
		select {
		case <-next.C:
			place, isFirst := netip.AddrPortFrom(left[0], port).String(), len(left) == len(addresses)
			trying.Go(func() { d.try(ctx, place, isFirst, outcomes) })
			waiting++
			if left = left[1:]; len(left) > 0 {
				next.Reset(nextAfter)
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		case o := <-outcomes:
			if o.err == nil {
				return conn{o.conn}, nil
			}
			if first == nil || o.first {
				first = o.err
			}
			if waiting--; len(left) > 0 {
				next.Reset(0)
			}
		}
	}
	return nil, first
}

// outcome is what came of one address.
type outcome struct {
	first bool // it was that one
	conn  net.Conn
	err   error
}

// try connects to one address. A connection that nobody takes any more is closed.
func (d Dialer) try(ctx context.Context, place string, first bool, outcomes chan<- outcome) {
	connect := d.connect
	if connect == nil {
		connect = new(net.Dialer).DialContext
	}
	c, err := connect(ctx, "tcp", place)
	select {
	case outcomes <- outcome{first, c, err}:
	case <-ctx.Done():
		if err == nil {
			c.Close()
		}
	}
}

// addresses are those of a host, in the order in which they are to be tried.
func (d Dialer) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip.Unmap()}, nil
	}
	lookup := d.lookup
	if lookup == nil {
		lookup = net.DefaultResolver.LookupNetIP
	}
	found, err := lookup(ctx, "ip", host)
	if err == nil && len(found) == 0 {
		err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if err != nil {
		return nil, err
	}
	found = found[:min(len(found), maxAddresses)]
	for n, ip := range found {
		found[n] = ip.Unmap()
	}
	return found, nil
}
