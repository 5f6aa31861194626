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

// Caller says who asks, as far as the transport knows.
type Caller struct {
	// Address is the address of the peer without its port; empty for a call inside the process.
	// Limits apply per address, so a transport may use another text for clients of a proxy on this
	// machine.
	Address string
	// Local: the peer is on this machine and is not a proxy.
	Local bool
	// Authorized: the transport has checked a credential, or the caller is the owner. The node API asks
	// such a caller for no userpass.
	Authorized bool
}

// Doc documents a method for its users.
type Doc struct {
	// Usage is the call in one line, the method's name first. Empty: made from the
	// parameters; see Method.Usage.
	Usage string
	// Summary is one sentence without a full stop.
	Summary string
	// Detail is further text, for help and for descriptions.
	Detail string
	// Category is the heading under which help lists the method.
	Category string
	// Terse methods answer help, and a wrong number of parameters, with the usage
	// line alone, as komodod's token methods do.
	Terse bool
	// Open methods need no credential from a local caller; others may call them with it,
	// even where other methods are for local callers only.
	Open bool
	// Public methods need no credential from anybody. The node API only.
	Public bool
	// Reads reports whether the method changes nothing. Such a method ends when the client
	// disconnects; all others run to their end, since a change must not stop halfway.
	Reads bool
	// Whole methods change all or nothing, at their end: until then they end as those that read.
	Whole bool
	// Refusal begins the text of refused parameters; empty: the interface's own words.
	// The node API only.
	Refusal string
	// Legacy methods have a form without "mmrpc" too: parameters at the top level, and
	// an answer that core/mmrpc describes at Flat. The node API only.
	Legacy bool
}

// Method is one row of a table. The zero value is of no use; see Handle.
type Method struct {
	Name   string
	Doc    Doc
	plan   func() *plan   // worked out at the first use: a start waits for none
	result func() *Schema // likewise; documents alone ask for it
	guard  func(context.Context) error
	unread bool
	raises []ErrorKind
	older  *Method
	params reflect.Type                            // a struct
	run    func(context.Context, any) (any, error) // takes a pointer to one
}

// Handle makes a method of a function. P is a struct whose exported fields, in
// order, are the positional parameters, and by their json names the named ones.
// Further tags of a field:
//
//	doc:"…"            what it means
//	default:"…"        its value when absent: JSON, or the bare text for a string
//	rpc:"optional"     may be absent, and is then the zero value
//	rpc:"absent=null"  is not counted among those that must be there, but absence is
//	                   decoded like null, which the type refuses in its own words:
//	                   documents say that it is required
//
// Pointers and fields with omitempty are optional too. Handle panics if P is not a
// struct. Mistakes in its fields and tags are mistakes in the program too, and panic when
// the method is called or described first, as the tests of the documents do with each.
func Handle[P, R any](name string, doc Doc, fn func(context.Context, P) (R, error)) Method {
	return handle(name, doc, reflect.TypeOf(fn), func(ctx context.Context, params any) (any, error) { return fn(ctx, *params.(*P)) })
}

// handle returns the part of Handle that does not depend on P and R. It is compiled once, which
// keeps the page small.
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

// Usage returns the doc's, or `name first [second]`.
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

// Guarded gives the method a condition that is asked after the number of
// parameters and before their types, which is the order of komodod's token methods.
func (m Method) Guarded(guard func(context.Context) error) Method {
	m.guard = guard
	return m
}

// Raises notes kinds of errors that the method gives beyond those that every method
// can give. It is for documents alone.
func (m Method) Raises(kinds ...ErrorKind) Method {
	m.raises = append(slices.Clone(m.raises), kinds...)
	return m
}

// Errors lists the kinds that Raises added.
func (m Method) Errors() []ErrorKind { return slices.Clone(m.raises) }

// Result describes what the method returns.
func (m Method) Result() *Schema { return m.result() }

// Older adds another form of the method for requests without "mmrpc", with other parameters and
// results. Documents only describe the method itself.
func (m Method) Older(form Method) Method {
	m.Doc.Legacy, m.older = true, &form
	return m
}

// Form returns the method as it is where "mmrpc" is absent.
func (m Method) Form() Method {
	if m.older == nil {
		return m
	}
	return *m.older
}

// Unread makes the method take by name whatever is given and read none of it, as
// upstream's methods without parameters do.
func (m Method) Unread() Method {
	m.unread = true
	return m
}

// Positional calls the method with parameters by position. Errors are a
// CountError, the guard's, a ParamError, or the function's own, in this order.
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

// Named calls the method with the members of a JSON object; null and nothing at
// all are the empty object.
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

// permit asks the guard, if there is one.
func (m Method) permit(ctx context.Context) error {
	if m.guard == nil {
		return nil
	}
	return m.guard(ctx)
}

// lasting returns the context of the method's function: that of one that reads ends when the client
// disconnects.
func (m Method) lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	if m.Doc.Reads || m.Doc.Whole {
		return whileRead(ctx)
	}
	return ctx, func() {}
}

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

// TypeName makes a method's name one of a type: "stream::heartbeat::enable" is
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
