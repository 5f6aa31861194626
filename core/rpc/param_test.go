package rpc

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParamErrorDetails checks the value and the alternatives in a ParamError.
func TestParamErrorDetails(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		kind    error
		value   string
		allowed []string
	}{
		"type":             {`{"coin": 5 ,"nodes":[]}`, ErrType, "5", nil},
		"range":            {`{"coin":"","nodes":[],"height":-1}`, ErrRange, "-1", nil},
		"fraction":         {`{"coin":"","nodes":[],"height":1.0}`, ErrType, "1.0", nil},
		"array":            {`{"coin":"","nodes":{}}`, ErrType, "{}", nil},
		"object":           {`{"coin":"","nodes":[7]}`, ErrType, "7", nil},
		"variant":          {`{"coin":"","nodes":[],"policy":"context"}`, ErrVariant, `"context"`, []string{"Context", "Hardware"}},
		"own rule":         {`{"coin":"","nodes":[],"amount":"x"}`, errNotDigits, `"x"`, nil},
		"unknown":          {`{"coin":"","nodes":[{"url":"","prt":1}]}`, ErrUnknown, "", []string{"url", "gateway_proxy", "ports"}},
		"missing":          {`{"nodes":[]}`, ErrMissing, "", nil},
		"inside, no value": {`{"coin":"","nodes":[],"either":5}`, ErrType, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got params
			err := call(t, take(&got), c.text, Rules{RefuseUnknown: true})
			require.ErrorIs(t, err, c.kind)
			var param *ParamError
			require.True(t, errors.As(err, &param))
			require.Equal(t, c.value, string(param.Value))
			require.Equal(t, c.allowed, param.Allowed)
			require.NotContains(t, err.Error(), "context", "the text contains no value")
			require.Equal(t, errors.Is(c.kind, ErrRange), errors.Is(err, ErrRange))
		})
	}
}

func TestNamedTakesJSONOnly(t *testing.T) {
	var got params
	for _, text := range []string{`{"coin":`, `{]`, `{"coin":"x"}}`} {
		_, err := take(&got).Named(t.Context(), json.RawMessage(text), Rules{})
		require.ErrorIs(t, err, ErrText, text)
	}
}

func TestMembersEndEarly(t *testing.T) {
	for name, value := range Members([]byte(`{"\u0061":1,"b":2}`)) {
		require.Equal(t, "a", name)
		require.Equal(t, "1", string(value))
		break
	}
	for item := range Items([]byte(`[1,2]`)) {
		require.Equal(t, "1", string(item))
		break
	}
}
