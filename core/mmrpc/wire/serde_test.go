package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

// TestUnshownValues checks that a value that must not be repeated is not part of the error.
func TestUnshownValues(t *testing.T) {
	f := found(t, &rpc.ParamError{Path: "a.secret", Want: "a key", Got: rpc.KindString, Err: rpc.ErrType})
	require.Equal(t, wire.Fault{Serde: "invalid type: string, expected a key", Help: `parameter "a.secret"`}, f)
	f = found(t, &rpc.ParamError{Path: "secret", Want: "a key", Got: rpc.KindString, Err: errFull})
	require.Equal(t, wire.Fault{Serde: errFull.Error(), Help: `parameter "secret" must be a key`}, f)
}

// found returns the Fault that describes e.
func found(t *testing.T, e *rpc.ParamError) (f wire.Fault) {
	t.Helper()
	require.ErrorAs(t, wire.Describe(nil, e), &f)
	return f
}
