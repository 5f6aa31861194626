package daemon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"obverse/core/rpc"
)

// categoryControl is the heading of the methods about the node itself.
const categoryControl = "Control"

type helpParams struct {
	Command Text `json:"command" rpc:"optional" doc:"the method to explain"`
}

func (s *Server) helpMethod() rpc.Method {
	doc := rpc.Doc{
		Usage:    `help ( "command" )`,
		Summary:  "List all methods, or explain one",
		Category: categoryControl,
	}
	return rpc.Handle("help", doc, func(_ context.Context, p helpParams) (string, error) {
		if p.Command == "" {
			return listing(s.table.Methods()), nil
		}
		if m, ok := s.table.Lookup(string(p.Command)); ok {
			return helpText(m), nil
		}
		return "help: unknown command: " + string(p.Command), nil
	})
}

// listing is komodod's overview: a heading for each category, below it the usage
// lines, both in alphabetical order.
func listing(methods []rpc.Method) string {
	slices.SortFunc(methods, func(a, b rpc.Method) int {
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

// helpText explains one method: its usage line, and unless the method is terse what
// the table knows beyond it. It is also the message for a wrong number of
// parameters, as in komodod.
func helpText(m rpc.Method) string {
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
func argument(p rpc.Descriptor) string {
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

func (s *Server) discoverMethod() rpc.Method {
	doc := rpc.Doc{
		Summary:  "Describe all methods of this interface as an OpenRPC document",
		Category: categoryControl,
		Open:     true,
	}
	return rpc.Handle("rpc.discover", doc, func(context.Context, struct{}) (rpc.Document, error) {
		return s.table.OpenRPC(s.options.Info, rpc.ByPosition), nil
	})
}
