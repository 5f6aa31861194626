package benchtable

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	t.Setenv(RowsVariable, "")
	var table Table
	table.Add(Row{What: "transfers", Unit: "/s", Ours: []float64{100, 300, 200}, Reference: []float64{100, 100, 400}, Each: 2, Aim: ">= 0.70"})
	table.Add(Row{What: "a block", Unit: " ms", Ours: []float64{12.34}})
	table.Note("tokeninfo", "refused")
	var text strings.Builder
	require.NoError(t, table.Finish(&text))
	require.Equal(t, `
what       median   spread        ours   reference  aim      note
transfers  2.00     1.00 to 6.00  200/s  100/s      >= 0.70
a block    12.3 ms
tokeninfo                                                    refused
`, trimmed(text.String()))
	require.Panics(t, func() { table.Add(Row{What: "nothing"}) })
	require.Panics(t, func() { table.Add(Row{What: "uneven", Ours: []float64{1}, Reference: []float64{1, 2}}) })
}

// Rows of multiple benchmarks form one table, without the columns that are empty in all of them.
func TestTableOfManyRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	t.Setenv(RowsVariable, path)
	for _, what := range []string{"first", "second one"} {
		var table Table
		table.Add(Row{What: what, Unit: "/s", Ours: []float64{1, 2}})
		require.NoError(t, table.Finish(nil))
	}
	var text strings.Builder
	require.NoError(t, Print(&text, path))
	require.Equal(t, "\nwhat        median  spread\nfirst       2.00/s  1.00 to 2.00\nsecond one  2.00/s  1.00 to 2.00\n", trimmed(text.String()))

	require.NoError(t, os.WriteFile(path, []byte("a\tb\n"), 0o600))
	require.ErrorContains(t, Print(&text, path), "a row has 2 cells, want 7")
	require.ErrorContains(t, Print(&text, path+"x"), "read bench rows")
	t.Setenv(RowsVariable, filepath.Join(path, "no", "folder"))
	require.ErrorContains(t, new(Table).Finish(nil), "write bench rows")
}

// trimmed removes the spaces at the ends of lines.
func trimmed(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}
