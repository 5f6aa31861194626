package core

import (
	"strings"

	"obverse/core/chain/params"
)

// Ignored are the keys of a config that change nothing, dotted and sorted.
type Ignored struct {
	Foreign []string // those of Komodo DeFi Framework that have no effect here
	Unknown []string // those of nobody
}

// Lines tells a user of them, a line for each sort.
func (i Ignored) Lines() (lines []string) {
	if len(i.Foreign) > 0 {
		lines = append(lines, "keys of Komodo DeFi Framework that have no effect here: "+strings.Join(i.Foreign, ", "))
	}
	if len(i.Unknown) == 0 {
		return lines
	}
	unknown := make([]string, len(i.Unknown))
	for n, k := range i.Unknown {
		unknown[n] = clip([]byte(k)) + suggestion(k)
	}
	return append(lines, "unknown keys, which have no effect: "+strings.Join(unknown, ", "))
}

// unknownKey is the error of a key of nobody.
func unknownKey(key string) error {
	return &ConfigError{key, clip([]byte(key)) + " " + ErrUnknownKey.Error() + suggestion(key), ErrUnknownKey}
}

// suggestion is the known key that was probably meant, in brackets, or nothing.
func suggestion(key string) string {
	if len(key) > longestKey {
		return ""
	}
	key = strings.ToLower(key)
	var near, inside string
	for _, known := range append(knownKeys(), sections()...) {
		if near == "" || params.Edits(key, known) < params.Edits(key, near) {
			near = known
		}
		if strings.HasSuffix(known, "."+key) {
			inside = known
		}
	}
	own := key[strings.LastIndexByte(key, '.')+1:]
	switch {
	case 3*params.Edits(key, near) <= len(own):
		return " (did you mean " + near + "?)"
	case inside != "":
		return " (did you mean " + inside + "?)"
	}
	return ""
}

// longestKey is a length that no misspelt key reaches.
const longestKey = 100

// knownKeys lists every key that has an effect.
func knownKeys() (keys []string) {
	for _, s := range new(Config).settings() {
		keys = append(keys, s.key)
	}
	for _, option := range params.Keys() {
		keys = append(keys, "chain."+option)
	}
	return keys
}

// isForeign tells the keys of Komodo DeFi Framework that have no effect here: wallet
// files, TLS, its peer network, its collector of metrics, and its trading.
func isForeign(key string) bool {
	switch key {
	case "wallet_name", "wallet_password", "allow_registrations", "userpass", "hd_account_id",
		"alt_names", "wss_certs",
		"seednodes", "i_am_seed", "is_bootstrap_node", "disable_p2p", "max_concurrent_connections", "myipaddr", "canbind",
		"p2p_in_memory", "p2p_in_memory_port",
		"metrics", "prometheusport", "prometheus_credentials", "silent_console",
		"use_trading_proto_v2", "is_watcher", "use_watchers", "userhome", "mm2":
		return true
	}
	return false
}
