package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGives(t *testing.T) {
	type block struct {
		Height int `json:"height"`
	}
	for _, c := range []struct {
		values []any
		want   string
	}{
		{[]any{nil}, `{"type":"null"}`},
		{[]any{""}, `{"type":"string"}`},
		{[]any{"", nil}, `{"oneOf":[{"type":"string"},{"type":"null"}]}`},
		{[]any{"", block{}}, `{"oneOf":[{"type":"string"},{"type":"object","properties":{"height":{"type":"integer"}},"required":["height"]}]}`},
	} {
		m := Handle("m", Doc{}, func(context.Context, struct{}) (any, error) { return 1, nil })
		described, err := json.Marshal(NewTable(m.Gives(c.values...)).OpenRPC(Info{}, ByPosition).Methods[0].Result.Schema)
		require.NoError(t, err)
		require.JSONEq(t, c.want, string(described))
		answer, err := m.Gives(c.values...).Positional(t.Context(), nil, Rules{})
		require.NoError(t, err)
		require.Equal(t, 1, answer, "it is for documents alone")
	}
	plain, err := json.Marshal(NewTable(Handle("m", Doc{}, func(context.Context, struct{}) (any, error) { return nil, nil })).OpenRPC(Info{}, ByName).Methods[0].Result.Schema)
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(plain))
}

// coins prints itself as a number.
type coins int64

func (coins) MarshalJSON() ([]byte, error) { return []byte("0.00000000"), nil }

// tally prints itself as a string.
type tally uint8

func (tally) MarshalJSON() ([]byte, error) { return []byte(` "0"`), nil }

// shy prints nothing of itself.
type shy int

func (shy) MarshalJSON() ([]byte, error) { return nil, errors.New("no value") }

// A number that prints itself is described by what zero is printed as.
func TestShapeOfWhatPrintsItself(t *testing.T) {
	require.Equal(t, &Schema{Type: "number"}, ShapeOf(coins(0)))
	require.Equal(t, &Schema{Type: "string"}, ShapeOf(tally(0)))
	for _, anything := range []any{opaque{}, shy(0), json.RawMessage{}} {
		require.Equal(t, &Schema{}, ShapeOf(anything), "%T", anything)
	}
}
