package httpd

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"obverse/core/net/route"
)

// forwarding lists the headers with which a proxy forwards requests, in canonical
// form. With one of them, or one that begins with X-Forward, a peer at a loopback address is not
// local. Some proxies write _ for -.
var forwarding = []string{
	"Forwarded", "Forwarded-For", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Originating-Ip", "X-Remote-Ip",
	"X-Remote-Addr", "X-Host", "X-Proxyuser-Ip", "X-Original-Forwarded-For", "X-Original-Host", "X-Envoy-External-Address", "Client-Ip",
	"True-Client-Ip", "Cf-Connecting-Ip", "Cf-Connecting-Ipv6", "Cf-Ray", "Cdn-Loop", "Fastly-Client-Ip", "Fly-Client-Ip", "Ali-Cdn-Real-Ip",
	"X-Azure-Clientip", "X-Appengine-User-Ip", "X-Nf-Client-Connection-Ip", "Proxy-Client-Ip", "Wl-Proxy-Client-Ip",
}

// forwardingPrefix is the prefix of X-Forwarded-For and similar headers.
const forwardingPrefix = "X-Forward"

// hostList holds the allowed host names. It prevents DNS rebinding: a page of another site whose name
// suddenly resolves to this machine still sends its own name as Host.
type hostList map[string]bool

// newHostList allows localhost, the host of the listening address and the extras.
// Loopback addresses, and the address of this machine in the connection, are always allowed.
func newHostList(address string, extras []string) hostList {
	list := hostList{"localhost": true}
	for _, host := range append([]string{address}, extras...) {
		if name := configuredName(host); name != "" {
			list[name] = true
		}
	}
	return list
}

func (l hostList) allows(r *http.Request) bool { return l.names(r.Host, r) }

// names reports whether a host is a name of this machine for the sender of the request.
func (l hostList) names(host string, r *http.Request) bool {
	name, ok := hostName(host)
	if !ok {
		return false
	}
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

// hostName removes the port, the brackets of an IPv6 address and the root's dot from the host of a
// request. ok is false for hosts that no browser sends: a name consists of letters, digits,
// and .-_ between them, and an address has no zone.
func hostName(host string) (name string, ok bool) {
	rest := ""
	if inside, found := strings.CutPrefix(host, "["); found {
		if name, rest, found = strings.Cut(inside, "]"); !found || !strings.Contains(name, ":") || strings.Contains(name, "%") {
			return "", false
		}
		if _, err := netip.ParseAddr(name); err != nil {
			return "", false
		}
	} else {
		at := strings.IndexByte(host, ':')
		if at < 0 {
			at = len(host)
		}
		name, rest = strings.TrimSuffix(host[:at], "."), host[at:]
		if !isName(name) {
			return "", false
		}
	}
	if rest != "" && !isPortOf(rest) {
		return "", false
	}
	return strings.ToLower(name), true
}

// isName accepts names and IPv4 addresses.
func isName(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if label == "" {
			return false
		}
		for _, b := range []byte(label) {
			if !(b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '_') {
				return false
			}
		}
	}
	return true
}

// isPortOf reports whether rest, the text after a host, is a colon and a port, or empty.
func isPortOf(rest string) bool {
	port, found := strings.CutPrefix(rest, ":")
	n, err := strconv.ParseUint(port, 10, 16)
	return found && err == nil && n > 0
}

// configuredName returns the name in a listening address or in a host of the config. A listening
// address may have a zone, and a host of the config may have no port.
func configuredName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	host, _, _ = strings.Cut(host, "%")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// localAddr returns the address on which the request's connection came in.
func localAddr(r *http.Request) netip.Addr {
	if tcp, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// peer returns the address that the request came from.
func peer(r *http.Request) netip.Addr { return addressOf(r.RemoteAddr) }

// addressOf parses the address of a remote end.
func addressOf(remote string) netip.Addr {
	addrPort, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return addrPort.Addr().Unmap().WithZone("")
}

func isForwarded(r *http.Request) bool {
	for name, values := range r.Header {
		name = http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
		if len(values) > 0 && (strings.HasPrefix(name, forwardingPrefix) || slices.Contains(forwarding, name)) {
			return true
		}
	}
	return false
}

// forwardedFor returns the client's address as the nearest proxy reports it, or "". It is only for
// the log, because any client can send the header.
func forwardedFor(r *http.Request) string {
	values := r.Header["X-Forwarded-For"]
	if len(values) == 0 {
		return ""
	}
	last := values[len(values)-1]
	addr, err := netip.ParseAddr(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:]))
	if err != nil {
		return ""
	}
	return addr.Unmap().WithZone("").String()
}

// forwarded is the address of all clients of a proxy on this machine,
// whichever of the machine's loopback addresses the proxy uses.
const forwarded = "forwarded"

// sender is the sender of a request.
type sender struct {
	// address is the address of the peer, under which its requests are counted. The clients of a proxy on this
	// machine count together, and separately from the machine's own programs, so that their
	// wrong passwords do not lock these programs out. The address that a proxy reports is not
	// trusted, and the header of a remote peer has no effect, because with it the peer
	// could act as two callers.
	address string
	// origin is the peer's name for delays and shares. An IPv6 peer counts with its whole /64.
	origin string
	// local reports that the sender is a program on this machine, and not a proxy.
	local bool
}

// senderOf returns the sender of a request. Behind a proxy no sender is local.
func (g *gate) senderOf(r *http.Request) sender { return g.senderOn(connectionOf(r.Context()), r) }

// senderOn is senderOf for callers that know the request's connection.
func (g *gate) senderOn(c *connection, r *http.Request) sender {
	from := c.senderOf(r)
	if from.local && g.isShared(r) {
		return sender{address: forwarded, origin: forwarded}
	}
	return from
}

// isShared reports whether a proxy sends the requests of several clients over the connection, so
// that the password of one client proves nothing about the others.
func (g *gate) isShared(r *http.Request) bool { return g.behindProxy || isForwarded(r) }

// senderAt returns the sender according to its address alone.
func senderAt(addr netip.Addr) sender {
	return sender{address: addr.String(), origin: originOf(addr), local: addr.IsLoopback()}
}

// originOf returns the address of a peer, or the /64 of an IPv6 peer.
func originOf(addr netip.Addr) string {
	if addr.Is6() && !addr.IsLoopback() {
		if prefix, err := addr.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return addr.String()
}

// pages holds the web pages that may call the daemon API from a browser: those of the
// configured origin, and the wallet page of this node, which is on the other port
// and therefore of another origin. komodod allows no pages.
type pages struct {
	origin string        // configured, empty: none
	hosts  hostList      // names under which this machine serves the wallet page
	port   func() string // of the wallet page; empty: it is not served
	guard  *http.CrossOriginProtection
}

// mayCall reports whether a request comes from an allowed page or from no page at all.
func (p *pages) mayCall(r *http.Request) bool { return p.guard.Check(r) == nil || p.allows(r) }

// allows reports whether the request comes from an allowed page.
func (p *pages) allows(r *http.Request) bool {
	from := r.Header.Get("Origin")
	if from == "" {
		return false
	}
	if from == p.origin {
		return true
	}
	page, err := url.Parse(from)
	return err == nil && page.Scheme == "http" && page.Port() != "" && page.Port() == p.port() && p.hosts.names(page.Host, r)
}

// admit allows an allowed page to read the answer, including errors.
func (p *pages) admit(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Origin")
	if p.allows(r) {
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	}
}

// asksFirst reports whether the request is a browser's preflight for an allowed page, and answers it.
func (p *pages) asksFirst(w http.ResponseWriter, r *http.Request) bool {
	if r.Header.Get("Access-Control-Request-Method") != http.MethodPost || !p.allows(r) {
		return false
	}
	p.admit(w, r)
	route.PermitDaemon(w.Header())
	return true
}

// Guard returns a handler that passes on only requests that no page of another site has sent, for a
// server that checks neither Host nor Origin. The Host must name this machine, by the listening address
// or one of hosts, as on the node's own ports, and the Origin must not be another one. Guard also checks GET
// requests, which can have effects on such a server or open websockets.
func Guard(next http.Handler, address string, hosts []string) http.Handler {
	list, origins := newHostList(address, hosts), guardOf("")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		switch {
		case !list.allows(r):
			err = fmt.Errorf("%w: %.100q", errHost, r.Host)
		case isForeign(origins, r):
			err = fmt.Errorf("%w: %.100q", errOtherPage, r.Header.Get("Origin"))
		default:
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", jsonType)
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write(nodeError(err.Error()))
	})
}
