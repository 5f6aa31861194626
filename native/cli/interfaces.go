package cli

import (
	"strings"
	"time"

	"obverse/core/daemon"
	"obverse/core/mmrpc"
	"obverse/core/rpc"
)

// iface is one of the two APIs, for help and hints. Its methods cannot be called.
type iface struct {
	name  string // daemon API or node API
	flag  string // the option of call that picks it
	table *rpc.Table
}

func daemonInterface() iface {
	return iface{"daemon API", "--daemon", daemon.New(daemon.Options{}, (&daemon.Backend{}).Methods()...).Table()}
}

func nodeInterface() iface {
	return iface{"node API", "--node", mmrpc.New(mmrpc.Options{Now: time.Now}, mmrpc.Backend{}.Areas()...).Table()}
}

func interfaces() []iface { return []iface{daemonInterface(), nodeInterface()} }

// names lists its methods.
func (i iface) names() (names []string) {
	for _, m := range i.table.Methods() {
		names = append(names, m.Name)
	}
	return names
}

// has finds a method whose name has the same letters: the interfaces write names
// differently.
func (i iface) has(name string) (method string, found bool) {
	for _, known := range i.names() {
		if letters(known) == letters(name) {
			return known, true
		}
	}
	return "", false
}

// letters reduces a name to what both APIs write the same: its letters and digits, lower case.
func letters(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", ":", "", "-", "", ".", "").Replace(name))
}

// isNodeMethod picks the interface of a method. One that this program does not know is
// looked at as the interfaces name theirs: komodod's names are letters only.
func isNodeMethod(method string) bool {
	if _, known := daemonInterface().table.Lookup(method); known {
		return false
	}
	if _, known := nodeInterface().table.Lookup(method); known {
		return true
	}
	if _, known := daemon.Absent(method); known {
		return false
	}
	return strings.ContainsAny(method, "_:")
}
