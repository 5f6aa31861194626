package config

import (
	"slices"
	"strings"

	"obverse/core/rpc"
)

// Ignored are the keys of a config that change nothing, dotted and sorted.
type Ignored struct {
	Foreign []string // those of Komodo DeFi Framework that have no effect here
	Unknown []string // keys that do not exist
}

// Lines describes them to the user, one line for each kind.
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

// unknownKey returns the error of a key that does not exist.
func unknownKey(key string) error {
	return &Error{key, clip(key) + " " + ErrUnknownKey.Error() + suggestion(key), ErrUnknownKey}
}

// suggestion is the known key that was probably meant, in brackets, or nothing.
func suggestion(key string) string {
	section, own := "", key
	if at := strings.LastIndexByte(key, '.'); at >= 0 {
		section, own = key[:at+1], key[at+1:]
	}
	meant := ""
	var near []string // of the same object, without its name
	var names []string
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	for _, known := range append(names, sections()...) {
		if strings.HasSuffix(known, "."+key) {
			meant = known // it stands outside its object
		}
		if rest, ok := strings.CutPrefix(known, section); ok && !strings.Contains(rest, ".") {
			near = append(near, rest)
		}
	}
	if name, found := rpc.Nearest(own, near); found {
		meant = section + name
	} else if name := strings.ToLower(own); slices.Contains(near, name) {
		meant = section + name
	}
	if meant == "" {
		return ""
	}
	return " (did you mean " + meant + "?)"
}

// isForeign reports whether a key of Komodo DeFi Framework has no effect here: TLS, its
// peer network, its collector of metrics, and its trading.
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
