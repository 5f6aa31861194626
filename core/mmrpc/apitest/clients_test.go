package apitest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/rpc"
)

// clientMethod is a method that clients of Komodo DeFi Framework call, as found in the source
// of the clients.
type clientMethod struct {
	Method string
	V2     []string // clients that send the method with "mmrpc"
	Legacy []string // clients that send the method without "mmrpc"
	KDF    string   // "none" if Komodo DeFi Framework does not have the method, "legacy" if it has it only without "mmrpc"
}

func readClientMethods(t *testing.T) (list []clientMethod) {
	text, err := os.ReadFile(filepath.Join("..", "testdata", "client-methods.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &list))
	return list
}

// Answers that the document distinguishes.
const (
	answerWorks     = "works"
	answerEmpty     = "an empty list"
	answerNoSwaps   = "`SwapsNotSupported`"
	answerUnknown   = "`NoSuchMethod`"
	answerNeverWas  = "`NoSuchMethod`, as in KDF"
	notTheOlderForm = "the form of \"mmrpc\", which such a client cannot read"
)

// clientsIntro is the introduction of the generated document.
const clientsIntro = "# What clients of KDF call\n\n" +
	"After this page you know which methods a wallet or a program that was written for Komodo DeFi Framework can use here. `make docs` calls every method on a node and writes\n" +
	"the kind of its answer into this table. The clients are the KDF SDK, gleec-wallet (with the methods that it calls in addition to the SDK), mm2-client, pykomodefi and the makerbot.\n\n" +
	"A node has no orders and swaps: methods that list them return an empty list, and methods that make them are refused. The form `2.0` is a request with `mmrpc`, and `legacy` is a request without it.\n\n" +
	"| method | sent by | form | answer |\n|---|---|---|---|\n"

// TestDocuments calls every method in the form used by clients, and compares the document with
// the answers. If OBVERSE_WRITE_DOCS is 1, it writes the document instead.
func TestDocuments(t *testing.T) {
	n := newNode(t, settingsOf(readStates(t).Passphrase), core.Platform{Stop: func() {}})
	var text strings.Builder
	text.WriteString(clientsIntro)
	for _, m := range readClientMethods(t) {
		if m.V2 != nil {
			fmt.Fprintf(&text, "| `%s` | %s | 2.0 | %s |\n", m.Method, strings.Join(m.V2, ", "), answerTo(t, n, m, false))
		}
		if m.Legacy != nil {
			fmt.Fprintf(&text, "| `%s` | %s | legacy | %s |\n", m.Method, strings.Join(m.Legacy, ", "), answerTo(t, n, m, true))
		}
	}
	path := filepath.Join("..", "..", "..", "native", "docs", "clients.md")
	if os.Getenv("OBVERSE_WRITE_DOCS") == "1" {
		require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, text.String() == string(have), "%s is not what the node answers: run make docs", path)
	require.NotContains(t, text.String(), notTheOlderForm)
}

// answerTo calls a method without parameters. The error shows whether the node has the method.
func answerTo(t *testing.T, n *core.Node, m clientMethod, legacy bool) string {
	body := fmt.Sprintf(`{"userpass":%q,"mmrpc":"2.0","method":%q,"params":{}}`, statesUser, m.Method)
	if legacy {
		body = fmt.Sprintf(`{"userpass":%q,"method":%q}`, statesUser, m.Method)
	}
	status, reply := n.RPC(t.Context(), rpc.Caller{Address: "127.0.0.1", Local: true}, []byte(body))
	var a struct {
		MMRPC string
		Type  string `json:"error_type"`
		Error string
	}
	require.NoError(t, json.Unmarshal(reply, &a), string(reply))
	switch {
	case a.Type == "NoSuchMethod" && m.KDF == "none":
		return answerNeverWas
	case a.Type == "NoSuchMethod":
		return answerUnknown
	case a.MMRPC != "" && legacy:
		return notTheOlderForm
	case strings.Contains(a.Error, "this node makes no orders and no swaps"):
		return answerNoSwaps
	case status == 200 && strings.Contains(summaryOf(t, n, m.Method), ": always none"), strings.Contains(summaryOf(t, n, m.Method), "there are never any"):
		return answerEmpty
	}
	require.NotContains(t, a.Error, "panic", m.Method)
	return answerWorks
}

func summaryOf(t *testing.T, n *core.Node, method string) string {
	status, reply := n.RPC(t.Context(), rpc.Caller{Address: "127.0.0.1", Local: true}, fmt.Appendf(nil, `{"method":"help","command":%q}`, method))
	require.Equal(t, 200, status, "%s", reply)
	return string(reply)
}
