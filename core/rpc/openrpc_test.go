package rpc

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

type level int

func (level) MarshalText() ([]byte, error) { return []byte("x"), nil }

type opaque struct{}

func (opaque) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

func TestSchema(t *testing.T) {
	for name, c := range map[string]struct {
		typ  reflect.Type
		dir  direction
		want string
	}{
		"parameters": {reflect.TypeFor[params](), input, `{"type":"object","properties":{` +
			`"coin":{"type":"string","description":"the ticker"},` +
			`"nodes":{"type":"array","items":{"type":"object","properties":{"url":{"type":"string","description":"where it is"},"gateway_proxy":{"type":"boolean"},` +
			`"ports":{"type":"array","items":{"type":"integer","minimum":0}}},"required":["url"]}},` +
			`"height":{"type":"integer","minimum":0},"policy":{"type":"string","enum":["Context","Hardware"],"default":"Context"},` +
			`"amount":{"description":"digits","pattern":"^[0-9]*$"},"extra":{"type":"object","additionalProperties":{"type":"integer"}},"any":{},` +
			`"either":{"type":"object"},"limit":{"type":"integer","default":10}},"required":["coin","nodes"]}`},
		"result": {reflect.TypeFor[result](), output, `{"type":"object","properties":{"name":{"type":"string"},"memo":{"oneOf":[{"type":"string"},{"type":"null"}]},` +
			`"note":{"type":"string"},"amount":{"type":"number"}},"required":["name","memo","amount"]}`},
		"text":      {reflect.TypeFor[level](), output, `{"type":"string"}`},
		"opaque":    {reflect.TypeFor[opaque](), output, `{}`},
		"anything":  {reflect.TypeFor[any](), output, `{}`},
		"number":    {reflect.TypeFor[json.Number](), output, `{"type":"number"}`},
		"recursion": {reflect.TypeFor[recursive](), output, `{"type":"object","properties":{"next":{"oneOf":[{"type":"object"},{"type":"null"}]}},"required":["next"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(schemaOf(c.typ, c.dir))
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}

func TestOpenRPC(t *testing.T) {
	type one struct {
		ID   string `json:"id" doc:"which"`
		Full bool   `json:"full" default:"true"`
	}
	doc := Doc{Summary: "Find", Detail: "By id.", Category: "Things"}
	table := NewTable(Handle("find", doc, func(context.Context, one) ([]string, error) { return nil, nil }))
	got, err := json.Marshal(table.OpenRPC(Info{Title: "T", Version: "1"}, ByName))
	require.NoError(t, err)
	require.Equal(t, `{"openrpc":"1.3.2","info":{"title":"T","version":"1"},"methods":[{"name":"find","summary":"Find","description":"By id.",`+
		`"tags":[{"name":"Things"}],"paramStructure":"by-name","params":[`+
		`{"name":"id","description":"which","required":true,"schema":{"type":"string","description":"which"}},`+
		`{"name":"full","schema":{"type":"boolean","default":true}}],`+
		`"result":{"name":"result","schema":{"type":"array","items":{"type":"string"}}}}]}`, string(got))
}
