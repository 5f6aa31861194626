package rpc

import (
	"strings"
	"unicode"
)

// TypeName makes a method's name one of a type: "stream::heartbeat::enable" is
// StreamHeartbeatEnable.
func TypeName(method string) string {
	var b strings.Builder
	upper := true
	for _, r := range method {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		upper = false
		b.WriteRune(r)
	}
	return b.String()
}
