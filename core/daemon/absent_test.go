package daemon

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAbsent compares the list of absent methods with the methods that exist. Existing methods
// must not be listed as absent, and methods that a hint recommends must exist.
func TestAbsent(t *testing.T) {
	exists := map[string]bool{}
	for _, m := range (&Backend{}).Methods() {
		exists[m.Name] = true
		_, known := Absent(m.Name)
		require.False(t, known, m.Name)
	}
	word := regexp.MustCompile(`\b(?:(?:get|send|token|dump)[a-z]+|listunspent)\b`)
	seen, named := map[string]bool{}, 0
	for _, a := range absent {
		for name := range strings.FieldsSeq(a.methods) {
			require.False(t, seen[name], name)
			seen[name] = true
			instead, known := Absent(strings.TrimSuffix(name, "*"))
			require.True(t, known, name)
			require.Equal(t, a.instead, instead, name)
		}
		for _, name := range word.FindAllString(a.instead, -1) {
			if name != "tokens" && name != "sends" {
				named++
				require.True(t, exists[name], "%s, in %q", name, a.instead)
			}
		}
	}
	require.Greater(t, named, 10)
	_, known := Absent("dumpwallets")
	require.False(t, known, "names are exact")
}
