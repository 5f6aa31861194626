package guess

import "net/netip"

// networkBits of an IPv6 address are what one customer has.
const networkBits = 64

// Origin names what is counted together: an IPv4 address, an IPv6 network, and this
// machine once for each. A word that is no address stands for itself.
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

// isMany tells the origins of which one attacker can have as many as he likes: networks
// and addresses of other machines.
func isMany(origin string) bool {
	if a, err := netip.ParseAddr(origin); err == nil {
		return !a.IsLoopback()
	}
	_, err := netip.ParsePrefix(origin)
	return err == nil
}
