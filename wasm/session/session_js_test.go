package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/wasm/jsval"
)

func TestLogger(t *testing.T) {
	var lines []string
	log := NewLogger(func(level, line string) { lines = append(lines, level+": "+line) }, "warn",
		core.NewSecret("s3cret"), core.NewSecret("with \"quotes\""), core.NewSecret("abc"))
	log.Error("broke", "error", "s3cret at the end", "n", 5, "empty", "")
	log.Warn("with \"quotes\" abc", "value", `with "quotes"`)
	log.Info("not told")
	require.Equal(t, []string{`error: broke error="[secret] at the end" n=5 empty=""`, `warn: [secret] abc value="[secret]"`}, lines)
}

func TestEntropy(t *testing.T) {
	e := Entropy{Crypto: jsval.Global().Get("crypto")}
	large := make([]byte, 2*maxRandom)
	n, err := e.Read(large)
	require.NoError(t, err)
	require.Equal(t, maxRandom, n)
	require.Less(t, strings.Count(string(large[:n]), "\x00"), maxRandom/100)
	require.Equal(t, make([]byte, maxRandom), large[n:])
	_, err = Entropy{}.Read(large)
	require.ErrorContains(t, err, "draw random bytes")
}
