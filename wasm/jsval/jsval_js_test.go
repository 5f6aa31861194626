package jsval

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// script evaluates JavaScript and returns the value of the last expression. Only tests do this,
// since a strict content security policy forbids it.
func script(t *testing.T, text string) Value {
	v, err := Global().Call("eval", text)
	require.NoError(t, err)
	return v
}

func TestOf(t *testing.T) {
	dump := script(t, `(x) => x instanceof Uint8Array ? 'bytes ' + x : x === undefined ? 'undefined' : JSON.stringify(x)`)
	noop := NewFunc(func([]Value) any { return nil })
	defer noop.Release()
	for _, c := range []struct {
		name string
		from any
		want string
	}{
		{"nil", nil, "null"},
		{"no value", Value{}, "undefined"},
		{"null", Null(), "null"},
		{"true", true, "true"},
		{"text", "a\u00e9\U0001f600", `"a` + "\u00e9\U0001f600" + `"`},
		{"int", -5, "-5"},
		{"uint64", uint64(1) << 53, "9007199254740992"},
		{"float", 0.5, "0.5"},
		{"bytes", []byte{1, 255}, "bytes 1,255"},
		{"map", map[string]any{"a": []any{1, "b", map[string]any{}}}, `{"a":[1,"b",{}]}`},
		{"function", map[string]any{"f": noop}, "{}"},
		{"what has no form", struct{}{}, "undefined"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := dump.Invoke(c.from)
			require.NoError(t, err)
			require.Equal(t, c.want, got.TextOr("?"))
		})
	}
}

func TestTypes(t *testing.T) {
	object := script(t, `({text: 'x', whole: 7, large: 2**53+2, half: 0.5, nan: NaN, yes: true, bytes: new Uint8Array([1,2,3]).subarray(1), list: [1], nothing: null})`)
	text, err := object.Get("text").Text()
	require.NoError(t, err)
	require.Equal(t, "x", text)
	require.Equal(t, "other", object.Get("whole").TextOr("other"))
	whole, err := object.Get("whole").Whole()
	require.NoError(t, err)
	require.EqualValues(t, 7, whole)
	bytes, err := object.Get("bytes").Bytes()
	require.NoError(t, err)
	require.Equal(t, []byte{2, 3}, bytes)
	require.True(t, object.Get("yes").Is())
	require.False(t, object.Get("whole").Is(), "no truthiness")
	require.True(t, object.Get("nothing").Missing())
	require.True(t, object.Get("none").Missing())
	require.True(t, object.Get("none").Get("deeper").Missing(), "of undefined")
	require.False(t, object.Get("text").Missing())

	for name, err := range map[string]error{
		"text":         second(object.Get("whole").Text()),
		"whole":        second(object.Get("text").Whole()),
		"fraction":     second(object.Get("half").Whole()),
		"NaN":          second(object.Get("nan").Whole()),
		"beyond 2^53":  second(object.Get("large").Whole()),
		"bytes":        second(object.Get("list").Bytes()),
		"bytes of nil": second(object.Get("none").Bytes()),
		"set":          object.Get("none").Set("x", 1),
		"no method":    second(object.Call("none")),
		"of undefined": second(Value{}.Call("none")),
		"no function":  second(object.Invoke()),
		"no class":     second(object.Get("text").New()),
	} {
		require.ErrorIs(t, err, ErrType, name)
	}
}

func second[V any](_ V, err error) error { return err }

func TestThrown(t *testing.T) {
	for _, c := range []struct{ name, throw, want string }{
		{"error", `new Error('no')`, "no"},
		{"class", `new TypeError('no')`, "TypeError: no"},
		{"text", `'no'`, "no"},
		{"number", `7`, "7"},
		{"nothing", `undefined`, "undefined"},
		{"symbol", `Symbol('no')`, "Symbol(no)"},
		{"object", `({})`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := script(t, `() => { throw `+c.throw+` }`).Invoke()
			var thrown *Error
			require.ErrorAs(t, err, &thrown)
			require.Equal(t, c.want, thrown.Error())
		})
	}
}

type kinded struct{ error }

func (kinded) ErrorKind() string { return "Odd" }

func TestErrorsAreErrorObjects(t *testing.T) {
	show := script(t, `(e) => JSON.stringify([e instanceof Error, e.message, e.kind, e.data])`)
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"plain", errors.New("no"), `[true,"no","Internal",null]`},
		{"kind", fmt.Errorf("wrapped: %w", kinded{errors.New("no")}), `[true,"wrapped: no","Odd",null]`},
		{"from there", &Error{Text: "no", Kind: "K", Data: ValueOf(map[string]any{"a": 1})}, `[true,"no","K",{"a":1}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := show.Invoke(c.err)
			require.NoError(t, err)
			require.Equal(t, c.want, got.TextOr("?"))
		})
	}
}

func TestAwait(t *testing.T) {
	for _, c := range []struct{ name, promise, want, err string }{
		{"value", `'now'`, "now", ""},
		{"resolved", `Promise.resolve('soon')`, "soon", ""},
		{"later", `new Promise(r => setTimeout(r, 5, 'later'))`, "later", ""},
		{"thenable", `({then(ok) { ok('then') }})`, "then", ""},
		{"rejected", `Promise.reject(Object.assign(new Error('no'), {kind: 'K'}))`, "", "no"},
		{"broken", `({then() { throw new Error('broken') }})`, "", "broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := Await(t.Context(), script(t, c.promise))
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, v.TextOr("?"))
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	late := script(t, `new Promise(r => setTimeout(r, 30, 'late'))`)
	_, err := Await(ctx, late)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = Await(t.Context(), late)
	require.NoError(t, err, "a promise that settles after the wait still calls its function")
}

func TestPromise(t *testing.T) {
	good := Promise(func([]Value) (any, error) {
		// A function on the event loop cannot wait for JavaScript.
		return Await(context.Background(), script(t, `new Promise(r => setTimeout(r, 1, 'x'))`))
	}, nil)
	v, err := Await(t.Context(), good)
	require.NoError(t, err)
	require.Equal(t, "x", v.TextOr("?"))
	_, err = Await(t.Context(), Promise(func([]Value) (any, error) { return nil, kinded{errors.New("no")} }, nil))
	var thrown *Error
	require.ErrorAs(t, err, &thrown)
	require.Equal(t, "Odd", thrown.Kind)
	_, err = Await(t.Context(), Promise(func([]Value) (any, error) { panic("s3cret") }, nil))
	require.EqualError(t, err, "a call panicked: string", "the program goes on")
}

func TestFunc(t *testing.T) {
	add := NewFunc(func(args []Value) any {
		a, err := Arg(args, 0).Whole()
		if err != nil {
			return err
		}
		b, _ := Arg(args, 1).Whole()
		return a + b
	})
	defer add.Release()
	got, err := script(t, `f => f(2, 3) + ':' + f('x').message + ':' + f(4)`).Invoke(add)
	require.NoError(t, err)
	require.Equal(t, "5:value has the wrong type: it is string and not a whole number:4", got.TextOr("?"))
}

func BenchmarkPromise(b *testing.B) {
	for b.Loop() {
		_, _ = Await(context.Background(), Promise(func([]Value) (any, error) { return "x", nil }, nil))
	}
}
