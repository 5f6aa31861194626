package rpc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Help lists all methods for people, as komodod does: a heading for each category,
// below it the usage lines, both in alphabetical order.
func (t *Table) Help() string {
	methods := t.Methods()
	slices.SortFunc(methods, func(a, b Method) int {
		return cmp.Or(cmp.Compare(a.Doc.Category, b.Doc.Category), cmp.Compare(a.Name, b.Name))
	})
	var lines []string
	for i, m := range methods {
		if i == 0 || m.Doc.Category != methods[i-1].Doc.Category {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, "== "+m.Doc.Category+" ==")
		}
		lines = append(lines, m.Doc.Usage)
	}
	return strings.Join(lines, "\n")
}

// Help explains the method: its usage line, and unless it is terse what is known
// beyond that.
func (m Method) Help() string {
	var b strings.Builder
	b.WriteString(m.Doc.Usage + "\n")
	if m.Doc.Terse {
		return b.String()
	}
	if m.Doc.Summary != "" {
		b.WriteString("\n" + m.Doc.Summary + ".\n")
	}
	if m.Doc.Detail != "" {
		b.WriteString("\n" + m.Doc.Detail + "\n")
	}
	if params := m.Params(); len(params) > 0 {
		b.WriteString("\nArguments:\n")
		for i, p := range params {
			fmt.Fprintf(&b, "%d. %s\n", i+1, argument(p))
		}
	}
	return b.String()
}

// argument writes `verbose (boolean, optional, default=true) what it means`.
func argument(p Descriptor) string {
	var notes []string
	if p.Schema.Type != "" {
		notes = append(notes, p.Schema.Type)
	}
	if p.Required {
		notes = append(notes, "required")
	} else {
		notes = append(notes, "optional")
	}
	if p.Schema.Default != nil {
		notes = append(notes, "default="+string(p.Schema.Default))
	}
	return strings.TrimSpace(fmt.Sprintf("%s (%s) %s", p.Name, strings.Join(notes, ", "), p.Schema.Description))
}
