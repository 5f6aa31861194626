package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"

	"obverse/core/config"
	"obverse/native/settings"
)

// ErrPortTaken reports whether another program has the port.
var ErrPortTaken = errors.New("is in use by another program")

// listenError names the key of the config whose address or port cannot be listened on.
func listenError(c *config.Config, err error) error {
	section, ip, port := "", c.RPCIP, c.RPCPort
	if isDaemonAddress(c, err) {
		section, ip, port = "daemon.", c.Daemon.RPCIP, c.Daemon.RPCPort
	}
	switch {
	case errors.Is(err, context.Canceled): // a signal to end came first
		return nil
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return settings.ConfigError{Err: fmt.Errorf("%srpcip %s is not an address of this machine: 127.0.0.1 accepts connections from this machine, 0.0.0.0 from everywhere", section, ip)}
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%srpcport %d %w (%s): choose another port, or 0 for any free one", section, port, ErrPortTaken, ip)
	}
	return fmt.Errorf("%w (rpcport and daemon.rpcport set the ports, 0 is any free one)", err)
}

// isDaemonAddress reports whether the daemon API's address is the one that failed; it is tried first.
func isDaemonAddress(c *config.Config, err error) bool {
	failed := new(net.OpError)
	if !errors.As(err, &failed) {
		return false
	}
	at, ok := failed.Addr.(*net.TCPAddr)
	ip, bad := netip.ParseAddr(c.Daemon.RPCIP)
	return ok && bad == nil && at.Port == c.Daemon.RPCPort && at.AddrPort().Addr().Unmap() == ip.Unmap()
}

// listeningPort is the port of an address that is listened on.
func listeningPort(address string) int {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(port) // a listener's own text
	return n
}
