package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestValidatorsChange adds a validator to two, as documented: the chain is handed back, and over
// once more with another genesis. The history must stay, and the vote of the new validator must be
// necessary.
func TestValidatorsChange(t *testing.T) {
	v := newValidators(t, 2)
	var sent []string
	pay := func(from int, among ...int) {
		t.Helper()
		n, id := v.nodes[from], ""
		height := n.height()
		n.call(&id, "sendtoaddress", n.address(), 1)
		sent = append(sent, id)
		v.reach(height+1, among...)
	}
	for range 3 {
		pay(0, 0, 1)
		pay(1, 0, 1)
	}
	v.agree()
	height, first := v.nodes[0].height(), v.nodes[0].raw("getblockhash", 2)
	for _, n := range v.nodes {
		code, _ := n.stop()
		require.Zero(t, code)
	}

	third := newLaunch(t)
	third.verb = "validator"
	backup := filepath.Join(t.TempDir(), "store")
	v.must(0, "validator", "migrate", "--back")
	_, id0, found := strings.Cut(v.must(0, "validator", "migrate"), "this node ")
	require.True(t, found)
	v.must(0, "store", "backup", backup)
	v.must(1, "validator", "migrate", "--back")
	v.launches, v.nodes = append(v.launches, third), append(v.nodes, nil)
	v.must(2, "init")
	v.must(2, "store", "restore", backup)
	v.launches[2].args = []string{fmt.Sprintf("validator.listen=127.0.0.1:%d", freePorts(t, 1)),
		fmt.Sprintf("validator.peers=[%q]", strings.TrimSpace(id0)+"@"+v.listen(0)),
		// The settings still contain the header from a join with a snapshot, which belongs to the
		// previous validators.
		"validator.trust_height=9", "validator.trust_hash=" + strings.Repeat("A1", 32), `validator.trust_servers=["http://127.0.0.1:9","http://127.0.0.1:9"]`}
	genesis := withValidators(t, filepath.Join(v.launches[0].dir, genesisPath), v.entry(1), v.entry(2))
	for _, l := range v.launches {
		require.NoError(t, os.WriteFile(filepath.Join(l.dir, genesisPath), genesis, 0o600))
	}
	for i := range v.launches {
		v.start(i)
	}
	for i := range v.nodes {
		require.GreaterOrEqual(t, v.nodes[i].height(), height)
		require.Equal(t, first, v.nodes[i].raw("getblockhash", 2))
		pay(i, 0, 1, 2)
		v.agree()
	}
	for _, n := range v.nodes {
		n.requireStored(sent)
	}

	v.nodes[2].kill()
	height = v.nodes[0].height()
	var id string
	v.nodes[0].call(&id, "sendtoaddress", v.nodes[0].address(), 1)
	require.Never(t, func() bool { return v.nodes[0].height() > height }, 3*time.Second, 100*time.Millisecond, "two of three are not enough")
	v.start(2)
	v.reach(height+1, 0, 1, 2)
}

// genesisPath is the path of the validators' genesis in a data folder.
var genesisPath = filepath.Join("cometbft", "config", "genesis.json")

// withValidators returns a genesis with more validators.
func withValidators(t testing.TB, path string, entries ...json.RawMessage) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(content, &fields))
	var all []json.RawMessage
	require.NoError(t, json.Unmarshal(fields["validators"], &all))
	require.Len(t, all, 1)
	fields["validators"], err = json.Marshal(append(all, entries...))
	require.NoError(t, err)
	content, err = json.MarshalIndent(fields, "", "  ")
	require.NoError(t, err)
	return content
}

// must runs a command on a node's data folder, and returns its output.
func (v *validators) must(i int, args ...string) string {
	v.t.Helper()
	out := v.launches[i].run(v.t, v.launches[i].command(args...))
	require.Zero(v.t, out.code, out.stderr)
	return out.stdout
}

// entry returns a node's entry for the validators in the genesis.
func (v *validators) entry(i int) json.RawMessage {
	v.t.Helper()
	var printed struct{ Validator json.RawMessage }
	require.NoError(v.t, json.Unmarshal([]byte(v.must(i, "validator", "show")), &printed))
	return printed.Validator
}

// listen returns the address at which the other validators reach a node.
func (v *validators) listen(i int) string {
	v.t.Helper()
	content, err := os.ReadFile(filepath.Join(v.launches[i].dir, "obverse.json"))
	require.NoError(v.t, err)
	var settings struct{ Validator struct{ Listen string } }
	require.NoError(v.t, json.Unmarshal(content, &settings))
	require.NotEmpty(v.t, settings.Validator.Listen)
	return settings.Validator.Listen
}
