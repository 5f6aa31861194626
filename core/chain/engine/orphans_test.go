package engine

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
)

func orphanID(n int) (id wire.Hash) {
	binary.BigEndian.PutUint32(id[:], uint32(n))
	return id
}

// TestOrphanLimits adds many orphans and checks the limits of their number, bytes and attempts.
func TestOrphanLimits(t *testing.T) {
	var o orphans
	for n := range 2 * maxOrphans {
		o.add(orphanID(n), []byte{byte(n)})
	}
	require.Len(t, o.list(), maxOrphans)
	require.Equal(t, -1, o.index(orphanID(maxOrphans-1)), "the oldest leave")
	require.Zero(t, o.index(orphanID(maxOrphans)))

	o.add(orphanID(-1), make([]byte, maxOrphanBytes))
	require.Len(t, o.list(), 1)
	require.Equal(t, maxOrphanBytes, o.bytes)
	o.add(orphanID(-2), make([]byte, maxOrphanBytes+1))
	require.Empty(t, o.list())

	raw := []byte{1}
	for range maxOrphanTries - 1 {
		o.add(orphanID(1), raw)
	}
	raw[0] = 2 // modifies the caller's slice
	require.Equal(t, [][]byte{{1}}, o.list())
	o.add(orphanID(1), raw)
	require.Empty(t, o.list(), "it was tried often enough")
	o.remove(orphanID(1))
	require.Zero(t, o.bytes)
}
