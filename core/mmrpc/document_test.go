package mmrpc

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/rpc"
	"obverse/core/rpc/apidoc"
)

// Files that are generated for people and tools.
const (
	openRPCFile   = "../../web/openrpc.json"
	referenceFile = "../../native/docs/node-api.md"
)

const referenceIntro = "Every method of the node API, as `make docs` writes it from the program. [HTTP](http.md) shows the form of a request.\n" +
	"Besides the errors listed, every method can return `InvalidMmRpcVersion`, `InvalidRequest`, `LocalHostOnly`, `Banned`, `UserpassIsNotSet`, `UserpassIsInvalid` and `InternalError`."

func reference(s *Server) string {
	return apidoc.Markdown(s.table, "Reference of the node API", referenceIntro)
}

// documented returns a server with all methods and an empty backend.
func documented() *Server {
	return New(Options{Info: rpc.Info{Title: "Obverse node", Version: version}, Now: time.Now}, Backend{})
}

// TestDocuments compares the checked-in documents with the methods. If OBVERSE_WRITE_DOCS is 1,
// it writes the documents instead.
func TestDocuments(t *testing.T) {
	s := documented()
	openRPC, err := s.OpenRPC()
	require.NoError(t, err)
	for path, want := range map[string]string{openRPCFile: string(openRPC), referenceFile: reference(s)} {
		if os.Getenv("OBVERSE_WRITE_DOCS") == "1" {
			require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		}
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, want == string(have), "%s is not what the methods say: run make docs", path)
	}
}

// TestDocumentIsWhole checks that rpc.discover returns the document, and that the document
// contains every error to which it refers.
func TestDocumentIsWhole(t *testing.T) {
	s := documented()
	text, err := s.OpenRPC()
	require.NoError(t, err)
	_, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(`{"method":"rpc.discover"}`))
	var answer struct{ Result json.RawMessage }
	require.NoError(t, json.Unmarshal(reply, &answer))
	require.JSONEq(t, string(text), string(answer.Result))

	var doc rpc.Document
	require.NoError(t, json.Unmarshal(withoutSchemas(t, text), &doc))
	require.Len(t, doc.Methods, len(s.Table().Methods()))
	for _, m := range doc.Methods {
		require.NotEmpty(t, m.Summary, m.Name)
		require.NotEmpty(t, m.Tags, "%s has no category", m.Name)
		for _, e := range m.Errors {
			require.Contains(t, doc.Components.Errors, e.Ref[len("#/components/errors/"):])
		}
	}
}

// withoutSchemas removes the members that rpc.Schema encodes but does not decode.
func withoutSchemas(t *testing.T, text []byte) []byte {
	var v any
	require.NoError(t, json.Unmarshal(text, &v))
	var drop func(any)
	drop = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "schema")
			delete(v, "error_data")
			for _, inner := range v {
				drop(inner)
			}
		case []any:
			for _, inner := range v {
				drop(inner)
			}
		}
	}
	drop(v)
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return out
}
