package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type policy string

func (policy) Values() []string { return []string{"Context", "Hardware"} }

type node struct {
	URL   string   `json:"url" doc:"where it is"`
	Proxy bool     `json:"gateway_proxy,omitempty"`
	Ports []uint16 `json:"ports,omitempty"`
}

// digits is a type with its own decoding.
type digits string

var errNotDigits = errors.New("not digits")

func (d *digits) UnmarshalParam(raw json.RawMessage) error {
	*d = digits(strings.Trim(string(raw), `"`))
	if strings.Trim(string(*d), "0123456789") != "" {
		return errNotDigits
	}
	return nil
}

func (digits) JSONSchema() *Schema { return &Schema{Description: "digits", Pattern: "^[0-9]*$"} }

// either is a type whose errors have a path inside the parameter.
type either struct{ kind string }

func (e *either) UnmarshalParam(raw json.RawMessage) error {
	if KindOf(raw) == KindString {
		e.kind = string(raw)
		return nil
	}
	return &ParamError{Path: "type", Want: "a string", Got: KindOf(raw), Err: ErrType}
}

type page struct {
	Limit int32 `json:"limit" default:"10"`
}

type params struct {
	Coin   string          `json:"coin" doc:"the ticker"`
	Nodes  []node          `json:"nodes"`
	Height *uint32         `json:"height"`
	Policy policy          `json:"policy" default:"Context"`
	Amount *digits         `json:"amount"`
	Extra  map[string]int8 `json:"extra" rpc:"optional"`
	Any    json.RawMessage `json:"any" rpc:"optional"`
	Either either          `json:"either" rpc:"optional"`
	page
	//lint:ignore U1000 it is not a parameter
	hidden int
	Unused string `json:"-"`
}

type result struct {
	Name   string  `json:"name"`
	Memo   *string `json:"memo"`
	Note   *string `json:"note,omitempty"`
	Amount float64 `json:"amount"`
}

// take returns a method that stores its parameters.
func take[P any](got *P) Method {
	return Handle("take", Doc{Summary: "Take"}, func(_ context.Context, p P) (result, error) {
		*got = p
		return result{Name: "x"}, nil
	})
}

func call(t *testing.T, m Method, text string, rules Rules) error {
	t.Helper()
	if KindOf([]byte(text)) != KindArray {
		_, err := m.Named(t.Context(), json.RawMessage(text), rules)
		return err
	}
	var args []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(text), &args))
	_, err := m.Positional(t.Context(), args, rules)
	return err
}

func TestDecoding(t *testing.T) {
	height, amount := uint32(4294967295), digits("12")
	full := params{
		Coin: "KMD", Nodes: []node{{URL: "a", Proxy: true, Ports: []uint16{0, 65535}}, {URL: "b"}}, Height: &height, Policy: "Hardware",
		Amount: &amount, Extra: map[string]int8{"a": -128}, Any: json.RawMessage(`{"x":1.0}`), Either: either{kind: `"k"`}, page: page{Limit: -1},
	}
	required := params{Coin: "KMD", Nodes: []node{}, Policy: "Context", page: page{Limit: 10}}
	null := required
	null.Amount, null.Any = new(digits), json.RawMessage("null")
	*null.Amount = "0"
	for name, c := range map[string]struct {
		text string
		want params
	}{
		"named": {`{"coin":"KMD","nodes":[{"url":"a","gateway_proxy":true,"ports":[0,65535]},{"url":"b"}],"height":4294967295,"policy":"Hardware",
			"amount":"12","extra":{"a":-128},"any":{"x":1.0},"either":"k","limit":-1}`, full},
		"positional":          {`["KMD",[{"url":"a","gateway_proxy":true,"ports":[0,65535]},{"url":"b"}],4294967295,"Hardware",12,{"a":-128},{"x":1.0},"k",-1]`, full},
		"least named":         {`{"nodes":[],"coin":"KMD"}`, required},
		"least positional":    {`["KMD",[]]`, required},
		"null is absent":      {`{"coin":"KMD","nodes":[],"height":null,"policy":null,"extra":null,"limit":null}`, required},
		"unless a type cares": {`{"coin":"KMD","nodes":[],"amount":0,"any":null}`, null},
		"unknown names":       {`{"coin":"KMD","nodes":[],"Coin":"x","hidden":1,"Unused":"x","-":1}`, required},
	} {
		t.Run(name, func(t *testing.T) {
			var got params
			require.NoError(t, call(t, take(&got), c.text, Rules{}))
			require.Equal(t, c.want, got)
		})
	}
}

// TestRefusals corrupts one part of a valid call, and checks the error.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		kind error
		want string
	}{
		"missing":              {`{"nodes":[]}`, ErrMissing, `parameter "coin" is missing, it must be a string`},
		"missing inside":       {`{"coin":"","nodes":[{"url":""},{}]}`, ErrMissing, `parameter "nodes[1].url" is missing, it must be a string`},
		"nothing":              {`null`, ErrMissing, `parameter "coin" is missing, it must be a string`},
		"null for required":    {`{"coin":null,"nodes":[]}`, ErrType, `parameter "coin" must be a string, got null`},
		"number for string":    {`{"coin":5,"nodes":[]}`, ErrType, `parameter "coin" must be a string, got number`},
		"object for array":     {`["",{}]`, ErrType, `parameter "nodes" must be an array, got object`},
		"string for object":    {`["",["x"]]`, ErrType, `parameter "nodes[0]" must be an object, got string`},
		"string for bool":      {`["",[{"url":"","gateway_proxy":"true"}]]`, ErrType, `parameter "nodes[0].gateway_proxy" must be true or false, got string`},
		"too large":            {`["",[{"url":"","ports":[1,65536]}]]`, ErrType, `parameter "nodes[0].ports[1]" must be a whole number from 0 to 65535, got number`},
		"negative":             {`["",[],-1]`, ErrType, `parameter "height" must be a whole number from 0 to 4294967295, got number`},
		"fraction":             {`["",[],1.0]`, ErrType, `parameter "height" must be a whole number from 0 to 4294967295, got number`},
		"exponent":             {`["",[],1e3]`, ErrType, `parameter "height" must be a whole number from 0 to 4294967295, got number`},
		"too small":            {`{"coin":"","nodes":[],"extra":{"a":-129}}`, ErrType, `parameter "extra.a" must be a whole number from -128 to 127, got number`},
		"variant":              {`["",[],1,"context"]`, ErrVariant, "parameter \"policy\" must be one of `Context`, `Hardware`, got another string"},
		"own rule":             {`["",[],1,"Context","1a"]`, errNotDigits, `parameter "amount": not digits`},
		"own rule, inner path": {`{"coin":"","nodes":[],"either":5}`, ErrType, `parameter "either.type" must be a string, got number`},
		"duplicate":            {`{"coin":"","nodes":[],"coin":""}`, ErrDuplicate, `parameter "coin": duplicate name`},
		"duplicate inside":     {`["",[{"url":"","url":""}]]`, ErrDuplicate, `parameter "nodes[0].url": duplicate name`},
		"duplicate unknown":    {`{"coin":"","odd":1,"nodes":[],"even":2,"odd":1}`, ErrDuplicate, `parameter "odd": duplicate name`},
		"unknown twice inside": {`["",[{"url":"","odd":1,"odd":2}]]`, ErrDuplicate, `parameter "nodes[0].odd": duplicate name`},
		"duplicate in a map":   {`{"coin":"","nodes":[],"extra":{"a":1,"a":1}}`, ErrDuplicate, `parameter "extra.a": duplicate name`},
		"not an object":        {`"x"`, ErrType, `parameter "params" must be an object, got string`},
		"too few":              {`["x"]`, ErrCount, `wrong number of parameters: got 1, allowed are 2 to 9`},
		"too many":             {`["",[],1,"Context","1",{},1,"k",1,1]`, ErrCount, `wrong number of parameters: got 10, allowed are 2 to 9`},
	} {
		t.Run(name, func(t *testing.T) {
			var got params
			err := call(t, take(&got), c.text, Rules{})
			require.ErrorIs(t, err, c.kind)
			require.EqualError(t, err, c.want)
			require.Zero(t, got, "the function did not run")
		})
	}
}

func TestRules(t *testing.T) {
	var got params
	m := take(&got)
	const twice = `{"coin":"first","coin":"second","nodes":[{"url":"a","url":"b"}],"extra":{"k":1,"k":2}}`
	require.NoError(t, call(t, m, twice, Rules{FirstKeyWins: true}))
	require.Equal(t, "first", got.Coin)
	require.Equal(t, "a", got.Nodes[0].URL)
	require.Equal(t, map[string]int8{"k": 1}, got.Extra)

	require.NoError(t, call(t, m, `{"coin":"","nodes":[],"odd":1,"odd":2}`, Rules{FirstKeyWins: true}))

	const strange = `{"coin":"","strange":1,"nodes":[{"url":"","odd":1}]}`
	var unknown []string
	require.NoError(t, call(t, m, strange, Rules{Unknown: func(path string) { unknown = append(unknown, path) }}))
	require.Equal(t, []string{"strange", "nodes[0].odd"}, unknown)

	err := call(t, m, strange, Rules{RefuseUnknown: true})
	require.ErrorIs(t, err, ErrUnknown)
	require.EqualError(t, err, `parameter "strange": unknown name`)
}

// TestGuard checks that the guard is called after the check of the number of parameters and
// before the check of their types.
func TestGuard(t *testing.T) {
	errClosed := errors.New("closed")
	var got params
	m := take(&got).Guarded(func(context.Context) error { return errClosed })
	require.ErrorIs(t, call(t, m, `[]`, Rules{}), ErrCount)
	require.ErrorIs(t, call(t, m, `[5,5]`, Rules{}), errClosed)
	require.ErrorIs(t, call(t, m, `{}`, Rules{}), errClosed)
	require.NoError(t, call(t, m.Guarded(func(context.Context) error { return nil }), `["",[]]`, Rules{}))
}

func TestResultsAndErrorsPassThrough(t *testing.T) {
	errFunction := errors.New("own")
	m := Handle("m", Doc{}, func(context.Context, struct{}) (int, error) { return 3, errFunction })
	value, err := m.Positional(t.Context(), nil, Rules{})
	require.Equal(t, 3, value)
	require.ErrorIs(t, err, errFunction)
}

func TestUsage(t *testing.T) {
	var got params
	require.Equal(t, "take coin nodes [height] [policy] [amount] [extra] [any] [either] [limit]", take(&got).Usage())
	documented := Handle("m", Doc{Usage: "m ( x )"}, func(context.Context, struct{}) (any, error) { return nil, nil })
	require.Equal(t, "m ( x )", documented.Usage())
}

type recursive struct {
	Next *recursive `json:"next"`
}

type shadowed struct {
	page
	Limit int32 `json:"limit"`
}

// TestAbsentIsNull checks that an absent parameter can be refused like null: it does not count
// as missing, and the error reports that it is required.
func TestAbsentIsNull(t *testing.T) {
	var got struct {
		Name string `json:"name" rpc:"absent=null"`
		Page int8   `json:"page" rpc:"optional"`
	}
	m := take(&got)
	require.EqualError(t, call(t, m, `{}`, Rules{}), `parameter "name" must be a string, got null`)
	require.EqualError(t, call(t, m, `[]`, Rules{}), `parameter "name" must be a string, got null`)
	require.NoError(t, call(t, m, `["x"]`, Rules{}))
	require.Equal(t, "take name [page]", m.Usage())
	require.True(t, m.Params()[0].Required)
	require.False(t, m.Params()[1].Required)
	require.Equal(t, []string{"name"}, schemaOf(reflect.TypeOf(got), input).Required)
}

// TestMistakesInParameters checks that errors in a parameter struct are found when the method
// is registered or described.
func TestMistakesInParameters(t *testing.T) {
	for name, describe := range map[string]func(){
		"no struct":    func() { take(new(string)).Params() },
		"a float":      func() { take(new(struct{ X float64 })).Params() },
		"bytes":        func() { take(new(struct{ X []byte })).Params() },
		"recursion":    func() { take(new(recursive)).Params() },
		"integer keys": func() { take(new(struct{ X map[int]string })).Params() },
		"an interface": func() { take(new(struct{ X error })).Params() },
		"equal names":  func() { take(new(shadowed)).Params() },
		"a bad default": func() {
			take(new(struct {
				X uint8 `default:"256"`
			})).Params()
		},
		"null is taken where absence is null": func() {
			take(new(struct {
				X json.RawMessage `rpc:"absent=null"`
			})).Params()
		},
		"no such option": func() {
			take(new(struct {
				X uint8 `rpc:"optionnal"`
			})).Params()
		},
	} {
		t.Run(name, func(t *testing.T) { require.Panics(t, describe) })
	}
}

func TestTable(t *testing.T) {
	row := func(name string) Method {
		return Handle(name, Doc{}, func(context.Context, struct{}) (any, error) { return name, nil })
	}
	table := NewTable(row("b"), row("a"))
	m, ok := table.Lookup("a")
	require.True(t, ok)
	value, err := m.Positional(t.Context(), nil, Rules{})
	require.NoError(t, err)
	require.Equal(t, "a", value)
	for _, name := range []string{"A", "a ", ""} {
		_, ok = table.Lookup(name)
		require.False(t, ok, name)
	}
	require.Equal(t, "b", table.Methods()[0].Name)
	require.PanicsWithValue(t, "rpc: method a is registered twice", func() { NewTable(row("a"), row("a")) })
}

func TestKindOf(t *testing.T) {
	for text, want := range map[string]string{
		"null": KindNull, "": KindNull, " \n": KindNull, "true": KindBool, "false": KindBool, "-1": KindNumber, "0": KindNumber,
		`"null"`: KindString, "\t[": KindArray, " {": KindObject,
	} {
		require.Equal(t, want, KindOf([]byte(text)), text)
	}
}

func TestFields(t *testing.T) {
	fields, err := Fields([]byte(` { "a" : [1, {"a":2}] , "b":"\u00e9", "a" : 1.50 } `))
	require.NoError(t, err)
	require.Equal(t, []Field{{"a", json.RawMessage(`[1, {"a":2}]`)}, {"b", json.RawMessage(`"\u00e9"`)}, {"a", json.RawMessage(`1.50`)}}, fields)
	for _, bad := range []string{``, `[]`, `{"a"}`, `{"a":1`, `{"a":1,}`, `{1:1}`, `"a"`} {
		_, err := Fields([]byte(bad))
		require.Error(t, err, bad)
	}
}

// FuzzParams checks that parameters are either refused with their name, or decoded such that
// encoding and decoding them again does not change them.
func FuzzParams(f *testing.F) {
	for _, seed := range []string{
		`["KMD",[{"url":"a","ports":[1]}],1,"Hardware",12,{"a":-1},{"x":1.0},"k",-1]`,
		`{"coin":"KMD","nodes":[],"amount":"5","extra":{"":0}}`, `{"coin":"\ud800","nodes":null}`, `[]`, `null`, `{"nodes":[{}]}`,
		`["",[{"url":"0","ports":[]}]]`,
	} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, firstWins bool) {
		if !json.Valid(text) {
			return
		}
		var got, again params
		err := call(t, take(&got), string(text), Rules{FirstKeyWins: firstWins})
		if err != nil {
			var param *ParamError
			require.True(t, errors.As(err, &param) || errors.Is(err, ErrCount), "%v", err)
			return
		}
		got.Either = either{kind: `"k"`} // its type has no encoding
		for i := range got.Nodes {
			if len(got.Nodes[i].Ports) == 0 {
				got.Nodes[i].Ports = nil // neither form has an empty list
			}
		}
		encoded, err := json.Marshal(map[string]any{
			"coin": got.Coin, "nodes": got.Nodes, "height": got.Height, "policy": got.Policy, "extra": got.Extra, "either": "k", "limit": got.Limit,
		})
		require.NoError(t, err)
		require.NoError(t, call(t, take(&again), string(encoded), Rules{}))
		again.Amount, again.Any = got.Amount, got.Any
		require.True(t, reflect.DeepEqual(got, again), "%+v\n%+v", got, again)
	})
}

func TestTypeName(t *testing.T) {
	for method, want := range map[string]string{
		"get_public_key": "GetPublicKey", "stream::heartbeat::enable": "StreamHeartbeatEnable", "rpc.discover": "RpcDiscover", "help": "Help", "1inch_v6": "1inchV6",
	} {
		require.Equal(t, want, TypeName(method))
	}
}

// documented returns a table with every kind of element that documents contain.
func documented() (*Table, []ErrorKind) {
	kinds := []ErrorKind{
		{Name: "Lost", Status: 404, Data: struct {
			Coin string `json:"coin"`
		}{}, Doc: "it is not there"},
		{Name: "Cut", Status: 500, Data: "", Doc: "the line is cut"},
		{Name: "Cut", Status: 502, Data: []uint8{}, Doc: "all lines are cut"},
		{Name: "Idle", Status: 405, Doc: "nothing runs"},
	}
	type inner struct {
		URL   string `json:"the-url" doc:"where it is: */ or so"`
		Proxy bool   `json:"proxy" default:"true"`
	}
	type in struct {
		Coin   string            `json:"coin" doc:"the ticker"`
		Policy policy            `json:"policy" default:"Context" doc:"whose key"`
		Nodes  []inner           `json:"nodes" rpc:"optional"`
		Extra  map[string]uint16 `json:"extra" rpc:"optional"`
		Any    json.RawMessage   `json:"any" rpc:"optional"`
	}
	return NewTable(
		Handle("a::b", Doc{Summary: "Do it", Detail: "At once."}, func(context.Context, in) (*result, error) { return nil, nil }).Raises(kinds[0], kinds[2]),
		Handle("c", Doc{Summary: "See", Public: true}, func(context.Context, struct{}) (map[string]string, error) { return nil, nil }).Raises(kinds[3]),
		Handle("d", Doc{}, func(context.Context, struct{}) (any, error) { return nil, nil }),
	), kinds
}

func TestOpenRPCErrors(t *testing.T) {
	table, kinds := documented()
	doc := table.OpenRPC(Info{}, ByName, kinds...)
	require.Equal(t, []Reference{{"#/components/errors/Lost"}, {"#/components/errors/Cut502"}}, doc.Methods[0].Errors)
	require.Equal(t, []Reference{{"#/components/errors/Idle"}}, doc.Methods[1].Errors)
	require.Empty(t, doc.Methods[2].Errors)
	text, err := json.Marshal(doc.Components)
	require.NoError(t, err)
	require.Equal(t, `{"errors":{"Cut":{"code":500,"message":"Cut","data":{"description":"the line is cut","error_data":{"type":"string"}}},`+
		`"Cut502":{"code":502,"message":"Cut","data":{"description":"all lines are cut","error_data":{"type":"array","items":{"type":"integer","minimum":0}}}},`+
		`"Idle":{"code":405,"message":"Idle","data":{"description":"nothing runs"}},`+
		`"Lost":{"code":404,"message":"Lost","data":{"description":"it is not there","error_data":{"type":"object","properties":{"coin":{"type":"string"}},"required":["coin"]}}}}}`,
		string(text))
	plain := table.OpenRPC(Info{}, ByPosition)
	require.Nil(t, plain.Components)
	require.Empty(t, plain.Methods[0].Errors, "a reference would lead nowhere")
}

func TestRaisesAdds(t *testing.T) {
	_, kinds := documented()
	m := Handle("m", Doc{}, func(context.Context, struct{}) (any, error) { return nil, nil })
	one := m.Raises(kinds[0])
	two := one.Raises(kinds[1])
	require.Empty(t, m.raises)
	require.Len(t, one.raises, 1)
	require.Len(t, two.raises, 2)
}
