package fetch

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// notPublic lists the ranges of IPv4 and IPv6 that netip does not recognize but IANA's
// registries of special purpose addresses mark as not globally reachable.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
}

// publicV6 is the allocated part of IPv6; the exceptions within it follow.
var (
	publicV6    = netip.MustParsePrefix("2000::/3")
	notPublicV6 = []netip.Prefix{
		netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
		netip.MustParsePrefix("3fff::/20"),
	}
)

// IsPublic reports whether an address is one of the public internet: neither this machine
// nor a network around it, and no form that hides such an address in another (IPv4 in
// IPv6, 6to4, Teredo, NAT64).
func IsPublic(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	special := notPublic
	if a.Is6() {
		if !publicV6.Contains(a) {
			return false
		}
		special = notPublicV6
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// CheckPublic refuses a URL, with ErrPrivate, whose host says by itself that it is not
// public: an address that is not, in any way of writing one that a browser knows, or a
// name that no public server has. What a name stands for is not asked here.
func CheckPublic(raw string) error {
	u, err := url.Parse(raw)
	if err != nil { // which may quote a password
		return fmt.Errorf("%w: invalid URL", ErrRequest)
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if strings.Contains(host, ":") {
		if a, err := netip.ParseAddr(host); err != nil || !IsPublic(a) {
			return ErrPrivate
		}
		return nil
	}
	for _, r := range host {
		if r > '~' || r <= ' ' || strings.ContainsRune("%<>\\^|`{}\"", r) {
			return ErrPrivate // browsers turn some letters into others, and so names into addresses
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return ErrPrivate
	}
	if isNumber(last) {
		if a, err := netip.ParseAddr(host); err != nil || !IsPublic(a) {
			return ErrPrivate // 127.1, 0x7f000001 and 2130706433 are addresses to a browser
		}
		return nil
	}
	if last == host {
		return ErrPrivate // a name without a dot: localhost, or one of the network around
	}
	switch last {
	case "localhost", "local", "internal", "intranet", "lan", "home", "corp", "test", "onion":
		return ErrPrivate
	case "arpa":
		if strings.HasSuffix(host, "home.arpa") {
			return ErrPrivate
		}
	}
	return nil
}

// isNumber reports whether the last part of a host makes it an address instead of a name, as in
// the URL standard.
func isNumber(part string) bool {
	if hex, is := strings.CutPrefix(part, "0x"); is {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(part, "0123456789") == ""
}
