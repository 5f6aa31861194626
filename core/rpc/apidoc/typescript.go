package apidoc

import (
	"fmt"
	"strconv"
	"strings"

	"obverse/core/rpc"
)

// TypeScript returns declarations of the types of every method's parameters (…Params) and
// result (…Result), the map Methods from names to these types, and the union ErrorKind of all
// errors.
func TypeScript(t *rpc.Table, info rpc.Info, kinds ...rpc.ErrorKind) string {
	w := &declarations{}
	w.comment("", []string{info.Title + ", version " + info.Version + ". Made from its table of methods: changes here are lost."})
	for _, m := range t.Methods() {
		w.params(m)
		w.declare(rpc.TypeName(m.Name)+"Result", "Result of `"+m.Name+"`.", m.Result())
	}
	w.line("", "")
	w.comment("", []string{"The parameters and the result of every method, by its name."})
	w.line("", "export interface Methods {")
	for _, m := range t.Methods() {
		w.comment("  ", remarks(m))
		name := rpc.TypeName(m.Name)
		w.line("  ", fmt.Sprintf("%s: { params: %sParams; result: %sResult };", strconv.Quote(m.Name), name, name))
	}
	w.line("", "}")
	w.kinds(kinds)
	return w.String()
}

// remarks returns the lines of a method's comment.
func remarks(m rpc.Method) []string {
	var lines []string
	if m.Doc.Summary != "" {
		lines = append(lines, m.Doc.Summary+".")
	}
	if m.Doc.Detail != "" {
		lines = append(lines, "", m.Doc.Detail)
	}
	if m.Doc.Public {
		lines = append(lines, "", "Needs no userpass.")
	}
	if len(m.Errors()) > 0 {
		lines = append(lines, "")
	}
	for _, k := range m.Errors() {
		lines = append(lines, "@throws `"+k.Name+"` "+k.Doc)
	}
	return lines
}

// declarations is a builder of TypeScript declarations.
type declarations struct{ strings.Builder }

func (w *declarations) line(indent, text string) { w.WriteString(indent + text + "\n") }

// comment writes a JSDoc comment, on one line if possible.
func (w *declarations) comment(indent string, lines []string) {
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "*/", "* /")
	}
	switch {
	case strings.Join(lines, "") == "":
	case len(lines) == 1:
		w.line(indent, "/** "+lines[0]+" */")
	default:
		w.line(indent, "/**")
		for _, line := range lines {
			w.line(indent, strings.TrimRight(" * "+line, " "))
		}
		w.line(indent, " */")
	}
}

func (w *declarations) params(m rpc.Method) {
	s := &rpc.Schema{Type: "object"}
	for _, p := range m.Params() {
		s.Properties = append(s.Properties, rpc.Property{Name: p.Name, Schema: p.Schema})
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}
	if len(s.Properties) == 0 {
		s.Values = &rpc.Schema{Type: "never"}
	}
	w.declare(rpc.TypeName(m.Name)+"Params", "Parameters of `"+m.Name+"`.", s)
}

// declare writes the declaration of a type. Objects become interfaces.
func (w *declarations) declare(name, doc string, s *rpc.Schema) {
	w.line("", "")
	w.comment("", []string{doc})
	switch {
	case s.Type == "object" && len(s.Properties) > 0:
		w.line("", "export interface "+name+" "+typeOf(s, ""))
	default:
		w.line("", "export type "+name+" = "+typeOf(s, "")+";")
	}
}

// kinds writes the union of errors.
func (w *declarations) kinds(kinds []rpc.ErrorKind) {
	if len(kinds) == 0 {
		return
	}
	w.line("", "")
	w.comment("", []string{"What can go wrong: the kind and its data."})
	w.line("", "export type ErrorKind =")
	for i, k := range kinds {
		data := "error_data?: undefined"
		if s := k.Schema(); s != nil {
			data = "error_data: " + typeOf(s, "  ")
		}
		end := ""
		if i == len(kinds)-1 {
			end = ";"
		}
		w.comment("  ", []string{fmt.Sprintf("Status %d: %s.", k.Status, k.Doc)})
		w.line("  ", fmt.Sprintf("| { error_type: %s; %s }%s", strconv.Quote(k.Name), data, end))
	}
}

// typeOf returns the TypeScript type described by a schema.
func typeOf(s *rpc.Schema, indent string) string {
	switch {
	case s == nil:
		return "unknown"
	case len(s.OneOf) > 0:
		return union(s.OneOf, indent)
	case len(s.Enum) > 0:
		quoted := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			quoted[i] = strconv.Quote(value)
		}
		return strings.Join(quoted, " | ")
	}
	switch s.Type {
	case "string", "boolean", "null", "never":
		return s.Type
	case "integer", "number":
		return "number"
	case "array":
		return "Array<" + typeOf(s.Items, indent) + ">"
	case "object":
		return objectType(s, indent)
	}
	return "unknown"
}

func union(schemas []*rpc.Schema, indent string) string {
	types := make([]string, len(schemas))
	for i, s := range schemas {
		types[i] = typeOf(s, indent)
	}
	return strings.Join(types, " | ")
}

func objectType(s *rpc.Schema, indent string) string {
	if len(s.Properties) == 0 {
		return "Record<string, " + typeOf(s.Values, indent) + ">"
	}
	w := &declarations{}
	w.line("", "{")
	inner := indent + "  "
	for _, p := range s.Properties {
		w.comment(inner, propertyRemarks(p))
		mark := "?"
		for _, name := range s.Required {
			if name == p.Name {
				mark = ""
			}
		}
		w.line(inner, memberName(p.Name)+mark+": "+typeOf(p.Schema, inner)+";")
	}
	w.WriteString(indent + "}")
	return w.String()
}

// propertyRemarks returns the lines of a property's comment.
func propertyRemarks(p rpc.Property) []string {
	lines := []string{p.Schema.Description}
	if p.Schema.Default != nil {
		lines = append(lines, "@default "+string(p.Schema.Default))
	}
	if lines[0] == "" {
		return lines[1:]
	}
	return lines
}

// memberName returns a name as a member, quoted if it is not an identifier.
func memberName(name string) string {
	for i, c := range []byte(name) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return strconv.Quote(name)
	}
	return name
}
