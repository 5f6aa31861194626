package e2e

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/nft/nfttest"
	"obverse/native/test/contracts"
	"obverse/native/test/porttest"
)

// demo is the setup of `make demo`: an EVM network with tokens and NFTs, an indexer with
// the service against spam, and two nodes. The second listens for Lightning nodes.
type demo struct {
	world     *nftWorld
	token     string // contract of SIX-ERC20
	one, two  launch
	lightning int // port of the second node
}

func newDemo(t *testing.T) *demo {
	t.Helper()
	d := &demo{world: newNFTWorld(t), one: newLaunch(t), two: newLaunch(t, "lightning_ip=127.0.0.1"), lightning: porttest.Free(t)}
	w := d.world
	d.token = w.network.Deploy(contracts.Token20, 6)
	w.network.Do(d.token, "mint(address,uint256)", w.address, 12_345_678)
	w.network.Give(w.address, big.NewInt(2_500_000_000_000_000_000))
	spam := w.URL + "/meta/21"
	w.Documents[spam] = nfttest.Answer{Body: []byte(`{"name":"Claim your prize at win.example"}`)}
	w.network.Do(w.pictures, "mint(address,uint256,string)", w.address, 21, spam)
	d.one.coins(t, fmt.Sprintf(`[{"coin":"SIX-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":%q}}}]`, d.token))
	d.one.configure(t, passphrase)
	d.two.configure(t, "another passphrase for Lightning")
	d.one.start(t)
	d.two.start(t)
	return d
}

// configure writes the secrets into the config, where `obverse call` finds them too.
func (l *launch) configure(t *testing.T, phrase string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"passphrase": phrase, "rpc_password": rpcPassword, "log_level": "warn",
		"nft": map[string]any{"private_hosts": []string{"127.0.0.1"}}, "daemon": map[string]any{"rpcpassword": daemonPassword}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(l.dir, "obverse.json"), text, 0o600))
	l.env = nil
}

// lines returns the commands to try, one per line, for a program at a path.
func (d *demo) lines(program string) []string {
	w := d.world
	with := strings.NewReplacer("PROGRAM", program, "ONE", d.one.dir, "TWO", d.two.dir, "NETWORK", w.network.URL, "INDEXER", w.URL,
		"PICTURES", w.pictures, "SWAP", swapContract, "RECIPIENT", recipient, "PORT", fmt.Sprint(d.lightning))
	return strings.Split(strings.TrimSpace(with.Replace(demoLines)), "\n")
}

// A task's status is polled until the task ends, and is still available afterwards.
const demoLines = `
one() { 'PROGRAM' call --datadir 'ONE' "$@"; }
two() { 'PROGRAM' call --datadir 'TWO' "$@"; }

# An EVM network: coins, a token, a transaction
one enable_eth_with_tokens '{"ticker":"ETH","nodes":[{"url":"NETWORK"}],"swap_contract_address":"SWAP","erc20_tokens_requests":[{"ticker":"SIX-ERC20"}]}'
SIGNED=$(one withdraw '{"coin":"SIX-ERC20","to":"RECIPIENT","amount":"1.5"}'); echo "$SIGNED"
HEX=$(echo "$SIGNED" | sed -n 's/.*"tx_hex": "\(.*\)",/\1/p')
one send_raw_transaction '{"coin":"SIX-ERC20","tx_hex":"'$HEX'","required_confirmations":1}'
one my_balance '{"coin":"SIX-ERC20"}'

# Its NFTs
one enable_nft '{"ticker":"NFT_ETH","activation_params":{"provider":{"type":"Indexer","info":{"url":"INDEXER"}}}}'
NFT='"chain":"ETH","token_address":"PICTURES","token_id":"14"'
one refresh_nft_metadata "{$NFT,\"url\":\"INDEXER\",\"url_antispam\":\"INDEXER\"}"
one get_nft_metadata "{$NFT}"
one get_nft_image "{$NFT}"
one update_nft '{"chains":["ETH"],"url":"INDEXER","url_antispam":"INDEXER"}'
one get_nft_list '{"chains":["ETH"],"filters":{"exclude_spam":true}}' | tail -3
one get_nft_list '{"chains":["ETH"],"protect_from_spam":true}' | grep redacted

# Lightning: the second node listens, the first connects to it
two task::enable_lightning::init '{"ticker":"tBTC-lightning","activation_params":{"name":"two","listening_port":PORT}}'
while two task::enable_lightning::status '{"task_id":1,"forget_if_finished":false}' | grep InProgress; do sleep 1; done
one task::enable_lightning::init '{"ticker":"tBTC-lightning","activation_params":{"name":"one"}}'
while one task::enable_lightning::status '{"task_id":1,"forget_if_finished":false}' | grep InProgress; do sleep 1; done
ID=$(two lightning::nodes::list_peers '{"coin":"tBTC-lightning"}' | sed -n 's/.*"own_node_id": "\(.*\)",/\1/p')
one lightning::nodes::connect_to_node '{"coin":"tBTC-lightning","node_address":"'$ID'@127.0.0.1:PORT"}'
one lightning::nodes::list_peers '{"coin":"tBTC-lightning"}'
two lightning::nodes::list_peers '{"coin":"tBTC-lightning"}'
one lightning::nodes::disconnect '{"coin":"tBTC-lightning","node_id":"'$ID'"}'
`

// TestDemo runs the lines that `make demo` prints in a shell; each must succeed. If OBVERSE_DEMO is
// the path of the program, the test runs the demo with it until it is stopped.
func TestDemo(t *testing.T) {
	if program := os.Getenv("OBVERSE_DEMO"); program != "" {
		showDemo(t, program)
		return
	}
	lines := newDemo(t).lines(binary)
	shell := exec.Command("bash", "--norc", "-c", "set -eo pipefail\n"+strings.Join(lines, "\n"))
	shell.Dir = t.TempDir()
	shell.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + shell.Dir}
	var stdout, stderr strings.Builder
	shell.Stdout, shell.Stderr = &stdout, &stderr
	require.NoError(t, shell.Run(), "%s\n%s", stdout.String(), stderr.String())
	for _, part := range []string{`"SIX-ERC20": {`, `"tx_hash": `, `"confirmations": 1`, `"balance": "10.845678"`, `"platform_coin": "ETH"`,
		`"Lighthouse"`, `"image/gif"`, `"total": 2`, "URL redacted for user protection", "Connected successfully to node", `"state": "connected"`,
		`"inbound": true`, `"disconnected_node"`} {
		require.Contains(t, stdout.String(), part)
	}
	left, err := os.ReadDir(shell.Dir)
	require.NoError(t, err)
	require.Empty(t, left, "the lines leave no file behind")
}

func showDemo(t *testing.T, program string) {
	t.Helper()
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(ended)
	d := newDemo(t)
	fmt.Printf("An EVM network answers at %s, an indexer of NFTs at %s, and two nodes run.\n"+
		"Paste these lines into another terminal, in their order. Ctrl-C here ends everything and removes its files.\n\n%s\n\n",
		d.world.network.URL, d.world.URL, strings.Join(d.lines(program), "\n"))
	<-ended
}
