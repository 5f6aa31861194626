// Package anvil runs a real EVM network for tests: anvil of Foundry, from the npm package that
// `make peer` installs. Its accounts are unlocked, so that a test can deploy contracts and send
// coins. Only tests use it.
//
// Invariant: the process of the network does not outlive the test that started it.
package anvil

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/text"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/native/test/contracts"
	"obverse/native/test/npmprocess"
)

// Network is a running network that makes a block for each transaction.
type Network struct {
	URL   string
	Chain uint64 // chain id
	t     testing.TB
}

// Rich is an account with 10,000 coins that sends transactions for tests.
const Rich = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"

// patience is the maximum time to wait for the network, on a loaded machine.
const timeout = time.Minute

var ready = regexp.MustCompile(`^Listening on (127\.0\.0\.1:\d+)`)

// Start runs a network with a chain id until the test ends. Further arguments are passed to anvil.
func Start(t testing.TB, chain uint64, arguments ...string) *Network {
	t.Helper()
	if testing.Short() {
		t.Skip("a short run starts no anvil")
	}
	const npmPackage = "@foundry-rs/anvil-linux-amd64"
	program := filepath.Join(npmprocess.Folder(t, "test/anvil", npmPackage), "node_modules", filepath.FromSlash(npmPackage), "bin", "anvil")
	command := exec.Command(program, append([]string{"--host", "127.0.0.1", "--port", "0", "--chain-id", fmt.Sprint(chain)}, arguments...)...)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	at := make(chan string, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if found := ready.FindStringSubmatch(lines.Text()); found != nil {
				at <- found[1]
			}
		}
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill() // the process may have ended
		<-ended
		_ = command.Wait() // the error reports the signal
	})
	select {
	case host := <-at:
		return &Network{URL: "http://" + host, Chain: chain, t: t}
	case <-ended:
		require.FailNow(t, "anvil ended")
	case <-time.After(timeout):
		require.FailNow(t, "anvil does not listen")
	}
	return nil
}

// Ask calls a JSON-RPC method and fails the test if the call fails.
func (n *Network) Ask(method string, params ...any) json.RawMessage {
	n.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": append([]any{}, params...)})
	require.NoError(n.t, err)
	response, err := http.Post(n.URL, "application/json", bytes.NewReader(body))
	require.NoError(n.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(n.t, err)
	var answer struct{ Result, Error json.RawMessage }
	require.NoError(n.t, json.Unmarshal(text, &answer))
	require.Empty(n.t, answer.Error, "%s %v", method, params)
	return answer.Result
}

// Mine makes the given number of blocks.
func (n *Network) Mine(blocks int) {
	n.t.Helper()
	n.Ask("anvil_mine", text.HexNumber(big.NewInt(int64(blocks))))
}

// Give sets the coins of an account, in the smallest unit.
func (n *Network) Give(account string, wei *big.Int) {
	n.t.Helper()
	n.Ask("anvil_setBalance", account, text.HexNumber(wei))
}

// receipt is the result of a mined transaction.
type receipt struct {
	Status   string
	Contract string `json:"contractAddress"`
}

// send sends data from Rich to a contract, or deploys a contract if to is "", and waits for its
// block.
func (n *Network) send(to string, data []byte) receipt {
	n.t.Helper()
	transaction := map[string]any{"from": Rich, "data": text.Hex(data)}
	if to != "" {
		transaction["to"] = to
	}
	var hash string
	require.NoError(n.t, json.Unmarshal(n.Ask("eth_sendTransaction", transaction), &hash))
	var done *receipt
	require.Eventually(n.t, func() bool {
		require.NoError(n.t, json.Unmarshal(n.Ask("eth_getTransactionReceipt", hash), &done))
		return done != nil
	}, timeout, 10*time.Millisecond)
	require.Equal(n.t, "0x1", done.Status, "the transaction failed")
	return *done
}

// Deploy deploys a contract and returns its address, with the checksum of EIP-55.
func (n *Network) Deploy(contract string, arguments ...any) string {
	n.t.Helper()
	code, err := contracts.Code(contract, encode(n.t, arguments)...)
	require.NoError(n.t, err)
	a, err := address.Parse(n.send("", code).Contract)
	require.NoError(n.t, err)
	return a.String()
}

// Do calls a function of a contract by its signature, such as "mint(address,uint256,string)".
// Arguments are addresses as strings with the prefix 0x, other strings, *big.Int and int.
func (n *Network) Do(contract, signature string, arguments ...any) {
	n.t.Helper()
	sum := address.Keccak([]byte(signature))
	n.send(contract, append(sum[:4], encode(n.t, arguments)...))
}

// encode encodes arguments. Strings that are not addresses are encoded after the other arguments.
func encode(t testing.TB, arguments []any) (head []byte) {
	t.Helper()
	var tail []byte
	put := func(w abi.Word) { head = append(head, w[:]...) }
	for _, argument := range arguments {
		switch v := argument.(type) {
		case int:
			put(abi.Uint(big.NewInt(int64(v))))
		case *big.Int:
			put(abi.Uint(v))
		case string:
			if a, err := address.Parse(v); err == nil {
				put(abi.Address(a))
				continue
			}
			put(abi.Uint(big.NewInt(int64(32*len(arguments) + len(tail)))))
			length := abi.Uint(big.NewInt(int64(len(v))))
			tail = append(append(tail, length[:]...), v...)
			for len(tail)%32 != 0 {
				tail = append(tail, 0)
			}
		default:
			require.Fail(t, "no argument of a contract", "%T", argument)
		}
	}
	return append(head, tail...)
}
