package rpc

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plainDistance is distance as its definition has it: the cheapest of all ways, each tried.
func plainDistance(a, b string) int {
	if a == "" || b == "" {
		return 2 * (len(a) + len(b))
	}
	endA, endB := len(a)-1, len(b)-1
	least := min(plainDistance(a[:endA], b)+2, plainDistance(a, b[:endB])+2, plainDistance(a[:endA], b[:endB])+difference(a[endA], b[endB]))
	if endA > 0 && endB > 0 && a[endA] == b[endB-1] && a[endA-1] == b[endB] {
		least = min(least, plainDistance(a[:endA-1], b[:endB-1])+2)
	}
	return least
}

func TestDistance(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var b strings.Builder
		for range dice.IntN(6) {
			b.WriteByte("aAbB_"[dice.IntN(5)])
		}
		return b.String()
	}
	for range 3000 {
		a, b := word(), word()
		d := distance(a, b)
		require.Equal(t, plainDistance(a, b), d, "%q %q", a, b)
		require.Equal(t, d, distance(b, a), "%q %q: either way", a, b)
		require.Equal(t, a == b, d == 0, "%q %q", a, b)
	}
}

// TestNearestTakesTheFirstOfEquals: what is suggested does not depend on chance.
func TestNearestTakesTheFirstOfEquals(t *testing.T) {
	for range 10 {
		got, found := Nearest("balanxe", []string{"balance", "balanse", "balanae"})
		require.True(t, found)
		require.Equal(t, "balance", got)
	}
}
