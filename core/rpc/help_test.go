package rpc

import (
	"context"
	"errors"
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

// Only what the runtime says of a panic is shown.
func TestPanicText(t *testing.T) {
	text := func(f func()) (text string) {
		defer func() { text = PanicText(recover()) }()
		f()
		return ""
	}
	var list []int
	require.Equal(t, "runtime error: index out of range [0] with length 0", text(func() { _ = list[0] }))
	require.Equal(t, "string", text(func() { panic("the secret") }))
	require.Equal(t, "*errors.errorString", text(func() { panic(errors.New("the secret")) }))
}
