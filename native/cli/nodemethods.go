package cli

import (
	"fmt"
	"strings"
)

// wantObject says how parameters are given to a method of the node API.
func wantObject(method string) string {
	const form = "one JSON object, or - to read it from standard input"
	m, known := nodeInterface().table.Lookup(method)
	if !known {
		return "the parameters of this method are " + form
	}
	if len(m.Params()) == 0 {
		return method + " takes no parameters"
	}
	var needed, others []string
	for _, p := range m.Params() {
		if p.Required {
			needed = append(needed, fmt.Sprintf("%q:…", p.Name))
		} else {
			others = append(others, p.Name)
		}
	}
	text := fmt.Sprintf("the parameters of %s are %s: '{%s}'", method, form, strings.Join(needed, ","))
	if len(others) > 0 {
		text += ", and it may have " + strings.Join(others, ", ")
	}
	return text + " (`obverse help " + method + "` explains them)"
}
