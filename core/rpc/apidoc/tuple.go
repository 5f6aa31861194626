package apidoc

import (
	"fmt"
	"strconv"
	"strings"

	"obverse/core/rpc"
)

// TypeScriptTuples is like TypeScript, for methods with positional parameters: the …Params
// types are tuples. The argument methods is the name of the map from method names to their
// types.
func TypeScriptTuples(t *rpc.Table, info rpc.Info, methods string) string {
	w := &declarations{}
	w.comment("", []string{info.Title + ", version " + info.Version + ". Made from its table of methods: changes here are lost."})
	for _, m := range t.Methods() {
		w.tuple(m)
		w.declare(rpc.TypeName(m.Name)+"Result", "Result of `"+m.Name+"`.", m.Result())
	}
	w.line("", "")
	w.comment("", []string{"The parameters and the result of every method, by its name."})
	w.line("", "export interface "+methods+" {")
	for _, m := range t.Methods() {
		w.comment("  ", remarks(m))
		name := rpc.TypeName(m.Name)
		w.line("  ", fmt.Sprintf("%s: { params: %sParams; result: %sResult };", strconv.Quote(m.Name), name, name))
	}
	w.line("", "}")
	return w.String()
}

// tuple declares the tuple of parameters. Optional parameters may be omitted or, before a
// required one, be null.
func (w *declarations) tuple(m rpc.Method) {
	params := m.Params()
	last := -1
	for i, p := range params {
		if p.Required {
			last = i
		}
	}
	w.line("", "")
	w.comment("", []string{"Parameters of `" + m.Name + "`, in their order."})
	if len(params) == 0 {
		w.line("", "export type "+rpc.TypeName(m.Name)+"Params = [];")
		return
	}
	w.line("", "export type "+rpc.TypeName(m.Name)+"Params = [")
	for i, p := range params {
		w.comment("  ", propertyRemarks(rpc.Property{Name: p.Name, Schema: p.Schema}))
		mark, orNull := "", ""
		switch {
		case i > last:
			mark = "?"
		case !p.Required:
			orNull = " | null"
		}
		w.line("  ", labelOf(p.Name)+mark+": "+typeOf(p.Schema, "  ")+orNull+",")
	}
	w.line("", "];")
}

// labelOf converts a name to a valid label of a tuple element.
func labelOf(name string) string {
	label := strings.Map(func(r rune) rune {
		if memberName("a"+string(r)) == "a"+string(r) {
			return r
		}
		return '_'
	}, name)
	if memberName(label) != label {
		label = "_" + label
	}
	return label
}
