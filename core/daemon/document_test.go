package daemon_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/rpc"
)

// typeScriptFile is for programs that call interface A; it follows from the methods.
const typeScriptFile = "../../web/daemon.d.ts"

// documented is a server of all methods there are, with nothing behind them.
func documented() *daemon.Server {
	var b daemon.Backend
	return daemon.New(daemon.Options{Info: rpc.Info{Title: "Obverse token daemon", Version: "1.0"}}, b.Methods()...)
}

// TestDocuments holds the checked-in declarations to the methods. OBVERSE_WRITE_DOCS=1
// writes them.
func TestDocuments(t *testing.T) {
	want := documented().TypeScript()
	if os.Getenv("OBVERSE_WRITE_DOCS") == "1" {
		require.NoError(t, os.WriteFile(typeScriptFile, []byte(want), 0o644))
	}
	have, err := os.ReadFile(typeScriptFile)
	require.NoError(t, err)
	require.True(t, want == string(have), "%s is not what the methods say: make docs writes it anew", typeScriptFile)
}

// Nothing in an answer is left undescribed, but for the OpenRPC document.
func TestEveryResultIsDescribed(t *testing.T) {
	_, reply := documented().Serve(t.Context(), rpc.Caller{Authorized: true}, []byte(`{"method":"rpc.discover","params":[]}`))
	var answer struct {
		Result struct {
			Methods []struct {
				Name   string
				Result struct{ Schema json.RawMessage }
			}
		}
	}
	require.NoError(t, json.Unmarshal(reply, &answer))
	require.NotEmpty(t, answer.Result.Methods)
	for _, m := range answer.Result.Methods {
		require.NotContains(t, strings.ReplaceAll(string(m.Result.Schema), " ", ""), ":{}", m.Name)
		require.NotEqual(t, "{}", string(m.Result.Schema), m.Name)
	}
}
