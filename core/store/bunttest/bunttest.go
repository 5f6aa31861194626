// Package bunttest opens stores for tests. Only tests use it.
package bunttest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store/bunt"
)

// Memory opens an empty in-memory store, which is closed at the end of the test.
func Memory(t testing.TB) *bunt.DB {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	return kv
}
