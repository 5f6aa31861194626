package main

import (
	"fmt"
	"strings"
	"time"

	"obverse/core/mmrpc"
	"obverse/core/rpc"
)

// nodeMethods is interface B's table, for hints: nothing is behind it.
func nodeMethods() *rpc.Table {
	return mmrpc.New(mmrpc.Options{Now: time.Now}, mmrpc.Backend{}.Areas()...).Table()
}

// wantObject says how parameters are given to a method of interface B.
func wantObject(method string) string {
	const form = "one JSON object, or - to read it from standard input"
	m, known := nodeMethods().Lookup(method)
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
	return text + " (`obverse call help " + method + "` explains them)"
}

// theOtherInterface adds to interface A's error for a method that it does not have that
// interface B has one of that name, or of nearly that name.
func theOtherInterface(err error, method string) error {
	for _, m := range nodeMethods().Methods() {
		if letters(m.Name) == letters(method) {
			return fmt.Errorf("%w (interface A was asked; --node asks interface B, which has %s)", err, m.Name)
		}
	}
	return err
}

// letters is what is left of a name without what the interfaces write differently.
func letters(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", ":", "", "-", "", ".", "").Replace(name))
}
