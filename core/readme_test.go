package core

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/mmrpc"
	"obverse/core/rpc"
)

// TestDocumentsNameEveryMethod compares the tables of methods in the documents with those of the
// program, and both to each other: none is missing, none is left of former times.
func TestDocumentsNameEveryMethod(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "native", "docs", "methods.md"))
	require.NoError(t, err)
	require.Equal(t, methodsOfA(t), inDocument(t, string(text), "interface A"), "methods.md, the table of interface A's methods")
	require.Equal(t, methodsOfB(), inDocument(t, string(text), "interface B"), "methods.md, the table of interface B's methods")
}

func methodsOfA(t *testing.T) (names []string) {
	server := daemon.New(daemon.Options{}, (&daemon.Backend{}).Methods()...)
	_, reply := server.Serve(t.Context(), rpc.Caller{Local: true}, []byte(`{"method":"rpc.discover"}`))
	var answer struct {
		Result struct{ Methods []struct{ Name string } }
	}
	require.NoError(t, json.Unmarshal(reply, &answer))
	for _, m := range answer.Result.Methods {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}

func methodsOfB() (names []string) {
	for _, m := range mmrpc.New(mmrpc.Options{Now: time.Now}, mmrpc.Backend{}.Areas()...).Table().Methods() {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}

// inDocument lists the names in the table with that heading.
func inDocument(t *testing.T, text, heading string) (names []string) {
	_, table, found := strings.Cut(text, "\n| "+heading+" | methods |\n")
	require.True(t, found, heading)
	table, _, _ = strings.Cut(table, "\n\n")
	quoted, name := regexp.MustCompile("`[^`]+`"), regexp.MustCompile(`^[a-z][a-z0-9_.:]+$`)
	for _, code := range quoted.FindAllString(table, -1) {
		for word := range strings.FieldsSeq(strings.Trim(code, "`")) {
			if name.MatchString(word) {
				names = append(names, word)
			}
		}
	}
	slices.Sort(names)
	return names
}
