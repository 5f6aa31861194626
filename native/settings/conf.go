package settings

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// readConf takes a komodod conf file over what the config has.
func (s *Settings) readConf(path string) error {
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	values := map[string]string{}
	var unknown []string
	for name, value := range parseConf(string(data)) {
		if key, ok := ConfKey(name); ok {
			values[key] = value
		} else {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		s.Warnings = append(s.Warnings, path+": options that have no effect here: "+strings.Join(unknown, ", "))
	}
	if err := s.Config.Override(values); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ConfKey gives the config's key for an option of komodod, which has the same
// name in a conf file and on the command line.
func ConfKey(option string) (key string, ok bool) {
	switch option {
	case "rpcuser", "rpcpassword", "rpcport", "pubkey":
		return "daemon." + option, true
	case "rpcbind":
		return "daemon.rpcip", true
	case "regtest":
		return "chain.regtest", true
	}
	return "chain." + option, strings.HasPrefix(option, "ac_")
}

// parseConf reads name=value lines as komodod does: # begins a comment wherever it
// stands, and the first of several values counts.
func parseConf(text string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if _, seen := values[name]; ok && name != "" && !seen {
			values[name] = strings.TrimSpace(value)
		}
	}
	return values
}
