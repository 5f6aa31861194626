package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Caller describes the caller of a method, as far as the transport knows it.
type Caller struct {
	// Address is the address of the peer without its port; empty for a call in the same
	// process. Limits apply per address, so a transport may use another text for clients of a
	// proxy on this machine.
	Address string
	// Local reports whether the peer is on this machine and is not a proxy.
	Local bool
	// Authorized reports whether the transport has checked a credential, or the caller is the
	// owner. The node API does not require a userpass from such a caller.
	Authorized bool
}

// Doc is the documentation of a method.
type Doc struct {
	// Usage is the usage line, which begins with the method's name. If it is empty, it is
	// derived from the parameters; see Method.Usage.
	Usage string
	// Summary is a sentence without a full stop.
	Summary string
	// Detail is additional text for help and documents.
	Detail string
	// Category is the heading under which help lists the method.
	Category string
	// Terse reports whether help, and the error for a wrong number of parameters, contain only
	// the usage line, as for komodod's token methods.
	Terse bool
	// Open reports whether local callers need no credential. Other callers may call the method
	// with a credential, even if other methods are restricted to local callers.
	Open bool
	// Public reports whether no caller needs a credential. It applies to the node API only.
	Public bool
	// Reads reports whether the method changes nothing. Such a method ends when the client
	// disconnects, while other methods always run to their end, since a change must not be
	// interrupted.
	Reads bool
	// Whole reports whether the method makes all its changes at its end. Until then, it ends
	// when the client disconnects, like a method that only reads.
	Whole bool
	// Refusal is the beginning of the text of errors about parameters. If it is empty, the
	// interface's default is used. It applies to the node API only.
	Refusal string
	// Legacy reports whether the method also has a form without "mmrpc", with parameters at the
	// top level and an answer described at Flat in core/mmrpc. It applies to the node API only.
	Legacy bool
}

// Method is an entry of a method table. Methods are created with Handle; the zero value cannot
// be used.
type Method struct {
	Name   string
	Doc    Doc
	plan   func() *plan   // created at the first use, so that it does not delay the start
	result func() *Schema // created at the first use; only documents need it
	guard  func(context.Context) error
	unread bool
	raises []ErrorKind
	older  *Method
	params reflect.Type                            // a struct type
	run    func(context.Context, any) (any, error) // receives a pointer to such a struct
}

// Handle returns a method that calls a function. The exported fields of the struct P are the
// parameters: positional parameters in the order of the fields, named parameters by their json
// names. Additional tags of a field are:
//
//	doc:"…"            what it means
//	default:"…"        its value when absent: JSON, or the bare text for a string
//	rpc:"optional"     may be absent, and is then the zero value
//	rpc:"absent=null"  is not counted among those that must be there, but absence is
//	                   decoded like null, which the type refuses in its own words:
//	                   documents say that it is required
//
// Pointers and fields with omitempty are optional too. Handle panics if P is not a struct.
// Errors in the fields and tags of P cause a panic when the method is called or described for
// the first time. The tests of the documents describe every method.
func Handle[P, R any](name string, doc Doc, fn func(context.Context, P) (R, error)) Method {
	// A closure over fn would have a type of its own that spells out all fields and tags of P and R,
	// which would be a tenth of the types and texts of a page's program.
	var boxed any = fn
	return handle(name, doc, reflect.TypeOf(fn), func(ctx context.Context, params any) (any, error) {
		return boxed.(func(context.Context, P) (R, error))(ctx, *params.(*P))
	})
}

// handle implements Handle, as far as it does not depend on P and R. It is compiled once, which
// reduces the size of a page.
func handle(name string, doc Doc, fn reflect.Type, run func(ctx context.Context, params any) (any, error)) Method {
	params, result := fn.In(1), fn.Out(0)
	if params.Kind() != reflect.Struct {
		panic(fmt.Sprintf("rpc: parameters must be a struct, not %v", params))
	}
	return Method{Name: name, Doc: doc, params: params, run: run,
		plan:   sync.OnceValue(func() *plan { return structPlan(params, nil) }),
		result: sync.OnceValue(func() *Schema { return schemaOf(result, output) }),
	}
}

// Usage returns the documented usage line or, by default, `name first [second]`.
func (m Method) Usage() string {
	if m.Doc.Usage != "" {
		return m.Doc.Usage
	}
	words := []string{m.Name}
	for _, f := range m.plan().fields {
		if f.required() {
			words = append(words, f.name)
		} else {
			words = append(words, "["+f.name+"]")
		}
	}
	return strings.Join(words, " ")
}

// Guarded returns a copy of the method with a guard that is called after the number of
// parameters has been checked, and before their types are, which is the order of checks in
// komodod's token methods.
func (m Method) Guarded(guard func(context.Context) error) Method {
	m.guard = guard
	return m
}

// Raises returns a copy of the method with additional kinds of errors, besides those that every
// method can return. They are only used in documents.
func (m Method) Raises(kinds ...ErrorKind) Method {
	m.raises = append(slices.Clone(m.raises), kinds...)
	return m
}

// Errors returns the kinds added by Raises.
func (m Method) Errors() []ErrorKind { return slices.Clone(m.raises) }

// Result returns the schema of the method's result.
func (m Method) Result() *Schema { return m.result() }

// Older returns a copy of the method with another form for requests without "mmrpc", which has
// different parameters and results. Documents only describe the method itself.
func (m Method) Older(form Method) Method {
	m.Doc.Legacy, m.older = true, &form
	return m
}

// Form returns the form of the method for requests without "mmrpc".
func (m Method) Form() Method {
	if m.older == nil {
		return m
	}
	return *m.older
}

// Unread returns a copy of the method that ignores all named parameters, as Komodo DeFi
// Framework's methods without parameters do.
func (m Method) Unread() Method {
	m.unread = true
	return m
}

// Positional calls the method with positional parameters. It returns a CountError, the guard's
// error, a ParamError, or the function's error; this is the order of the checks.
func (m Method) Positional(ctx context.Context, args []json.RawMessage, rules Rules) (any, error) {
	plan := m.plan()
	if err := plan.count(len(args)); err != nil {
		return nil, err
	}
	if err := m.permit(ctx); err != nil {
		return nil, err
	}
	params := reflect.New(m.params)
	if err := plan.positional(args, params.Elem(), rules); err != nil {
		return nil, err
	}
	ctx, end := m.lasting(ctx)
	defer end()
	return m.run(ctx, params.Interface())
}

// Named calls the method with the members of a JSON object as parameters. Null and an empty
// text are equivalent to an empty object.
func (m Method) Named(ctx context.Context, object json.RawMessage, rules Rules) (any, error) {
	if err := m.permit(ctx); err != nil {
		return nil, err
	}
	if m.unread {
		object = nil
	}
	params := reflect.New(m.params)
	if err := m.plan().named(object, params.Elem(), rules); err != nil {
		return nil, err
	}
	ctx, end := m.lasting(ctx)
	defer end()
	return m.run(ctx, params.Interface())
}

// permit calls the guard, if there is one.
func (m Method) permit(ctx context.Context) error {
	if m.guard == nil {
		return nil
	}
	return m.guard(ctx)
}

// lasting returns the context of the method's function. For a method that reads, it ends when
// the client disconnects.
func (m Method) lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	if m.Doc.Reads || m.Doc.Whole {
		return whileRead(ctx)
	}
	return ctx, func() {}
}

// Table is an immutable set of methods. It is safe for concurrent use.
type Table struct {
	rows   []Method
	byName map[string]int
	help   func() string
}

// NewTable returns a table. It panics if two methods have the same name.
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

// Lookup returns the method with an exact name.
func (t *Table) Lookup(name string) (Method, bool) {
	i, ok := t.byName[name]
	if !ok {
		return Method{}, false
	}
	return t.rows[i], true
}

// Methods returns all methods in the order of their registration.
func (t *Table) Methods() []Method { return slices.Clone(t.rows) }

// TypeName converts a method's name to the name of a type: "stream::heartbeat::enable" becomes
// StreamHeartbeatEnable.
func TypeName(method string) string {
	var b strings.Builder
	upper := true
	for _, r := range method {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		upper = false
		b.WriteRune(r)
	}
	return b.String()
}
