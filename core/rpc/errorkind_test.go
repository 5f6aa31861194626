package rpc

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTypeName(t *testing.T) {
	for method, want := range map[string]string{
		"get_public_key": "GetPublicKey", "stream::heartbeat::enable": "StreamHeartbeatEnable", "rpc.discover": "RpcDiscover", "help": "Help", "1inch_v6": "1inchV6",
	} {
		require.Equal(t, want, TypeName(method))
	}
}

// documented is a table with something of everything that documents show.
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
