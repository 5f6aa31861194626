package wire_test

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

func TestSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "-0": 0, "5": 5 * time.Second, "5.0": 5 * time.Second, "0.1": 100 * time.Millisecond, "1e-1": 100 * time.Millisecond,
		"3600": time.Hour, "36e2": time.Hour, "-1": -time.Second, "0.000000001": 1, "0.10000000000000": 100 * time.Millisecond,
		"9223372036.854775807": 1<<63 - 1, "-9223372036.854775808": -1 << 63, " 7 ": 7 * time.Second,
	} {
		t.Run(text, func(t *testing.T) {
			var s wire.Seconds
			require.NoError(t, s.UnmarshalParam(json.RawMessage(text)))
			require.Equal(t, want, s.Duration())
		})
	}
}

func TestInvalidSeconds(t *testing.T) {
	for text, want := range map[string]error{
		`"5"`: rpc.ErrType, "null": rpc.ErrType, "true": rpc.ErrType, "[]": rpc.ErrType, "{}": rpc.ErrType, "": rpc.ErrType,
		"9223372036.854775808": rpc.ErrRange, "1e400": rpc.ErrRange, "-1e99999999999999999999": rpc.ErrRange,
		"0.0000000001": wire.ErrFineSeconds, "1e-99999999999999999999": wire.ErrFineSeconds, "0.30000000000000004": wire.ErrFineSeconds,
	} {
		t.Run(text, func(t *testing.T) {
			s := wire.Seconds(42)
			require.ErrorIs(t, s.UnmarshalParam(json.RawMessage(text)), want)
			require.Equal(t, wire.Seconds(42), s)
		})
	}
}

// TestSecondsAsAParameter checks the name in errors, and defaults.
func TestSecondsAsAParameter(t *testing.T) {
	type params struct {
		Interval wire.Seconds `json:"interval"`
		Pause    wire.Seconds `json:"pause" default:"0.5"`
	}
	method := rpc.Handle("m", rpc.Doc{}, func(_ context.Context, p params) (params, error) { return p, nil })
	got, err := method.Named(t.Context(), json.RawMessage(`{"interval":30}`), rpc.Rules{})
	require.NoError(t, err)
	require.Equal(t, params{wire.Seconds(30 * time.Second), wire.Seconds(500 * time.Millisecond)}, got)
	_, err = method.Named(t.Context(), json.RawMessage(`{}`), rpc.Rules{})
	require.EqualError(t, err, `parameter "interval" is missing, it must be a number of seconds`)
	_, err = method.Named(t.Context(), json.RawMessage(`{"interval":"30"}`), rpc.Rules{})
	require.EqualError(t, err, `parameter "interval" must be a number of seconds, got string`)
}

// FuzzSeconds compares the result with rational arithmetic.
func FuzzSeconds(f *testing.F) {
	for _, text := range []string{"0", "5", "0.1", "1e-9", "1e-10", "-3", "9223372036.854775807", `"5"`, "1e18", "null"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) || len(text) > 40 || strings.ContainsAny(text, "eE") && len(text) > 8 {
			return // not a JSON number, or too costly to compare
		}
		var s wire.Seconds
		err := s.UnmarshalParam(json.RawMessage(text))
		want, ok := new(big.Rat).SetString(strings.TrimSpace(text))
		ok = ok && rpc.KindOf([]byte(text)) == rpc.KindNumber
		if ok {
			want.Mul(want, big.NewRat(1e9, 1))
			ok = want.IsInt() && want.Num().IsInt64()
		}
		require.Equal(t, ok, err == nil, "%q: %v", text, err)
		if ok {
			require.Equal(t, want.Num().Int64(), int64(s))
		}
	})
}
