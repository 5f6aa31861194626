package rpc

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnread(t *testing.T) {
	read := Handle("m", Doc{}, func(context.Context, struct{}) (string, error) { return "done", nil })
	strict := Rules{RefuseUnknown: true, Unknown: func(string) { t.Error("nothing is looked at") }}
	for _, params := range []string{``, `null`, `{}`, `{"a":1,"a":2}`, `[1]`, `"text"`, `7`, `true`} {
		result, err := read.Unread().Named(t.Context(), json.RawMessage(params), strict)
		require.NoError(t, err, params)
		require.Equal(t, "done", result)
	}
	_, err := read.Named(t.Context(), json.RawMessage(`[1]`), Rules{})
	require.ErrorIs(t, err, ErrType, "the method itself is as it was")
}
