package httpd

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// forwarding are the headers by which a proxy speaks for others, in their canonical
// form; with one of them a loopback peer is not local.
var forwarding = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"}

// hostList is the defence against DNS rebinding: a page of another site whose name
// suddenly resolves to this machine still sends its own name as Host.
type hostList map[string]bool

// newHostList allows localhost, the host of the listening address and the extras;
// loopback addresses and the address that a connection came in on are allowed anyway.
func newHostList(address string, extras []string) hostList {
	list := hostList{"localhost": true}
	for _, host := range append([]string{address}, extras...) {
		if name := hostName(host); name != "" {
			list[name] = true
		}
	}
	return list
}

func (l hostList) allows(r *http.Request) bool { return l.names(r.Host, r) }

// names reports whether a host is this machine to who sent the request.
func (l hostList) names(host string, r *http.Request) bool {
	name := hostName(host)
	if l[name] {
		return true
	}
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	addr = addr.Unmap()
	return addr.IsLoopback() || addr == localAddr(r)
}

// hostName cuts the port, brackets, an IPv6 zone and the root's dot off a host.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	host, _, _ = strings.Cut(host, "%")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// localAddr is the address on which the request's connection came in.
func localAddr(r *http.Request) netip.Addr {
	if tcp, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// peer is the address that the request came from.
func peer(r *http.Request) netip.Addr {
	addrPort, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return addrPort.Addr().Unmap().WithZone("")
}

func isForwarded(r *http.Request) bool {
	for _, name := range forwarding {
		if len(r.Header[name]) > 0 {
			return true
		}
	}
	return false
}

// forwarded stands for the address of those for whom a proxy on this machine speaks,
// whichever of the machine's many loopback addresses it has.
const forwarded = "forwarded"

// sender is who sent a request.
type sender struct {
	// address is the peer's, for counting what it did. Those for whom a proxy on this
	// machine speaks count together, and apart from the machine's own programs: their
	// wrong passwords must not shut these out. For whom it says that it speaks is not
	// believed, and of a peer elsewhere the header changes nothing, which could otherwise
	// be two callers at will.
	address string
	// origin names the peer for slowing down: an IPv6 peer has a whole /64 to itself.
	origin string
	// local: a program on this machine asks for itself.
	local bool
}

func senderOf(r *http.Request) sender {
	addr := peer(r)
	local := addr.IsLoopback()
	if local && isForwarded(r) {
		return sender{address: forwarded, origin: forwarded}
	}
	return sender{address: addr.String(), origin: originOf(addr), local: local}
}

// originOf names a peer by its address, or by the /64 that it has to itself.
func originOf(addr netip.Addr) string {
	if addr.Is6() && !addr.IsLoopback() {
		if prefix, err := addr.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return addr.String()
}
