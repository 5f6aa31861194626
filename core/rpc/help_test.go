package rpc

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHelp(t *testing.T) {
	type in struct {
		Coin string `json:"coin" doc:"the ticker"`
		Full bool   `json:"full" default:"true"`
	}
	row := func(name string, doc Doc) Method {
		return Handle(name, doc, func(context.Context, in) (any, error) { return nil, nil })
	}
	table := NewTable(row("z", Doc{Category: "B"}), row("y", Doc{Category: "A"}), row("x", Doc{Category: "B", Usage: "x ( it )"}))
	require.Equal(t, "== A ==\ny coin [full]\n\n== B ==\nx ( it )\nz coin [full]", table.Help())
	require.Equal(t, "m coin [full]\n\nDo.\n\nMore.\n\nArguments:\n1. coin (string, required) the ticker\n2. full (boolean, optional, default=true)\n",
		row("m", Doc{Summary: "Do", Detail: "More."}).Help())
	require.Equal(t, "m coin [full]\n", row("m", Doc{Summary: "Do", Terse: true}).Help())
}

// TestHelpOfObjects checks that help lists the members of objects, one level deep.
func TestHelpOfObjects(t *testing.T) {
	type inner struct {
		Deep int `json:"deep"`
	}
	type node struct {
		URL   string  `json:"url" doc:"where"`
		Every pace    `json:"every" default:"5" doc:"seconds"`
		Mode  policy  `json:"mode" rpc:"optional"`
		Count *uint16 `json:"count"`
		Inner inner   `json:"inner" rpc:"optional" doc:"more"`
	}
	type in struct {
		One   node   `json:"one" doc:"a node"`
		Nodes []node `json:"nodes" rpc:"optional" doc:"nodes"`
		Any   choice `json:"any" rpc:"optional" doc:"either"`
	}
	const lines = "   - url (string, required) where\n" +
		"   - every (number, optional, default=5, 1 to 60) seconds\n" +
		"   - mode (string, optional, one of Context, Hardware)\n" +
		"   - count (integer, optional)\n" +
		"   - inner (object, optional) more\n"
	m := Handle("m", Doc{}, func(context.Context, in) (any, error) { return nil, nil })
	require.Equal(t, "m one [nodes] [any]\n\nArguments:\n1. one (object, required) a node\n"+lines+
		"2. nodes (array, optional) nodes\n"+lines+
		"3. any (optional) either\n   - page (integer, required, at least 1)\n   or\n   - after (string, required)\n", m.Help())
}

// pace is a type with a limited range.
type pace struct{}

func (*pace) UnmarshalParam(json.RawMessage) error { return nil }

func (pace) JSONSchema() *Schema { return &Schema{Type: "number", Minimum: "1", Maximum: "60"} }

// choice is one of two kinds of objects.
type choice struct{}

func (*choice) UnmarshalParam(json.RawMessage) error { return nil }

func (choice) JSONSchema() *Schema {
	one := func(name string, s *Schema) *Schema {
		return &Schema{Type: "object", Properties: Properties{{name, s}}, Required: []string{name}}
	}
	return &Schema{OneOf: []*Schema{one("page", &Schema{Type: "integer", Minimum: "1"}), one("after", &Schema{Type: "string"})}}
}

func TestNearest(t *testing.T) {
	names := []string{"get_public_key", "get_public_key_hash", "help", "version", "stream::disable", strings.Repeat("x", 65)}
	for name, want := range map[string]string{
		"get_pubkey":       "", // differs in more than a third
		"get_publickey":    "get_public_key",
		"get_public_kye":   "get_public_key",
		"GET_PUBLIC_KEY":   "",
		"Get_Public_Key":   "get_public_key",
		"verison":          "version",
		"versio":           "version",
		"hlp":              "help",
		"stream:disable":   "stream::disable",
		"":                 "",
		"q":                "",
		"get_public_key_h": "get_public_key",
	} {
		got, found := Nearest(name, names)
		require.Equal(t, want, got, name)
		require.Equal(t, want != "", found, name)
	}
	_, found := Nearest(strings.Repeat("x", 66), names)
	require.False(t, found, "long names cost too much")
	_, found = Nearest("help", []string{"help"})
	require.False(t, found, "the name itself is no help")
}

// plainDistance computes distance by its definition: the minimum of all possible edits.
func plainDistance(a, b string) int {
	if a == "" || b == "" {
		return 2 * (len(a) + len(b))
	}
	endA, endB := len(a)-1, len(b)-1
	shortest := min(plainDistance(a[:endA], b)+2, plainDistance(a, b[:endB])+2, plainDistance(a[:endA], b[:endB])+difference(a[endA], b[endB]))
	if endA > 0 && endB > 0 && a[endA] == b[endB-1] && a[endA-1] == b[endB] {
		shortest = min(shortest, plainDistance(a[:endA-1], b[:endB-1])+2)
	}
	return shortest
}

func TestDistance(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var b strings.Builder
		for range dice.IntN(6) {
			b.WriteByte("aAbB_"[dice.IntN(5)])
		}
		return b.String()
	}
	for range 3000 {
		a, b := word(), word()
		d := distance(a, b)
		require.Equal(t, plainDistance(a, b), d, "%q %q", a, b)
		require.Equal(t, d, distance(b, a), "%q %q: either way", a, b)
		require.Equal(t, a == b, d == 0, "%q %q", a, b)
	}
}

// TestNearestTakesTheFirstOfEquals checks that the suggestion is deterministic.
func TestNearestTakesTheFirstOfEquals(t *testing.T) {
	for range 10 {
		got, found := Nearest("balanxe", []string{"balance", "balanse", "balanae"})
		require.True(t, found)
		require.Equal(t, "balance", got)
	}
}
