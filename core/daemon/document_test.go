package daemon_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/rpc"
	"obverse/core/rpc/apidoc"
)

const referenceFile = "../../native/docs/daemon-api.md"

var info = rpc.Info{Title: "Obverse token daemon", Version: "1.0"}

const referenceIntro = "Every method of the daemon API, as `make docs` writes it from the program. Parameters are given in this order. [HTTP](http.md) shows the form of a request."

// documented returns a server with all methods and an empty backend.
func documented() *daemon.Server {
	var b daemon.Backend
	return daemon.New(daemon.Options{Info: info}, b.Methods()...)
}

// TestDocuments compares the checked-in reference with the methods. If OBVERSE_WRITE_DOCS is 1,
// it writes the reference instead.
func TestDocuments(t *testing.T) {
	want := apidoc.Markdown(documented().Table(), "Reference of the daemon API", referenceIntro)
	if os.Getenv("OBVERSE_WRITE_DOCS") == "1" {
		require.NoError(t, os.WriteFile(referenceFile, []byte(want), 0o644))
	}
	have, err := os.ReadFile(referenceFile)
	require.NoError(t, err)
	require.True(t, want == string(have), "%s is not what the methods say: run make docs", referenceFile)
}

// TestEveryResultIsDescribed checks that the OpenRPC document describes all results except its
// own.
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
