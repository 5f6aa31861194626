package cli

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/evm/nodetest"
	"obverse/native/node"
	"obverse/native/settings"
	"obverse/native/test/vectorservers"
)

// machine is a home folder with the program, in which commands are run.
type machine struct {
	home string
	env  []string
}

// newMachine returns a machine that contains only the program, as bin/obverse.
func newMachine(t *testing.T, env ...string) *machine {
	t.Helper()
	m := &machine{home: t.TempDir(), env: env}
	require.NoError(t, os.Mkdir(filepath.Join(m.home, "bin"), 0o700))
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(m.home, "bin", "obverse")))
	return m
}

func (m *machine) typed(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = m.home
	cmd.Env = append(append(os.Environ(), asProgramEnv+"=1", "HOME="+m.home, "OBVERSE_DATADIR="), m.env...)
	return cmd
}

// do runs a line, which must succeed.
func (m *machine) do(t *testing.T, line string) string {
	t.Helper()
	out, err := m.typed(line).CombinedOutput()
	require.NoError(t, err, "%s\n%s", line, out)
	return string(out)
}

// serve runs the line that starts a node, with free ports.
func (m *machine) serve(t *testing.T, line string) *nodeProcess {
	t.Helper()
	return begun(t, m.typed("exec "+line+" rpcport=0 daemon.rpcport=0"))
}

// linesOf returns the lines of the shell block below a heading.
func linesToType(t *testing.T, heading string) (lines []string) {
	t.Helper()
	_, text, found := strings.Cut(documents(t)[filepath.Join("native", "docs", "operations.md")], "\n"+heading+"\n")
	require.True(t, found, heading)
	block := regexp.MustCompile("(?s)```sh\n(.*?)```\n").FindStringSubmatch(text)
	require.NotNil(t, block, heading)
	for line := range strings.Lines(block[1]) {
		line, _, _ = strings.Cut(line, " # ")
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

const startLine = "bin/obverse serve"

// TestDrill runs the lines of the document: it makes a backup, deletes everything, and restores the
// chain on an empty machine.
func TestDrill(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(secret, []byte(walletWord), 0o600))
	for name, env := range map[string][]string{"a plain passphrase": nil, "a wallet with a password": {"OBVERSE_WALLET_PASSWORD_FILE=" + secret}} {
		t.Run(name, func(t *testing.T) {
			old := newMachine(t, env...)
			n := old.serve(t, startLine+" -regtest")
			old.do(t, "bin/obverse call generate 7")
			want := old.do(t, "bin/obverse call getbestblockhash")
			for _, line := range linesToType(t, "### Make a backup") {
				old.do(t, line)
			}
			old.do(t, "bin/obverse call generate 1")
			n.stop(t)

			empty := newMachine(t, env...)
			require.NoError(t, os.Rename(filepath.Join(old.home, "copies"), filepath.Join(empty.home, "copies")))
			require.NoError(t, os.RemoveAll(old.home))
			lines := linesToType(t, "### Restore it on an empty machine")
			require.Equal(t, startLine, lines[len(lines)-1])
			for _, line := range lines[:len(lines)-1] {
				empty.do(t, line)
			}
			n = empty.serve(t, startLine)
			require.Equal(t, want, empty.do(t, "bin/obverse call getbestblockhash"))
			require.Contains(t, empty.do(t, "bin/obverse call getblockcount"), "7")
			n.stop(t)
			empty.do(t, "bin/obverse store check")
		})
	}
}

// TestMissingStore checks that a missing chain is reported, and not replaced with a new one.
func TestMissingStore(t *testing.T) {
	missing := func(t *testing.T, m *machine, path string) {
		t.Helper()
		out := requireExit(t, exitUsage, m.typed(startLine+" rpcport=0 daemon.rpcport=0"))
		require.Contains(t, out, path+" is missing")
		require.Contains(t, out, "--new-chain")
		require.NoFileExists(t, path)
	}
	t.Run("a wallet", func(t *testing.T) {
		m, other := newMachine(t, "OBVERSE_WALLET_PASSWORD="+walletWord), newMachine(t, "OBVERSE_WALLET_PASSWORD="+walletWord)
		m.serve(t, startLine).stop(t)
		stores, err := filepath.Glob(filepath.Join(m.home, ".obverse", strings.Repeat("[0-9a-f]", 40), node.StoreFile))
		require.NoError(t, err)
		require.Len(t, stores, 1)
		home := filepath.Join(m.home, ".obverse")

		other.do(t, "mkdir .obverse && cp "+home+"/"+settings.FileName+" .obverse/")
		out := requireExit(t, exitUsage, other.typed(startLine+" rpcport=0 daemon.rpcport=0"))
		require.Contains(t, out, filepath.Join(other.home, ".obverse", "wallet.json")+" of the wallet")
		require.NoFileExists(t, filepath.Join(other.home, ".obverse", "wallet.json"), "no other wallet is made")
		out = requireExit(t, exitUsage, other.typed("bin/obverse store restore "+stores[0]))
		require.Contains(t, out, "wallet.json")
		other.do(t, "cp "+home+"/wallet.json .obverse/")
		missing(t, other, filepath.Join(other.home, ".obverse", filepath.Base(filepath.Dir(stores[0])), node.StoreFile))

		// The store is in a folder in which the node does not look for it.
		other.do(t, "cp "+stores[0]+" .obverse/"+node.StoreFile)
		unused := filepath.Join(other.home, ".obverse", node.StoreFile)
		out = requireExit(t, exitUsage, other.typed(startLine+" rpcport=0 daemon.rpcport=0"))
		require.Contains(t, out, unused+" is not used")
		for _, command := range []string{"check", "backup copy"} {
			out = requireExit(t, exitFailure, other.typed("bin/obverse store "+command))
			require.Contains(t, out, unused+" is not used")
		}
		other.env = nil
		out = requireExit(t, exitUsage, other.typed("bin/obverse store restore "+stores[0]))
		require.Contains(t, out, "OBVERSE_WALLET_PASSWORD_FILE")
		other.env = m.env
		other.do(t, "mv .obverse/"+node.StoreFile+" copy && bin/obverse store restore copy")
		other.serve(t, startLine).stop(t)
	})
}

const apiKey = "SECRETAPIKEY123"

// validatorLine returns the line that starts a validator on a free port.
func validatorLine(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return "bin/obverse validator validator.listen=" + listener.Addr().String() + " --datadir "
}

// callNode calls the node API.
func (m *machine) callNode(t *testing.T, folder, call string) string {
	t.Helper()
	return m.do(t, "bin/obverse call --node --datadir "+folder+" "+call)
}

// TestBackupForOthers checks that a backup which another node restores does not pass on the rows of
// the first node.
func TestBackupForOthers(t *testing.T) {
	m := newMachine(t)
	line := validatorLine(t)
	server := vectorservers.ServeChain(t, nodetest.New(1, 20590537)) + "/?apikey=" + apiKey
	giver := m.serve(t, startLine+" --datadir giver")
	m.do(t, "bin/obverse call --datadir giver generate 1")
	tip := m.do(t, "bin/obverse call --datadir giver getbestblockhash")
	enable := `{"ticker":"ETH","nodes":[{"url":"` + server + `"}],"swap_contract_address":"0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80","erc20_tokens_requests":[]}`
	m.callNode(t, "giver", "enable_eth_with_tokens '"+enable+"'")
	identity := strings.TrimSpace(strings.Trim(m.callNode(t, "giver", "get_my_peer_id"), "\"\n"))
	giver.stop(t)
	m.do(t, "bin/obverse validator migrate --datadir giver && bin/obverse store backup whole --datadir giver && bin/obverse store backup --chain chain --datadir giver")
	data, err := os.ReadFile(filepath.Join(m.home, "chain"))
	require.NoError(t, err)
	require.NotContains(t, string(data), apiKey)
	require.False(t, bytes.Contains(data, []byte("N/identity")))
	m.do(t, "bin/obverse store check chain")

	receiver := func(t *testing.T, name string) string {
		m.do(t, "bin/obverse init --datadir "+name+" && mkdir -p "+name+"/cometbft/config && cp giver/cometbft/config/genesis.json "+name+"/cometbft/config/")
		return name
	}
	start := func(t *testing.T, name string) (peer, coins string) {
		n := m.serve(t, line+name)
		defer n.stop(t)
		require.Equal(t, tip, m.do(t, "bin/obverse call --datadir "+name+" getbestblockhash"))
		return m.callNode(t, name, "get_my_peer_id"), m.callNode(t, name, "get_enabled_coins")
	}
	requireKey := func(t *testing.T, name string) {
		peer, coins := start(t, name)
		require.NotContains(t, peer, identity)
		require.NotContains(t, coins, "ETH")
	}
	t.Run("the chain alone", func(t *testing.T) {
		name := receiver(t, "one")
		require.NotContains(t, m.do(t, "bin/obverse store restore chain --datadir one"), "ETH")
		requireKey(t, name)
	})
	t.Run("restored", func(t *testing.T) {
		name := receiver(t, "two")
		out := m.do(t, "bin/obverse store restore whole --datadir two")
		for _, says := range []string{"chain         OBVERSE", "identity      " + identity, "active coins  ETH", "servers       127.0.0.1:", "left out"} {
			require.Contains(t, out, says)
		}
		require.NotContains(t, out, apiKey)
		data, err := os.ReadFile(filepath.Join(m.home, name, node.StoreFile))
		require.NoError(t, err)
		require.NotContains(t, string(data), apiKey)
		requireKey(t, name)
	})
	t.Run("copied by hand", func(t *testing.T) {
		name := receiver(t, "three")
		m.do(t, "cp whole three/"+node.StoreFile)
		requireKey(t, name)
		require.FileExists(t, filepath.Join(m.home, name, node.StoreFile+".replaced-1"), "nothing is lost")
	})
	t.Run("the owner decides", func(t *testing.T) {
		name := receiver(t, "four")
		require.NotContains(t, m.do(t, "bin/obverse store restore --all whole --datadir four"), "left out")
		peer, coins := start(t, name)
		require.Contains(t, peer, identity)
		require.Contains(t, coins, "ETH")
	})
	t.Run("by the giver itself", func(t *testing.T) {
		require.NotContains(t, m.do(t, "bin/obverse store restore whole --datadir giver"), "left out")
		n := m.serve(t, line+"giver")
		defer n.stop(t)
		require.Contains(t, m.callNode(t, "giver", "get_my_peer_id"), identity)
		var coins any
		require.NoError(t, json.Unmarshal([]byte(m.callNode(t, "giver", "get_enabled_coins")), &coins))
	})
}
