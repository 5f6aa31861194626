package bunt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadOpOfChangedText: what the disk gives when it is read a second time may differ from
// what was surveyed; a word that does not end as one, or has no possible length, is refused.
func TestReadOpOfChangedText(t *testing.T) {
	const whole = putMore + "$1\r\nk\r\n$2\r\nab\r\n"
	op, size, err := readOp(whole)
	require.NoError(t, err)
	require.Equal(t, len(whole), size)
	require.Equal(t, "ab", op.Data)
	for _, text := range []string{
		putMore + "$9223372036854775807\r\nk\r\n$2\r\nab\r\n",
		putMore + "$1\r\nk\r\n$9223372036854775806\r\nab\r\n",
		putMore + "$1\r\nk\r\n$-1\r\nab\r\n",
		putMore + "$1\r\nk\r\n$1\r\nab\r\n",
		putMore + "$1\r\nk\n\n$2\r\nab\r\n",
		putMore + "$1\r\nk\r\n$2\n\nab\r\n",
	} {
		_, size, err := readOp(text)
		require.True(t, err != nil || size == 0, "%q", text)
	}
}
