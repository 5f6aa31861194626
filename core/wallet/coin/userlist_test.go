package coin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// collected holds the warnings about a list.
type collected struct{ lines []string }

func (c *collected) Warn(message string, pairs ...any) {
	c.lines = append(c.lines, fmt.Sprintln(append([]any{message}, pairs...)...))
}

// TestBareCoinsWarn checks that an entry that cannot be activated is accepted, with a warning
// about the missing part.
func TestBareCoinsWarn(t *testing.T) {
	for entry, want := range map[string]string{
		`{"coin":"X"}`:                              `coin X reason "protocol" is missing, an object with "type" and "protocol_data"`,
		`{"coin":"X","mm2":1,"protocol":null}`:      `"protocol" is missing`,
		`{"coin":"X","protocol":{"type":"WOOF"}}`:   "WOOF",
		`{"coin":"X","protocol":{"type":"UTXO"}}`:   "",
		`{"coin":"X","protocol":{"type":"LIGHTN"}}`: "LIGHTN",
	} {
		var log collected
		known, err := ReadList(json.RawMessage("["+entry+"]"), log.Warn)
		require.NoError(t, err)
		require.Len(t, known, 1)
		if want == "" {
			require.Empty(t, log.lines)
			continue
		}
		require.Len(t, log.lines, 1)
		require.Contains(t, log.lines[0], want)
	}
	var log collected
	_, err := ReadList(json.RawMessage(`[{"coin":"A0"}`+strings.Repeat(`,{"coin":"A"}`, 3)+`]`), log.Warn)
	require.NoError(t, err)
	require.Len(t, log.lines, 4)
}

// TestCoinsWarnings checks that a coins file of another kind does not fill the log.
func TestCoinsWarnings(t *testing.T) {
	for entries, lines := range map[int]int{0: 0, 1: 1, maxProblems: maxProblems, maxProblems + 1: maxProblems + 1, 500: maxProblems + 1} {
		var log collected
		list := `[{"coin":"GOOD","protocol":{"type":"UTXO"}}` + strings.Repeat(`,{"coin":"X","mm2":7}`, entries) + `]`
		known, err := ReadList(json.RawMessage(list), log.Warn)
		require.NoError(t, err)
		_, err = NewRegistry(known).Lookup("GOOD")
		require.NoError(t, err)
		require.Len(t, log.lines, lines)
		if lines == 1 {
			require.Contains(t, log.lines[0], "entry 1 coin X reason not a coin: mm2 must be 0 or 1")
		}
		for _, line := range log.lines[:min(entries, maxProblems)] {
			require.Equal(t, 1, strings.Count(line, "skipped an invalid entry"), line)
			require.Contains(t, line, "coin X reason ")
		}
		if entries > maxProblems {
			require.Contains(t, log.lines[maxProblems], fmt.Sprint("count ", entries-maxProblems))
		}
	}
	require.Equal(t, 20, maxProblems)
}
