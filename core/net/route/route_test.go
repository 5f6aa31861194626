package route

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		access                     Access
		local, localOnly, excluded bool
	}{
		{Anyone, false, true, false}, {Anyone, true, true, false},
		{Private, true, true, false}, {Private, true, false, false}, {Private, false, false, false}, {Private, false, true, true},
		{Local, true, true, false}, {Local, true, false, false}, {Local, false, false, true}, {Local, false, true, true},
	} {
		err := Route{Path: "/x", Access: c.access}.Check(c.local, c.localOnly)
		if c.excluded {
			require.ErrorIs(t, err, ErrLocal, c)
		} else {
			require.NoError(t, err, c)
		}
	}
}

// TestPaths checks that all paths are distinct, since a server would use only one of two equal
// entries.
func TestPaths(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range All() {
		require.False(t, seen[r.Path], r.Path)
		require.Regexp(t, `^/[a-z-]+$`, r.Path)
		require.Equal(t, r.Access == Anyone, r.does == "", r.Path)
		seen[r.Path] = true
	}
}
