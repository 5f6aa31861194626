package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/wire"
)

func TestReadHex(t *testing.T) {
	for text, want := range map[string]string{"": "", "0aFF": "\x0a\xff", "0x0aff": "\x0a\xff", "0X0AFF": "\x0a\xff", " 0x0aff\n": "\x0a\xff", "\t0aff\r\n": "\x0a\xff", "0x": ""} {
		b, err := wire.ReadHex(text)
		require.NoError(t, err, text)
		require.Equal(t, want, string(b), text)
	}
	for _, text := range []string{"x", "0", "0x0", "0x0x0a", "0a 0b", "zz"} {
		_, err := wire.ReadHex(text)
		require.ErrorIs(t, err, wire.ErrHex, text)
	}
}
