package rpc

import (
	"slices"
	"sync"
)

// Table is a fixed set of methods, safe for concurrent use.
type Table struct {
	rows   []Method
	byName map[string]int
	help   func() string
}

// NewTable makes a table. Two rows of one name are a mistake in the program, and
// it panics.
func NewTable(rows ...Method) *Table {
	t := &Table{rows: slices.Clone(rows), byName: make(map[string]int, len(rows))}
	for i, row := range t.rows {
		if _, twice := t.byName[row.Name]; twice {
			panic("rpc: method " + row.Name + " is registered twice")
		}
		t.byName[row.Name] = i
	}
	t.help = sync.OnceValue(t.listing)
	return t
}

// Lookup finds a method by its exact name.
func (t *Table) Lookup(name string) (Method, bool) {
	i, ok := t.byName[name]
	if !ok {
		return Method{}, false
	}
	return t.rows[i], true
}

// Methods lists all rows in the order of their registration.
func (t *Table) Methods() []Method { return slices.Clone(t.rows) }
