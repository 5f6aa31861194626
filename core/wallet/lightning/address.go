package lightning

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"obverse/core/text"

	"github.com/btcsuite/btcd/btcec/v2"
)

// NodeID is the compressed public key of a node. The zero value is not a valid id.
type NodeID [33]byte

// String returns the id in hexadecimal.
func (id NodeID) String() string { return hex.EncodeToString(id[:]) }

// NodeIDError reports why a text is not a node id.
type NodeIDError struct{ Text, Reason string }

func (e *NodeIDError) Error() string {
	return fmt.Sprintf("invalid node id %q: %s", text.Clip(e.Text, maxQuoted), e.Reason)
}

// ParseNodeID parses 66 hexadecimal digits of a compressed secp256k1 key. The error is a
// *NodeIDError.
func ParseNodeID(text string) (NodeID, error) {
	reason := ""
	switch n, err := hex.DecodeString(text); {
	case len(text) != 2*len(NodeID{}):
		reason = fmt.Sprintf("it must have 66 hexadecimal digits, got %d characters", len(text))
	case err != nil:
		reason = "it must have hexadecimal digits only"
	case n[0] != 2 && n[0] != 3:
		reason = "it must begin with 02 or 03, as compressed keys do"
	default:
		if _, err := btcec.ParsePubKey(n); err == nil {
			return NodeID(n), nil
		}
		reason = "it is not a point on the curve secp256k1"
	}
	return NodeID{}, &NodeIDError{text, reason}
}

// MaxAddress is the maximum length of an address in bytes.
const MaxAddress = 400

// UsualPort is the port on which nodes of the Bitcoin network usually listen. An address must
// contain its port nevertheless.
const UsualPort = 9735

// Address is the public address of a node.
type Address struct {
	Node NodeID
	Host string // an IPv4 or IPv6 address without brackets, or a domain name; in lower case
	Port uint16
}

// String returns the address in the format of ParseAddress.
func (a Address) String() string { return a.Node.String() + "@" + a.Place() }

// Place returns host:port, with brackets around an IPv6 address.
func (a Address) Place() string {
	host := a.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(a.Port))
}

// Part is the invalid part of an address.
type Part string

// Parts of an address.
const (
	PartWhole  Part = "node address"
	PartNode   Part = "node id"
	PartSocket Part = "host and port"
)

// AddressError reports why a text is not an address.
type AddressError struct {
	Part   Part
	Text   string // the part, as entered
	Reason string // "" if the address lacks a part
}

func (e *AddressError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("invalid %s %q", e.Part, text.Clip(e.Text, maxQuoted))
	}
	return fmt.Sprintf("invalid %s %q: %s", e.Part, text.Clip(e.Text, maxQuoted), e.Reason)
}

// maxQuoted is the maximum number of bytes of an invalid text in an error.
const maxQuoted = 100

// ParseAddress parses pubkey@host:port, where host is an IPv4 address, an IPv6 address in
// brackets or a domain name. It does not resolve names. The error is an *AddressError.
func ParseAddress(text string) (Address, error) {
	if len(text) > MaxAddress {
		return Address{}, &AddressError{PartWhole, text, fmt.Sprintf("it is longer than %d bytes", MaxAddress)}
	}
	public, place, found := strings.Cut(text, "@")
	switch {
	case !found:
		return Address{}, &AddressError{Part: PartWhole, Text: text}
	case strings.Contains(place, "@"):
		return Address{}, &AddressError{PartWhole, text, "it must be pubkey@host:port, and there is more than one @"}
	}
	node, err := ParseNodeID(public)
	var wrong *NodeIDError
	if errors.As(err, &wrong) {
		return Address{}, &AddressError{PartNode, public, wrong.Reason}
	}
	host, port, reason := parsePlace(place)
	if reason != "" {
		return Address{}, &AddressError{PartSocket, place, reason}
	}
	return Address{node, host, port}, nil
}

// parsePlace splits host:port. reason is "" if it is valid.
func parsePlace(text string) (host string, port uint16, reason string) {
	host, digits, reason := splitPort(text)
	if reason != "" {
		return "", 0, reason
	}
	host, reason = parseHost(host, text[0] == '[')
	if reason != "" {
		return "", 0, reason
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || n == 0 {
		return "", 0, "the port must be a whole number from 1 to 65535"
	}
	return host, uint16(n), ""
}

func splitPort(text string) (host, port, reason string) {
	missing := fmt.Sprintf("the port is missing; %d is the usual one", UsualPort)
	if bracketed, ok := strings.CutPrefix(text, "["); ok {
		host, rest, closed := strings.Cut(bracketed, "]")
		port, found := strings.CutPrefix(rest, ":")
		switch {
		case !closed:
			return "", "", "the bracket around the IPv6 address is not closed"
		case rest == "" || port == "" && found:
			return "", "", missing
		case !found:
			return "", "", "a colon and the port must follow the bracket"
		}
		return host, port, ""
	}
	if strings.Count(text, ":") > 1 {
		return "", "", "an IPv6 address with a port is written [address]:port"
	}
	host, port, _ = strings.Cut(text, ":")
	switch {
	case host == "":
		return "", "", "the host is missing"
	case port == "":
		return "", "", missing
	}
	return host, port, ""
}

func parseHost(name string, bracketed bool) (host, reason string) {
	ip, err := netip.ParseAddr(name)
	switch {
	case bracketed && (err != nil || !ip.Is6()):
		return "", "what is in brackets must be an IPv6 address"
	case err == nil && ip.Zone() != "":
		return "", "an IPv6 address must not have a zone"
	case err == nil:
		return ip.String(), ""
	}
	host = strings.ToLower(strings.TrimSuffix(name, "."))
	switch {
	case strings.HasSuffix(host, ".onion"):
		return "", "onion addresses are not supported: this node does not speak Tor"
	case !text.IsDomain(host):
		return "", "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"
	}
	return host, ""
}
