package worker

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStoreContract runs the tests of wasm/disktest in an object on its storage. They include the
// contract of every store.
func TestStoreContract(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "store.wasm")
	build := exec.Command("go", "test", "-c", "-o", program, "obverse/wasm/disktest")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	text, err := build.CombinedOutput()
	require.NoError(t, err, string(text))
	run := exec.Command("node", filepath.Join("workerd", "storehost.js"), program, t.TempDir())
	run.Stderr = os.Stderr
	text, err = run.Output()
	require.NoError(t, err)
	var ended struct {
		Code   *int
		Output string
	}
	require.NoError(t, json.Unmarshal(text, &ended), string(text))
	require.NotNil(t, ended.Code, string(text))
	require.Zero(t, *ended.Code, ended.Output)
	for _, passed := range []string{"--- PASS: TestContract/concurrent_readers_see_whole_batches", "--- PASS: TestReopen", "--- PASS: TestTruncate", "\nPASS"} {
		require.Contains(t, ended.Output, passed)
	}
}
