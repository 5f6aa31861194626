package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/net/fetch"
	"obverse/core/rpc"
	"obverse/core/wallet/cosmos/nodetest"
	evmtest "obverse/core/wallet/evm/nodetest"
)

// slowToAnswer returns a node whose server accepts a transaction immediately, but does not
// answer until the test permits it.
func slowToAnswer(t *testing.T) (x *hdNode, taken chan struct{}, answer chan struct{}) {
	t.Helper()
	x = &hdNode{t: t, eth: evmtest.New(1, 100).Give(junk0, "500000000000000000").Nonce(junk0, 5),
		hub: nodetest.Open(t, filepath.Join("..", "..", "wallet", "cosmos", "testdata"), "gaiad")}
	taken, answer = make(chan struct{}), make(chan struct{})
	network := nodetest.NewNet()
	network.Set(ethURL, func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		response, err := x.eth.Well(ctx, r)
		if bytes.Contains(r.Body, []byte("eth_sendRawTransaction")) {
			taken <- struct{}{}
			select {
			case <-answer:
			case <-ctx.Done():
				return fetch.Response{}, ctx.Err()
			}
		}
		return response, err
	})
	c := settingsOf(junkPhrase)
	c.EnableHD = true
	x.n = newNode(t, c, core.Platform{Fetch: network})
	run(t, x.n)
	x.done("task::enable_eth", `{"ticker":"ETH","nodes":[{"url":"`+ethURL+`"}],"swap_contract_address":"`+evmSwaps+`","erc20_tokens_requests":[]}`)
	return x, taken, answer
}

// TestCancelAfterSending checks that a task cannot be cancelled once a server has its
// transaction: the error names the transaction, and the status returns the result.
func TestCancelAfterSending(t *testing.T) {
	x, taken, answer := slowToAnswer(t)
	started := x.ok("task::withdraw::init", `{"coin":"ETH","to":"`+somebodyOnEth+`","amount":"0.1","broadcast":true}`)
	require.Contains(t, started, `"task_id"`)
	var id struct {
		Task int `json:"task_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(started), &id))
	task := fmt.Sprintf(`{"task_id":%d}`, id.Task)
	<-taken
	require.Equal(t, []uint64{5}, x.eth.Nonces(junk0))
	x.refused("task::withdraw::cancel", task, 409, "TaskFinished", fmt.Sprintf(`"error_data":%d`, id.Task))
	_, reply := x.call("task::withdraw::cancel", task)
	require.Contains(t, reply, `"error":"Task is finished already: task`)
	require.Contains(t, reply, "was given to a server")
	require.Contains(t, x.ok("task::withdraw::status", task), `"InProgress"`)
	close(answer)
	var status string
	require.Eventually(t, func() bool {
		status = x.ok("task::withdraw::status", `{"forget_if_finished":false,`+task[1:])
		return !bytes.Contains([]byte(status), []byte("InProgress"))
	}, time.Minute, time.Millisecond)
	var done struct {
		Status  string
		Details struct {
			Hash string `json:"tx_hash"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(status), &done), status)
	require.Equal(t, "Ok", done.Status)
	require.Contains(t, reply, done.Details.Hash, "the refusal to cancel names the transaction")
	require.Equal(t, []uint64{5}, x.eth.Nonces(junk0))
}

// TestHangUpAfterSending checks a call whose client disconnects while a server has the
// transaction: the error names the transaction, and a repeated call uses the same nonce, since
// the client does not know that the transaction was accepted.
func TestHangUpAfterSending(t *testing.T) {
	x, taken, answer := slowToAnswer(t)
	ctx, hangUp := context.WithCancel(t.Context())
	withdraw := func(ctx context.Context, amount string) string {
		request := `{"mmrpc":"2.0","userpass":"` + statesUser + `","method":"withdraw","params":{"coin":"ETH","to":"` + somebodyOnEth + `","amount":"` + amount + `","broadcast":true}}`
		_, reply := x.n.RPC(ctx, rpc.Caller{Local: true}, []byte(request))
		return string(reply)
	}
	ended := make(chan string)
	go func() { ended <- withdraw(ctx, "0.1") }()
	<-taken
	hangUp()
	require.Regexp(t, "transaction [0-9a-f]{64} may have been sent", <-ended)
	close(answer)
	go func() { <-taken }()
	require.Contains(t, withdraw(t.Context(), "0.2"), "replacement transaction underpriced")
	require.Equal(t, []uint64{5}, x.eth.Nonces(junk0))
	x.eth.Mine()
	go func() { <-taken }()
	require.Contains(t, withdraw(t.Context(), "0.2"), `"tx_hash":`)
	require.Equal(t, []uint64{6}, x.eth.Nonces(junk0))
}
