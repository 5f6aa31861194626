package config

import (
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"obverse/core/key"
	"obverse/core/rpc"
)

// Warnings returns warnings for the user about allowed values that are not applied as given.
func (c *Config) Warnings() (lines []string) {
	if c.RPCCORS == anyOrigin {
		lines = append(lines, `rpccors "*" is taken as none: any web page could call the node; name the one origin that may`)
	}
	if c.Events.AllowOrigin == anyOrigin {
		lines = append(lines, `event_streaming_configuration.access_control_allow_origin "*" is taken as none: `+
			"any web page could read the events; name the one origin that may")
	}
	return lines
}

// Risks returns warnings for the operator of a native node about settings that expose secrets.
func (c *Config) Risks() (lines []string) {
	lines = c.exposed()
	if c.weakPassphrase() {
		lines = append(lines, "passphrase is weak: anyone who guesses it has the key, and programs try short texts and known phrases. "+
			"At least 12 random words are safe: start a node with a new data folder, which gets a random passphrase, and send coins and tokens to its address")
	}
	if name := c.Chain.Options.Name; name != defaultChain().Name {
		lines = append(lines, "chain.ac_name "+name+" is a chain of your own nodes: "+
			"it does not sync with komodod, and does not join komodod's chain of that name")
	}
	return lines
}

// exposed returns warnings about interfaces that other machines can reach, and whose traffic
// can be read.
func (c *Config) exposed() (lines []string) {
	const unencrypted = " accepts connections from other machines, unencrypted: anyone who sees the traffic can read the password"
	if !isLoopback(c.Daemon.RPCIP) {
		lines = append(lines, "daemon.rpcip "+c.Daemon.RPCIP+unencrypted+", and `dumpprivkey` gives the private key to anyone who has it; "+
			"listen on 127.0.0.1 and put a proxy with TLS in front of the node")
	}
	if !isLoopback(c.RPCIP) {
		lines = append(lines, "rpcip "+c.RPCIP+unencrypted+" (and may spend, if rpc_local_only is false); "+
			"listen on 127.0.0.1 and put a proxy with TLS in front of the node")
	}
	if at, err := netip.ParseAddrPort(c.Validator.ABCI); err == nil && !isLoopback(at.Addr().String()) {
		lines = append(lines, "validator.abci "+c.Validator.ABCI+" accepts connections from other machines, without a password: any client can dictate the node's blocks; "+
			"listen on 127.0.0.1, or where only your CometBFT is")
	}
	return lines
}

func isLoopback(ip string) bool {
	address, err := netip.ParseAddr(ip)
	return err != nil || address.Unmap().IsLoopback()
}

// Ignored lists the keys of a config that have no effect, dotted and sorted.
type Ignored struct {
	Foreign []string // keys of Komodo DeFi Framework that have no effect here
	Unknown []string // keys that do not exist
}

// Lines returns descriptions of the keys for the user, one line for each kind.
func (i Ignored) Lines() (lines []string) {
	if len(i.Foreign) > 0 {
		lines = append(lines, "keys of Komodo DeFi Framework that have no effect here: "+strings.Join(i.Foreign, ", "))
	}
	if len(i.Unknown) == 0 {
		return lines
	}
	unknown := make([]string, len(i.Unknown))
	for n, k := range i.Unknown {
		unknown[n] = clip(k) + suggestion(k)
	}
	return append(lines, "unknown keys, which have no effect: "+strings.Join(unknown, ", "))
}

// unknownKey returns the error for a key that does not exist.
func unknownKey(key string) error {
	return &Error{key, clip(key) + " " + ErrUnknownKey.Error() + suggestion(key), ErrUnknownKey}
}

// suggestion returns the most similar known key in parentheses, or "".
func suggestion(key string) string {
	section, base := "", key
	if at := strings.LastIndexByte(key, '.'); at >= 0 {
		section, base = key[:at+1], key[at+1:]
	}
	meant := ""
	var near []string // keys in the same object, without its name
	var names []string
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	for _, known := range append(names, sections()...) {
		if strings.HasSuffix(known, "."+key) {
			meant = known // the key exists outside the object
		}
		if rest, ok := strings.CutPrefix(known, section); ok && !strings.Contains(rest, ".") {
			near = append(near, rest)
		}
	}
	if name, found := rpc.Nearest(base, near); found {
		meant = section + name
	} else if name := strings.ToLower(base); slices.Contains(near, name) {
		meant = section + name
	}
	if meant == "" {
		return ""
	}
	return " (did you mean " + meant + "?)"
}

// isForeign reports whether a key of Komodo DeFi Framework has no effect here: keys of TLS, of
// its peer network, of its metrics collector and of trading.
func isForeign(key string) bool {
	switch key {
	case "userpass", "hd_account_id",
		"alt_names", "wss_certs",
		"seednodes", "i_am_seed", "is_bootstrap_node", "disable_p2p", "max_concurrent_connections", "myipaddr", "canbind",
		"p2p_in_memory", "p2p_in_memory_port",
		"metrics", "prometheusport", "prometheus_credentials", "silent_console",
		"use_trading_proto_v2", "is_watcher", "use_watchers", "userhome", "mm2":
		return true
	}
	return false
}

// Minimum number of random words, or of random characters in a single word, of a passphrase
// that cannot be guessed. Attackers try the phrases that people choose.
const (
	strongWords     = 12
	strongLength    = 20 // characters, if they include three of: lower case, upper case, digits, others
	strongHex       = 32 // hexadecimal digits, which include two of these classes
	strongDifferent = 10 // number of different words or characters
)

// weakPassphrase reports whether the passphrase can be guessed.
func (c *Config) weakPassphrase() bool {
	text := c.Passphrase.Reveal()
	_, notWIF := key.ParseWIF(text)
	if text == "" || c.EnableHD || notWIF == nil || strings.HasPrefix(text, "0x") {
		return false
	}
	if words := strings.Fields(text); len(words) > 1 {
		return len(words) < strongWords || different(words) < strongDifferent
	}
	n, letters := classes(text), []rune(text)
	long := len(letters) >= strongLength && n >= 3 || len(letters) >= strongHex && n >= 2
	return !long || different(letters) < strongDifferent
}

func different[T comparable](all []T) int {
	seen := map[T]bool{}
	for _, one := range all {
		seen[one] = true
	}
	return len(seen)
}

// classes returns the number of character classes in a text.
func classes(text string) int {
	seen := map[int]bool{}
	for _, r := range text {
		switch {
		case unicode.IsLower(r):
			seen[0] = true
		case unicode.IsUpper(r):
			seen[1] = true
		case unicode.IsDigit(r):
			seen[2] = true
		default:
			seen[3] = true
		}
	}
	return len(seen)
}
