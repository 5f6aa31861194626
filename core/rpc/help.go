package rpc

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Help returns a list of all methods in the format of komodod: the categories in alphabetical
// order, each with the usage lines of its methods in alphabetical order.
func (t *Table) Help() string { return t.help() }

func (t *Table) listing() string {
	methods := t.Methods()
	sort.Slice(methods, func(x, y int) bool {
		a, b := methods[x], methods[y]
		return a.Doc.Category < b.Doc.Category || a.Doc.Category == b.Doc.Category && a.Name < b.Name
	})
	var lines []string
	for i, m := range methods {
		if i == 0 || m.Doc.Category != methods[i-1].Doc.Category {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, "== "+m.Doc.Category+" ==")
		}
		lines = append(lines, m.Usage())
	}
	return strings.Join(lines, "\n")
}

// Help describes the method: its usage line and, unless it is terse, all other information.
func (m Method) Help() string {
	var b strings.Builder
	b.WriteString(m.Usage() + "\n")
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
			fmt.Fprintf(&b, "%d. %s\n", i+1, argument(p.Name, p.Schema, p.Required))
			members(&b, p.Schema)
		}
	}
	return b.String()
}

// argument formats an argument: `verbose (boolean, optional, default=true) description`.
func argument(name string, s *Schema, required bool) string {
	var notes []string
	if s.Type != "" {
		notes = append(notes, s.Type)
	}
	if required {
		notes = append(notes, "required")
	} else {
		notes = append(notes, "optional")
	}
	if s.Default != nil {
		notes = append(notes, "default="+string(s.Default))
	}
	if bounds := s.bounds(); bounds != "" {
		notes = append(notes, bounds)
	}
	if len(s.Enum) > 0 {
		notes = append(notes, "one of "+strings.Join(s.Enum, ", "))
	}
	return strings.TrimSpace(fmt.Sprintf("%s (%s) %s", name, strings.Join(notes, ", "), s.Description))
}

// bounds describes the range of a number. A minimum of zero alone is not mentioned.
func (s *Schema) bounds() string {
	switch {
	case s.Maximum != "":
		return string(cmp.Or(s.Minimum, "0")) + " to " + string(s.Maximum)
	case s.Minimum != "" && s.Minimum != "0":
		return "at least " + string(s.Minimum)
	}
	return ""
}

// members lists the members of an object, the objects in a list, or the alternatives of a
// choice. Nested members are only in the OpenRPC document.
func members(b *strings.Builder, s *Schema) {
	for i, choice := range s.OneOf {
		if i > 0 && len(choice.Properties) > 0 && len(s.OneOf[i-1].Properties) > 0 {
			b.WriteString("   or\n")
		}
		members(b, choice)
	}
	if s.Items != nil {
		s = s.Items
	}
	for _, p := range s.Properties {
		fmt.Fprintf(b, "   - %s\n", argument(p.Name, p.Schema, slices.Contains(s.Required, p.Name)))
	}
}

// longestName is the maximum length of a name for Nearest, whose running time grows with the
// square of the length.
const longestName = 64

// Nearest returns the name that is most similar to a misspelled one. It returns no name if all
// differ in more than a third of their letters. A letter in the wrong case counts half.
func Nearest(name string, names []string) (nearest string, found bool) {
	if name == "" || len(name) > longestName {
		return "", false
	}
	shortest := 2*max(len(name)/3, 1) + 1
	for _, candidate := range names {
		if candidate == name || len(candidate) > longestName {
			continue
		}
		if d := distance(name, candidate); d < shortest {
			shortest, nearest, found = d, candidate, true
		}
	}
	return nearest, found
}

// distance returns twice the number of letters that have to be added, removed, replaced or
// swapped with their neighbour (the optimal string alignment distance).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = 2 * j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = 2 * i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+2, row[j-1]+2, last[j-1]+difference(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+2)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func difference(a, b byte) int {
	switch {
	case a == b:
		return 0
	case strings.EqualFold(string(rune(a)), string(rune(b))):
		return 1
	}
	return 2
}
