package versionstat

import (
	"net/netip"
	"strconv"
	"strings"
)

// MaxText bounds names, addresses, versions and error texts, in bytes: upstream's
// columns are VARCHAR(255).
const MaxText = 255

// Address is where a node is asked.
type Address struct {
	Host string // an IPv4 or IPv6 address without brackets, or a domain name
	Port uint16 // 0: the network's own
}

// AddressError says why a text is no address.
type AddressError struct{ Reason string }

func (e *AddressError) Error() string { return "not an address: " + e.Reason }

// Reasons of an AddressError.
const (
	reasonLong = "it is longer than 255 bytes"
	reasonHost = "the host must be an IPv4 address, an IPv6 address or a domain name"
	reasonSix  = "an IPv6 address with a port is written [address]:port"
	reasonZone = "an IPv6 address must not have a zone"
	reasonPort = "the port must be a whole number from 1 to 65535"
)

// ParseAddress reads host, host:port, [host]:port and, as upstream does, each with a scheme://
// in front, which is ignored. It performs no lookup: domain names are resolved at each request.
// The error is an *AddressError.
func ParseAddress(text string) (Address, error) {
	if len(text) > MaxText {
		return Address{}, &AddressError{reasonLong}
	}
	_, rest, found := strings.Cut(text, "://")
	if !found {
		rest = text
	}
	host, port, found, err := split(rest)
	if err != nil {
		return Address{}, err
	}
	a := Address{Host: host}
	if found {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Address{}, &AddressError{reasonPort}
		}
		a.Port = uint16(n)
	}
	return a, nil
}

// split takes the port off a host that is right; found reports whether there is one.
func split(text string) (host, port string, found bool, err error) {
	if bracketed, ok := strings.CutPrefix(text, "["); ok {
		host, port, closed := strings.Cut(bracketed, "]")
		ip, wrong := netip.ParseAddr(host)
		port, found := strings.CutPrefix(port, ":")
		switch {
		case wrong != nil || !ip.Is6() || !closed || port != "" && !found:
			return "", "", false, &AddressError{reasonHost}
		case ip.Zone() != "":
			return "", "", false, &AddressError{reasonZone}
		}
		return host, port, found, nil
	}
	if ip, err := netip.ParseAddr(text); err == nil {
		if ip.Zone() != "" {
			return "", "", false, &AddressError{reasonZone}
		}
		return text, "", false, nil
	}
	if strings.Count(text, ":") > 1 {
		return "", "", false, &AddressError{reasonSix}
	}
	host, port, found = strings.Cut(text, ":")
	if _, err := netip.ParseAddr(host); err != nil && !domainName(host) {
		return "", "", false, &AddressError{reasonHost}
	}
	return host, port, found, nil
}

// domainName reports whether a resolver may be asked for text: labels of letters,
// digits, hyphens and underscores, the last one not a number, which would be a broken
// IPv4 address.
func domainName(text string) bool {
	text = strings.TrimSuffix(text, ".")
	if len(text) > 253 {
		return false
	}
	numeric := false
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		numeric = true
		for _, c := range []byte(label) {
			digit := c >= '0' && c <= '9'
			if !digit && c != '-' && c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') {
				return false
			}
			numeric = numeric && digit
		}
	}
	return !numeric
}
