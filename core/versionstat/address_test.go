package versionstat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseAddress(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Address
	}{
		{"IPv4", "168.119.236.241", Address{Host: "168.119.236.241"}},
		{"IPv4 and port", "127.0.0.1:42845", Address{"127.0.0.1", 42845}},
		{"IPv6", "2001:db8::1", Address{Host: "2001:db8::1"}},
		{"IPv6 in brackets", "[::1]", Address{Host: "::1"}},
		{"IPv6 and port", "[::1]:7", Address{"::1", 7}},
		{"IPv4 as IPv6", "::ffff:10.0.0.1", Address{Host: "::ffff:10.0.0.1"}},
		{"domain", "viserion.dragon-seed.com", Address{Host: "viserion.dragon-seed.com"}},
		{"domain and port", "Seed_1.Example.org:65535", Address{"Seed_1.Example.org", 65535}},
		{"domain with its root", "example.org.", Address{Host: "example.org."}},
		{"one label", "localhost:1", Address{"localhost", 1}},
		{"digits in front", "1.seed.1a", Address{Host: "1.seed.1a"}},
		{"scheme", "https://seed.example.org", Address{Host: "seed.example.org"}},
		{"scheme and port", "tcp://[2001:db8::2]:42845", Address{"2001:db8::2", 42845}},
		{"longest label", strings.Repeat("a", 63) + ".org", Address{Host: strings.Repeat("a", 63) + ".org"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseAddress(c.text)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestParseAddressRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, reason string }{
		{"nothing", "", reasonHost},
		{"scheme alone", "https://", reasonHost},
		{"port alone", ":42845", reasonHost},
		{"path", "https://seed.example.org/", reasonHost},
		{"path after a port", "seed.example.org:1/x", reasonPort},
		{"space", "seed example", reasonHost},
		{"user", "user@seed.example.org", reasonHost},
		{"not ASCII", "sämen.example.org", reasonHost},
		{"zero byte", "seed\x00.org", reasonHost},
		{"empty label", "seed..org", reasonHost},
		{"hyphen in front", "-seed.org", reasonHost},
		{"hyphen behind", "seed-.org", reasonHost},
		{"long label", strings.Repeat("a", 64) + ".org", reasonHost},
		{"long name", strings.Repeat("a.", 126) + "aa", reasonHost},
		{"broken IPv4", "300.1.1.1", reasonHost},
		{"short IPv4", "127.1", reasonHost},
		{"number", "2130706433", reasonHost},
		{"IPv4 in brackets", "[127.0.0.1]:1", reasonHost},
		{"no closing bracket", "[::1", reasonHost},
		{"something after the bracket", "[::1]1", reasonHost},
		{"IPv6 and port, no brackets", "2001:db8::1:xyz", reasonSix},
		{"IPv6 and a large port", "1:2:3:4:5:6:7:8:42845", reasonSix},
		{"zone", "fe80::1%eth0", reasonZone},
		{"zone in brackets", "[fe80::1%eth0]:1", reasonZone},
		{"no port after the colon", "example.org:", reasonPort},
		{"port 0", "example.org:0", reasonPort},
		{"large port", "example.org:65536", reasonPort},
		{"port with a sign", "example.org:+1", reasonPort},
		{"too long", strings.Repeat("a", MaxText+1), reasonLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseAddress(c.text)
			var wrong *AddressError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, c.reason, wrong.Reason)
		})
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"1.2.3.4", "[::1]:1", "a.b:2", "x://y", "[", "::%a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}
		require.Contains(t, text, a.Host)
		require.NotContains(t, a.Host, "[")
		require.NotEmpty(t, a.Host)
		again, err := ParseAddress(a.Host)
		require.NoError(t, err)
		require.Equal(t, Address{Host: a.Host}, again)
	})
}
