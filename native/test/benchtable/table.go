// Package benchtable prints the results of benchmarks as one table. Absolute times depend more on
// the machine than on the program, so most rows are ratios of two measurements that alternate in
// one run. The package itself measures nothing.
package benchtable

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// RowsVariable is an environment variable with the name of a file to which rows are appended, so
// that multiple benchmarks share a table. If it is not set, each benchmark prints a table.
const RowsVariable = "OBVERSE_BENCH_ROWS"

// separator separates the cells of a row in a file.
const separator = "\t"

// head contains the names of the columns.
var head = []string{"what", "median", "spread", "ours", "reference", "aim", "note"}

// Table holds the rows added so far.
type Table struct{ rows [][]string }

// Row is one line of a table.
type Row struct {
	What string
	Unit string // of Ours, as "/s"
	// Ours holds one figure per round.
	Ours []float64
	// Reference holds the figures that were measured in alternation with Ours. The row contains the
	// ratio of each round. Without it, the row contains the figures themselves.
	Reference []float64
	// Each is the divisor of Ours in the ratio, such as 2 for the two signatures of a transfer.
	// Zero means one.
	Each float64
	Aim  string
	Note string
}

// Add adds a row. It panics if Ours is empty, or if Reference is not empty and has another length.
func (t *Table) Add(r Row) {
	if len(r.Ours) == 0 || len(r.Reference) != 0 && len(r.Reference) != len(r.Ours) {
		panic(fmt.Sprintf("benchtable: %s: %d figures, %d of reference", r.What, len(r.Ours), len(r.Reference)))
	}
	figures, unit := r.Ours, r.Unit
	cells := []string{"", ""}
	if len(r.Reference) > 0 {
		figures, unit = make([]float64, len(r.Ours)), ""
		for i := range figures {
			figures[i] = cmp.Or(r.Each, 1) * r.Ours[i] / r.Reference[i]
		}
		cells = []string{number(Median(r.Ours)) + r.Unit, number(Median(r.Reference)) + r.Unit}
	}
	spread := ""
	if len(figures) > 1 {
		spread = number(slices.Min(figures)) + " to " + number(slices.Max(figures))
	}
	t.rows = append(t.rows, []string{r.What, number(Median(figures)) + unit, spread, cells[0], cells[1], r.Aim, r.Note})
}

// Note adds a row with a text instead of figures.
func (t *Table) Note(what, note string) {
	t.rows = append(t.rows, []string{what, "", "", "", "", "", note})
}

// Median returns the middle value, or the upper one of two.
func Median(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// number formats a number with three digits, or with all digits before the point.
func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Finish prints the table, or adds its rows to the file that RowsVariable names.
func (t *Table) Finish(to io.Writer) error {
	path := os.Getenv(RowsVariable)
	if path == "" {
		return show(to, t.rows)
	}
	var text strings.Builder
	for _, row := range t.rows {
		text.WriteString(strings.Join(row, separator) + "\n")
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write bench rows: %w", err)
	}
	_, err = file.WriteString(text.String())
	return cmp.Or(err, file.Close())
}

// Print prints the rows of a file as one table.
func Print(to io.Writer, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read bench rows: %w", err)
	}
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), separator)
		if len(row) != len(head) {
			return fmt.Errorf("read bench rows: %s: a row has %d cells, want %d", path, len(row), len(head))
		}
		rows = append(rows, row)
	}
	return show(to, rows)
}

// show prints the rows, without empty columns.
func show(to io.Writer, rows [][]string) error {
	all := append([][]string{head}, rows...)
	w := tabwriter.NewWriter(to, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w)
	for _, row := range all {
		var cells []string
		for i, cell := range row {
			if slices.ContainsFunc(rows, func(r []string) bool { return r[i] != "" }) {
				cells = append(cells, cell)
			}
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}
