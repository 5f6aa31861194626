package lightning

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// node is a valid node id.
const node = "028d7500dd4c12685d1f568b4c2b5048e8534b873319f3a8daa612b469132ec7f7"

func TestParseNodeID(t *testing.T) {
	for _, text := range []string{node, strings.ToUpper(node), "03" + node[2:]} {
		id, err := ParseNodeID(text)
		require.NoError(t, err)
		require.Equal(t, strings.ToLower(text), id.String())
	}
	for _, c := range []struct{ name, text, reason string }{
		{"empty", "", "it must have 66 hexadecimal digits, got 0 characters"},
		{"short", node[:65], "it must have 66 hexadecimal digits, got 65 characters"},
		{"long", node + "00", "it must have 66 hexadecimal digits, got 68 characters"},
		{"not hex", "0g" + node[2:], "it must have hexadecimal digits only"},
		{"a space", " " + node[:65], "it must have hexadecimal digits only"},
		{"uncompressed", "04" + node[2:], "it must begin with 02 or 03, as compressed keys do"},
		{"zero", strings.Repeat("0", 66), "it must begin with 02 or 03, as compressed keys do"},
		{"off the curve", "02" + strings.Repeat("0", 63) + "5", "it is not a point on the curve secp256k1"},
		{"beyond the field", "02" + strings.Repeat("f", 64), "it is not a point on the curve secp256k1"},
		{"letters", "☃", "it must have 66 hexadecimal digits, got 3 characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, err := ParseNodeID(c.text)
			require.Zero(t, id)
			var wrong *NodeIDError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, c.reason, wrong.Reason)
			require.Equal(t, c.text, wrong.Text)
			require.EqualError(t, wrong, fmt.Sprintf("invalid node id %q: %s", c.text, c.reason))
		})
	}
	_, err := ParseNodeID(strings.Repeat("é", 1000))
	require.Less(t, len(err.Error()), 250)
}

func TestParseAddress(t *testing.T) {
	for _, c := range []struct{ text, host, canonical string }{
		{"203.0.113.7:9735", "203.0.113.7", ""},
		{"127.0.0.1:1", "127.0.0.1", ""},
		{"[2001:db8::1]:9735", "2001:db8::1", ""},
		{"[2001:DB8:0:0:0:0:0:1]:65535", "2001:db8::1", "[2001:db8::1]:65535"},
		{"[::ffff:192.0.2.1]:80", "::ffff:192.0.2.1", ""},
		{"localhost:19735", "localhost", ""},
		{"Node.Example.COM.:9735", "node.example.com", "node.example.com:9735"},
		{"xn--bcher-kva.example:9735", "xn--bcher-kva.example", ""},
		{"a_b-c.d1:00080", "a_b-c.d1", "a_b-c.d1:80"},
		{strings.Repeat("a", 63) + "." + strings.Repeat("b", 63) + ".c:9735", strings.Repeat("a", 63) + "." + strings.Repeat("b", 63) + ".c", ""},
		{strings.Repeat("a.", 126) + "b:9735", strings.Repeat("a.", 126) + "b", ""},
	} {
		a, err := ParseAddress(node + "@" + c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.host, a.Host)
		require.Equal(t, node, a.Node.String())
		if c.canonical == "" {
			c.canonical = c.text
		}
		require.Equal(t, c.canonical, a.Place())
		again, err := ParseAddress(a.String())
		require.NoError(t, err)
		require.Equal(t, a, again)
	}
}

func TestInvalidAddresses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		part       Part
		reason     string
	}{
		{"nothing", "", PartWhole, ""},
		{"no parts", "rgjhk3", PartWhole, ""},
		{"a key alone", node, PartWhole, ""},
		{"two @", node + "@a.example:1@b", PartWhole, "it must be pubkey@host:port, and there is more than one @"},
		{"too long", node + "@" + strings.Repeat("a", MaxAddress), PartWhole, "it is longer than 400 bytes"},
		{"no key", "@127.0.0.1:9735", PartNode, "it must have 66 hexadecimal digits, got 0 characters"},
		{"no point", "05" + node[2:] + "@127.0.0.1:9735", PartNode, "it must begin with 02 or 03, as compressed keys do"},
		{"no place", node + "@", PartSocket, "the host is missing"},
		{"no host", node + "@:9735", PartSocket, "the host is missing"},
		{"no port", node + "@127.0.0.1", PartSocket, "the port is missing; 9735 is the usual one"},
		{"empty port", node + "@127.0.0.1:", PartSocket, "the port is missing; 9735 is the usual one"},
		{"no port of a name", node + "@node.example", PartSocket, "the port is missing; 9735 is the usual one"},
		{"no port of IPv6", node + "@[::1]", PartSocket, "the port is missing; 9735 is the usual one"},
		{"empty port of IPv6", node + "@[::1]:", PartSocket, "the port is missing; 9735 is the usual one"},
		{"port zero", node + "@127.0.0.1:0", PartSocket, "the port must be a whole number from 1 to 65535"},
		{"port too large", node + "@127.0.0.1:65536", PartSocket, "the port must be a whole number from 1 to 65535"},
		{"a signed port", node + "@127.0.0.1:+1", PartSocket, "the port must be a whole number from 1 to 65535"},
		{"a named port", node + "@127.0.0.1:http", PartSocket, "the port must be a whole number from 1 to 65535"},
		{"IPv6 without brackets", node + "@2001:db8::1:9735", PartSocket, "an IPv6 address with a port is written [address]:port"},
		{"bracket not closed", node + "@[::1:9735", PartSocket, "the bracket around the IPv6 address is not closed"},
		{"no colon", node + "@[::1]9735", PartSocket, "a colon and the port must follow the bracket"},
		{"brackets around IPv4", node + "@[127.0.0.1]:9735", PartSocket, "what is in brackets must be an IPv6 address"},
		{"brackets around a name", node + "@[node.example]:9735", PartSocket, "what is in brackets must be an IPv6 address"},
		{"empty brackets", node + "@[]:9735", PartSocket, "what is in brackets must be an IPv6 address"},
		{"a zone", node + "@[fe80::1%eth0]:9735", PartSocket, "an IPv6 address must not have a zone"},
		{"onion", node + "@" + strings.Repeat("a", 56) + ".onion:9735", PartSocket, "onion addresses are not supported: this node does not speak Tor"},
		{"onion in capitals", node + "@ABC.ONION.:9735", PartSocket, "onion addresses are not supported: this node does not speak Tor"},
		{"broken IPv4", node + "@256.1.1.1:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
		{"IPv4 with a leading zero", node + "@127.0.0.01:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
		{"a space", node + "@a b:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
		{"letters beyond ASCII", node + "@bücher.example:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
		{"empty label", node + "@a..b:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
		{"long label", node + "@" + strings.Repeat("a", 64) + ".b:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
		{"long name", node + "@" + strings.Repeat("a.", 127) + "b:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
		{"name of 254 bytes", node + "@" + strings.Repeat("a.", 126) + "bc:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
		{"hyphen at the beginning", node + "@a.-b:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
		{"hyphen at the end", node + "@a-.b:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
		{"a path", node + "@a.b/c:9735", PartSocket, "the host must be an IPv4 address, an IPv6 address in brackets or a domain name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := ParseAddress(c.text)
			require.Zero(t, a)
			var wrong *AddressError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, c.part, wrong.Part)
			require.Equal(t, c.reason, wrong.Reason)
			require.True(t, strings.HasPrefix(err.Error(), "invalid "+string(c.part)+" "), "%v", err)
			require.Equal(t, c.reason != "", strings.HasSuffix(err.Error(), "\": "+c.reason), "only what has not the parts has no reason")
			require.Less(t, len(err.Error()), 300)
		})
	}
}

// FuzzParseAddress checks that a valid address has exactly one format, which is parsed as the
// same address again.
func FuzzParseAddress(f *testing.F) {
	for _, place := range []string{"127.0.0.1:9735", "[::1]:1", "node.example:65535", "[fe80::1%a]:1", "a:b:c", ""} {
		f.Add(node + "@" + place)
	}
	f.Add("rgjhk3")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			var wrong *AddressError
			require.True(t, errors.As(err, &wrong))
			return
		}
		again, err := ParseAddress(a.String())
		require.NoError(t, err, a)
		require.Equal(t, a, again)
		id, err := ParseNodeID(a.Node.String())
		require.NoError(t, err)
		require.Equal(t, a.Node, id)
	})
}

func TestChainHash(t *testing.T) {
	for network, begins := range map[string]string{"mainnet": "6fe28c0ab6f1b372c1a6a246ae63f74f", "testnet": "43497fd7f826957108f4a30fd9cec3ae",
		"regtest": "06226e46111a0b59caaf126043eb5bbf"} {
		hash, ok := ChainHash(network)
		require.True(t, ok)
		require.Equal(t, begins, hex.EncodeToString(hash[:16]), "as BOLT 0 and the nodes have it")
	}
	_, ok := ChainHash("moon")
	require.False(t, ok)
}
