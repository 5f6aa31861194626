package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// taken decodes a parameter of type T.
func taken[T any](text string, rules Rules) (any, error) {
	var got struct {
		V T `json:"v"`
	}
	m := Handle("take", Doc{}, func(_ context.Context, p struct {
		V T `json:"v"`
	}) (bool, error) {
		got.V = p.V
		return true, nil
	})
	_, err := m.Named(context.Background(), json.RawMessage(`{"v":`+text+`}`), rules)
	return got.V, err
}

// TestKinds checks the values that each kind of field accepts, including the limits, and the
// errors for other values.
func TestKinds(t *testing.T) {
	type decode = func(string, Rules) (any, error)
	const huge = "99999999999999999999999999"
	nodes := map[string][]int8{"a": {1, -128}, "": {}}
	for _, c := range []struct {
		kind   string
		decode decode
		good   map[string]any
		bad    map[string]error
	}{
		{"bool", taken[bool], map[string]any{"true": true, "false": false, " true ": true},
			map[string]error{"1": ErrType, `"true"`: ErrType, "[]": ErrType, "null": ErrType}},
		{"int8", taken[int8], map[string]any{"127": int8(127), "-128": int8(-128), "0": int8(0), "-0": int8(0)},
			map[string]error{"128": ErrRange, "-129": ErrRange, "1.0": ErrType, "1e1": ErrType, `"1"`: ErrType, huge: ErrRange}},
		{"int64", taken[int64], map[string]any{"9223372036854775807": int64(math.MaxInt64), "-9223372036854775808": int64(math.MinInt64)},
			map[string]error{"9223372036854775808": ErrRange, "-9223372036854775809": ErrRange, "true": ErrType}},
		{"uint16", taken[uint16], map[string]any{"65535": uint16(65535), "0": uint16(0)},
			map[string]error{"65536": ErrRange, "-1": ErrRange, "0.5": ErrType}},
		{"uint64", taken[uint64], map[string]any{"18446744073709551615": uint64(math.MaxUint64)},
			map[string]error{"18446744073709551616": ErrRange, "-1": ErrRange}},
		{"string", taken[string], map[string]any{`""`: "", `"a\u0062\n"`: "ab\n", `"\ud83d\ude80"`: "🚀"},
			map[string]error{"5": ErrType, "{}": ErrType, "false": ErrType}},
		{"enum", taken[policy], map[string]any{`"Context"`: policy("Context"), `"Hardware"`: policy("Hardware")},
			map[string]error{`"hardware"`: ErrVariant, `""`: ErrVariant, "5": ErrType}},
		{"list", taken[[]int8], map[string]any{"[]": []int8{}, "[1,-1]": []int8{1, -1}},
			map[string]error{"[1,128]": ErrRange, "[null]": ErrType, "{}": ErrType, `"1"`: ErrType}},
		{"map", taken[map[string][]int8], map[string]any{`{"a":[1,-128],"":[]}`: nodes},
			map[string]error{`{"a":[1],"a":[2]}`: ErrDuplicate, `{"a":5}`: ErrType, "[]": ErrType}},
		{"raw", taken[json.RawMessage], map[string]any{`{"a":1}`: json.RawMessage(`{"a":1}`), "null": json.RawMessage("null")}, nil},
		{"pointer", taken[*bool], map[string]any{"true": new(true), "null": (*bool)(nil)}, map[string]error{"1": ErrType}},
		{"pointer to one that sees null", taken[*digits], map[string]any{`"12"`: new(digits("12"))}, map[string]error{`"x"`: errNotDigits}},
		{"text", taken[netip.Addr], map[string]any{`"::1"`: netip.IPv6Loopback()}, nil},
	} {
		for text, want := range c.good {
			t.Run(c.kind+" "+text, func(t *testing.T) {
				got, err := c.decode(text, Rules{})
				require.NoError(t, err)
				require.Equal(t, want, got)
			})
		}
		for text, want := range c.bad {
			t.Run(c.kind+" not "+text, func(t *testing.T) {
				_, err := c.decode(text, Rules{})
				require.ErrorIs(t, err, want)
				var refused *ParamError
				require.ErrorAs(t, err, &refused)
				require.Equal(t, byte('v'), refused.Path[0])
			})
		}
	}
	_, err := taken[netip.Addr](`"somewhere"`, Rules{})
	require.ErrorContains(t, err, `parameter "v": ParseAddr`)
	got, err := taken[map[string]int8](`{"a":1,"a":2}`, Rules{FirstKeyWins: true})
	require.NoError(t, err)
	require.Equal(t, map[string]int8{"a": 1}, got)
}

type loop struct{ Next []loop }

// TestUnknownKinds checks that parameters of unsupported types fail when the method is
// described, not when it is called.
func TestUnknownKinds(t *testing.T) {
	for want, decode := range map[string]func(string, Rules) (any, error){
		"a parameter cannot be a float64":          taken[float64],
		"a parameter cannot be a chan int":         taken[chan int],
		"a parameter cannot be a []uint8":          taken[[]byte],
		"the keys of map[int]bool are not strings": taken[map[int]bool],
		"rpc.loop contains itself":                 taken[loop],
		"a parameter cannot be a func()":           taken[[]func()],
		"a parameter cannot be a interface {}":     taken[any],
	} {
		t.Run(want, func(t *testing.T) {
			defer func() { require.Contains(t, fmt.Sprint(recover()), want) }()
			_, _ = decode("null", Rules{})
			t.Error("it was taken")
		})
	}
}

// TestTransport checks that a request without a transport has no limits, and that one with a
// transport ends when the client disconnects.
func TestTransport(t *testing.T) {
	none := TransportOf(t.Context())
	require.True(t, none.TakeRoom(1<<40))
	none.MarkProven()

	var gone func()
	stopped := 0
	proven := false
	ctx := WithTransport(t.Context(), Transport{
		Unread: func(do func()) func() bool { gone = do; return func() bool { stopped++; return true } },
		Room:   func(bytes int) bool { return bytes < 10 },
		Proven: func() { proven = true },
	})
	carried := TransportOf(ctx)
	require.True(t, carried.TakeRoom(9))
	require.False(t, carried.TakeRoom(10))
	carried.MarkProven()
	require.True(t, proven)

	for n, doc := range []Doc{{Reads: true}, {Whole: true}} {
		m := Handle("read", doc, func(ctx context.Context, _ struct{}) (bool, error) {
			require.NoError(t, ctx.Err())
			gone()
			return false, ctx.Err()
		})
		_, err := m.Named(ctx, nil, Rules{})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, n+1, stopped)
	}
	require.NoError(t, ctx.Err(), "the request goes on")

	gone = nil
	m := Handle("write", Doc{}, func(ctx context.Context, _ struct{}) (bool, error) { return true, nil })
	_, err := m.Named(ctx, nil, Rules{})
	require.NoError(t, err)
	require.Nil(t, gone, "what writes goes on to its end")
}

// TestReadingContext checks that a reading method's context allocates nothing until it is used,
// and ends when the client disconnects or the call ends.
func TestReadingContext(t *testing.T) {
	var gone func()
	ctx := WithTransport(t.Context(), Transport{Unread: func(do func()) func() bool { gone = do; return func() bool { return true } }})
	call := func(read func(context.Context)) context.Context {
		t.Helper()
		gone = nil
		var passed context.Context
		_, err := Handle("read", Doc{Reads: true}, func(ctx context.Context, _ struct{}) (bool, error) {
			passed = ctx
			read(ctx)
			return true, nil
		}).Named(ctx, nil, Rules{})
		require.NoError(t, err)
		return passed
	}
	passed := call(func(context.Context) {})
	require.Nil(t, gone)
	require.ErrorIs(t, passed.Err(), context.Canceled, "the call is over")
	<-passed.Done()
	require.Nil(t, gone)

	passed = call(func(ctx context.Context) {
		below, cancel := context.WithCancel(ctx)
		defer cancel()
		require.NoError(t, below.Err())
		require.NotNil(t, gone)
		gone()
		<-below.Done()
		require.ErrorIs(t, ctx.Err(), context.Canceled)
	})
	require.ErrorIs(t, passed.Err(), context.Canceled)

	passed = call(func(ctx context.Context) { require.NoError(t, ctx.Err()) })
	<-passed.Done()
}
