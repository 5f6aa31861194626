package rpc

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

type closedParams struct {
	Inner closedInner `json:"inner" default:"{}"`
	Level depth       `json:"level" default:"1"`
}

type closedInner struct {
	Every int8 `json:"every" default:"5"`
}

func (closedInner) Closed() {}

// depth refuses itself as a whole, without a path of its own.
type depth int8

func (l *depth) UnmarshalParam(raw json.RawMessage) error {
	if KindOf(raw) != KindNumber {
		return &ParamError{Want: "a level", Got: KindOf(raw), Err: ErrType}
	}
	return json.Unmarshal(raw, (*int8)(l))
}

// A closed struct refuses what it does not know, the structs around it do not.
func TestClosed(t *testing.T) {
	m := Handle("m", Doc{}, func(_ context.Context, p closedParams) (closedParams, error) { return p, nil })
	for text, want := range map[string]string{
		`{}`:                             "",
		`{"more":1}`:                     "",
		`{"inner":{"every":5}}`:          "",
		`{"inner":null}`:                 "",
		`{"inner":{"every":5,"more":1}}`: `parameter "inner.more": unknown name`,
		`{"level":true}`:                 `parameter "level" must be a level, got bool`,
	} {
		t.Run(text, func(t *testing.T) {
			got, err := m.Named(t.Context(), json.RawMessage(text), Rules{})
			if want == "" {
				require.NoError(t, err)
				require.Equal(t, closedParams{closedInner{5}, 1}, got)
				return
			}
			require.EqualError(t, err, want)
			var refusal *ParamError
			require.ErrorAs(t, err, &refusal)
			if refusal.Err == ErrUnknown {
				require.Equal(t, []string{"every"}, refusal.Allowed)
			}
		})
	}
}
