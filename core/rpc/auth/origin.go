package auth

import "net/netip"

// networkBits is the length of the IPv6 prefix of one customer.
const networkBits = 64

// Origin names the group of addresses that is counted together: an IPv4 address, an IPv6
// network, and this machine once for each. Any other text is an origin by itself.
func Origin(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	switch {
	case a.IsLoopback() && a.Is4():
		return "127.0.0.1"
	case a.Is4(), a.IsLoopback():
		return a.String()
	}
	network, err := a.Prefix(networkBits)
	if err != nil {
		return address
	}
	return network.String()
}

// isRemote reports whether an origin is a network or address of another machine: an attacker
// can have any number of these.
func isRemote(origin string) bool {
	if a, err := netip.ParseAddr(origin); err == nil {
		return !a.IsLoopback()
	}
	_, err := netip.ParsePrefix(origin)
	return err == nil
}
