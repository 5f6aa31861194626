package apidoc

import (
	"fmt"
	"slices"
	"strings"

	"obverse/core/rpc"
)

// Markdown returns the reference of a table: a list of the methods, followed by each method
// under the heading of its category, with its parameters, result and errors. The argument intro
// is the text below the title.
func Markdown(t *rpc.Table, title, intro string) string {
	w := &declarations{}
	w.line("", "# "+title)
	w.line("", "")
	w.line("", intro)
	w.line("", "\n| area | method | summary |\n|---|---|---|")
	areas := categories(t)
	for _, area := range areas {
		for _, m := range inCategory(t, area) {
			w.line("", fmt.Sprintf("| %s | [`%s`](#%s) | %s |", area, m.Name, anchor(m.Name), cell(m.Doc.Summary)))
		}
	}
	for _, area := range areas {
		w.line("", "\n## "+area)
		for _, m := range inCategory(t, area) {
			w.method(m)
		}
	}
	return w.String()
}

func inCategory(t *rpc.Table, category string) []rpc.Method {
	return slices.DeleteFunc(t.Methods(), func(m rpc.Method) bool { return m.Doc.Category != category })
}

// anchor returns GitHub's anchor of a method's heading.
func anchor(method string) string { return strings.NewReplacer(":", "", ".", "").Replace(method) }

// categories returns the categories in the order of their first methods.
func categories(t *rpc.Table) (names []string) {
	seen := map[string]bool{}
	for _, m := range t.Methods() {
		if !seen[m.Doc.Category] {
			seen[m.Doc.Category] = true
			names = append(names, m.Doc.Category)
		}
	}
	return names
}

func (w *declarations) method(m rpc.Method) {
	w.line("", "\n### "+m.Name)
	w.line("", "")
	for _, text := range []string{sentence(m.Doc.Summary), m.Doc.Detail} {
		if text != "" {
			w.line("", text)
			w.line("", "")
		}
	}
	if m.Doc.Public {
		w.line("", "Needs no password.\n")
	}
	if m.Doc.Legacy {
		w.line("", "Also without `mmrpc`, in KDF's older form.\n")
	}
	w.parameters(m.Params())
	w.line("", "Result:\n\n```ts")
	w.line("", typeOf(m.Result(), ""))
	w.line("", "```")
	if len(m.Errors()) == 0 {
		return
	}
	w.line("", "\n| error | status | raised when |\n|---|---|---|")
	for _, k := range m.Errors() {
		w.line("", fmt.Sprintf("| `%s` | %d | %s |", k.Name, k.Status, cell(k.Doc)))
	}
}

// parameters writes the table of parameters.
func (w *declarations) parameters(params []rpc.Descriptor) {
	if len(params) == 0 {
		w.line("", "No parameters.\n")
		return
	}
	w.line("", "| parameter | type | default | meaning |\n|---|---|---|---|")
	for _, p := range params {
		w.line("", fmt.Sprintf("| `%s` | %s | %s | %s |", p.Name, code(oneLine(typeOf(bare(p.Schema), ""))), fallback(p), cell(p.Description)))
	}
	w.line("", "")
}

// bare returns a schema without the descriptions of its members, which fits on one line.
func bare(s *rpc.Schema) *rpc.Schema {
	if s == nil {
		return nil
	}
	plain := *s
	plain.Description, plain.Default = "", nil
	plain.Items, plain.Values = bare(s.Items), bare(s.Values)
	plain.Properties, plain.OneOf = nil, nil
	for _, p := range s.Properties {
		plain.Properties = append(plain.Properties, rpc.Property{Name: p.Name, Schema: bare(p.Schema)})
	}
	for _, one := range s.OneOf {
		plain.OneOf = append(plain.OneOf, bare(one))
	}
	return &plain
}

func fallback(p rpc.Descriptor) string {
	switch {
	case p.Required:
		return "required"
	case p.Schema.Default != nil:
		return code(string(p.Schema.Default))
	}
	return "optional"
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return text + "."
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// code formats text as code in a table cell, in which bars must be escaped.
func code(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }

func cell(text string) string { return strings.ReplaceAll(oneLine(text), "|", `\|`) }
