package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
)

func TestChanged(t *testing.T) {
	a, b := valid(t), valid(t)
	require.Empty(t, a.Changed(&b))
	b.LogLevel, b.LogFile, b.CoinList, b.Coins = "debug", "x", json.RawMessage("[]"), json.RawMessage("[]")
	require.Empty(t, a.Changed(&b), "these can change while a node runs")
	b.RPCPort, b.Passphrase, b.Daemon.RPCUser, b.AllowedHosts, b.Chain.Options.Supply = 1, NewSecret("other"), "u", []string{"a"}, 9
	require.ElementsMatch(t, []string{"rpcport", "passphrase", "daemon.rpcuser", "allowed_hosts", "chain.ac_*"}, a.Changed(&b))
}

// referenceFile is the page with the reference of all keys.
const referenceFile = "../../native/docs/configuration.md"

// TestDocuments compares the reference with the keys. If OBVERSE_WRITE_DOCS is 1, it writes the
// reference instead.
func TestDocuments(t *testing.T) {
	want := reference(t)
	if os.Getenv("OBVERSE_WRITE_DOCS") == "1" {
		require.NoError(t, os.WriteFile(referenceFile, []byte(want), 0o644))
	}
	have, err := os.ReadFile(referenceFile)
	require.NoError(t, err)
	require.True(t, want == string(have), "%s is not what the keys say: run make docs", referenceFile)
}

// introduction is the text before the tables.
const introduction = `# Configuration keys

After this page you know what each key of ` + "`obverse.json`" + ` does. ` + "`obverse help KEY`" + ` prints the same text, and ` + "`obverse config`" + ` prints your own
values with their sources. [Running](running.md) describes where keys can be set.

A key with a dot is a key inside an object: ` + "`daemon.rpcport=0`" + ` on the command line is ` + "`{\"daemon\": {\"rpcport\": 0}}`" + ` in the file. The column "where" lists the kinds of node
that use the key: native, edge (a Cloudflare Worker) or page. The column "reload" shows whether a change takes effect at SIGHUP, without a restart.

| key | default | meaning | value | where | reload |
|---|---|---|---|---|---|
`

// reference returns the expected content of the reference.
func reference(t *testing.T) string {
	var page strings.Builder
	page.WriteString(introduction)
	for _, k := range settings() {
		where, reload := cmp.Or(k.In, "all"), "no"
		if k.Reload {
			reload = "yes"
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name, plain(atFirst(k)), plain(k.Doc), plain(k.Must), where, reload)
	}
	fmt.Fprintf(&page, "\n## Secrets\n\nObverse generates secrets when it writes a new config. In an existing config, a missing `rpc_password` is an error. A secret can also come from an environment variable,\n"+
		"or from a file: the same name with `_FILE` at its end is a variable for the path of the file. It cannot come from the command line:\n\n| key | variable |\n|---|---|\n")
	for _, k := range SecretKeys() {
		fmt.Fprintf(&page, "| `%s` | `%s` |\n", k.Name, k.Env())
	}
	page.WriteString("\n## Options of the chain\n\nThese options have the meaning of komodod's flags of the same names, and work on all kinds of node. A store is tied to the options that its chain was created with. If you set\n" +
		"`chain.ac_name`, all other options have komodod's defaults, which are in the third column. Shares are in 1/100,000,000.\n\n| key | default | with `chain.ac_name` | meaning | value |\n|---|---|---|---|---|\n")
	options := Default().Chain.Options
	for _, option := range params.Keys() {
		fmt.Fprintf(&page, "| `chain.%s` | %s | %s | %s | %s |\n", option, options.Value(option), params.Defaults().Value(option), params.Meaning(option), params.Allowed(option))
	}
	return page.String()
}

// atFirst returns the description of a key's default.
func atFirst(k Key) string {
	switch {
	case k.Secret && k.written != "" && k.Unset != "":
		return "generated; without it: " + k.Unset
	case k.Secret && k.written != "":
		return "generated"
	}
	return cmp.Or(k.Default, k.Unset, "none")
}

// plain escapes a text for Markdown.
func plain(text string) string {
	return strings.NewReplacer("*", "\\*", "<", "\\<", "__", "\\_\\_").Replace(text)
}
