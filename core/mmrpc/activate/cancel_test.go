package activate_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/cosmos/nodetest"
)

// TestCancelledActivation checks that an activation ends when it is cancelled or its client
// disconnects, even if its nodes do not answer, and that the next activation of the coin does
// not wait for it.
func TestCancelledActivation(t *testing.T) {
	kv := mmrpctest.MemoryKV(t)
	synctest.Test(t, func(t *testing.T) {
		b := servertest.OpenChainsBench(t, kv)
		b.Running(t)
		tasks := task.New()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- tasks.Run(ctx) }()
		defer func() {
			cancel()
			require.ErrorIs(t, <-ended, context.Canceled)
		}()
		s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, activate.Cosmos{Activator: b.Activator, Tasks: tasks}, activate.Coins{Active: b.Active})
		ask := func(ctx context.Context, method, params string) string {
			_, reply := s.Serve(ctx, mmrpctest.Here, []byte(mmrpctest.Request(method, params)))
			return string(reply)
		}
		const enable, params = "enable_tendermint_with_assets", `{"ticker":"IRIS","tokens_params":[],"nodes":[{"url":"` + servertest.IrisURL + `"}]}`
		well := nodetest.Well(b.Iris)
		silent := func(begin func(), end func()) {
			t.Helper()
			b.Net.Set(servertest.IrisURL, nodetest.Hangs)
			began := time.Now()
			begin()
			synctest.Wait()
			b.Net.Set(servertest.IrisURL, well)
			end()
			require.Contains(t, ask(t.Context(), enable, params), `"ticker":"IRIS"`)
			require.Zero(t, time.Since(began), "no caller waited")
			require.Contains(t, ask(t.Context(), "disable_coin", `{"coin":"IRIS"}`), `"coin":"IRIS"`)
		}
		silent(func() {
			require.Contains(t, ask(t.Context(), "task::enable_tendermint::init", params), `"task_id":1`)
		}, func() {
			require.Contains(t, ask(t.Context(), "task::enable_tendermint::cancel", `{"task_id":1}`), `"result":"success"`)
		})
		var gone func()
		reply := make(chan string, 1)
		silent(func() {
			call := rpc.WithTransport(t.Context(), rpc.Transport{Unread: func(do func()) func() bool { gone = do; return func() bool { return true } }})
			go func() { reply <- ask(call, enable, params) }()
		}, func() {
			gone()
			require.Contains(t, <-reply, `"error_type"`, "its client has hung up")
		})
		silent(func() {
			require.Contains(t, ask(t.Context(), "task::enable_tendermint::init", params), `"task_id":2`)
		}, func() {
			require.Contains(t, ask(t.Context(), "disable_coin", `{"coin":"IRIS"}`), `"error_type":"NoSuchCoin"`)
		})
	})
}
