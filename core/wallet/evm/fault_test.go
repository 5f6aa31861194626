package evm

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
)

// ill returns nodes that do not work, with the expected errors.
func ill(b *bench) map[string]struct {
	node   network.Behaviour
	reason string
} {
	type host = struct {
		node   network.Behaviour
		reason string
	}
	return map[string]host{
		"dead":              {network.Dead, "unreachable: connection refused"},
		"silent":            {network.Hangs, "timed out after 15s"},
		"a web page":        {network.Says(200, "<!DOCTYPE html><html>"), "responds with an HTML page"},
		"a page with error": {network.Says(502, "<html>"), "HTTP status 502"},
		"no JSON":           {network.Says(200, "hello"), "invalid response"},
		"nothing":           {network.Says(200, ""), "invalid response"},
		"huge":              {network.Says(200, strings.Repeat("x", 50<<20)), "response too large"},
		"busy":              {network.Busy(30), "HTTP status 429: too many requests, retry after 30s"},
		"redirecting":       {network.Says(301, ""), "responds with a redirect"},
		"another network":   {b.matic.Well, `chain id is "137", want "1"`},
		"no Ethereum":       {network.Says(200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`), "does not match the request"},
		"refusing":          {network.Says(403, `{"error":"forbidden"}`), "HTTP status 403"},
		"a number for id":   {network.Says(200, `{"jsonrpc":"2.0","id":0,"result":"0x1"}`), "does not match the request"},
	}
}

// TestActivationThatIsDisabled checks that an activation whose node does not answer ends at
// once when the coin is disabled.
func TestActivationThatIsDisabled(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		b.net.Set(ethURL, network.Hangs)
		began := time.Now()
		var group sync.WaitGroup
		group.Go(func() {
			_, err := b.Activate(t.Context(), eth())
			require.ErrorIs(t, err, coin.ErrDisabled)
		})
		synctest.Wait()
		_, err := b.Active.Disable(t.Context(), "ETH", true)
		require.ErrorIs(t, err, coin.ErrNotActive)
		group.Wait()
		require.Equal(t, began, time.Now(), "no caller waited")
	})
}

// TestFaults checks that an activation with only a faulty node fails and changes nothing, and
// that an activation with working nodes excludes and reports the faulty one. A single working node
// does not decide on the decimals of a token.
func TestFaults(t *testing.T) {
	for name := range ill(newBench(t)) {
		t.Run(name, func(t *testing.T) {
			kv := bunttest.Memory(t)
			synctest.Test(t, func(t *testing.T) {
				b := openBench(t, kv)
				host := ill(b)[name]
				b.net.Set("https://ill.example/", host.node)
				p := eth("SIX-ERC20")
				p.Nodes = at("https://ill.example")
				_, err := b.Activate(t.Context(), p)
				require.ErrorIs(t, err, coin.ErrTransport)
				require.True(t, strings.HasPrefix(err.Error(), "Failed to get client version for all nodes (https://ill.example: "), err.Error())
				require.ErrorContains(t, err, host.reason)
				require.Less(t, len(err.Error()), 500)
				require.Empty(t, b.active())

				p.Nodes = at("https://ill.example", ethURL, "https://well.example")
				b.net.Set("https://well.example/", b.eth.Well)
				begin := time.Now()
				done, err := b.Activate(t.Context(), p)
				require.NoError(t, err)
				require.LessOrEqual(t, time.Since(begin), 2*time.Second)
				require.Equal(t, walletAddress+" at 100: 2.500000000000000001, SIX-ERC20 12.345678", done.show())
				require.Len(t, b.out, 1)
				require.True(t, strings.HasPrefix(b.out[0], "ETH https://ill.example: "))

				p.Nodes, begin = at("https://ill.example", ethURL), time.Now()
				_, err = b.Active.Disable(t.Context(), "ETH", true)
				require.NoError(t, err)
				done, err = b.Activate(t.Context(), p)
				require.NoError(t, err)
				want, limit := []string{"ETH"}, 2*time.Second
				switch name {
				case "another network", "dead": // this server does not count
					want = append(want, "SIX-ERC20")
				case "silent":
					limit += nodepool.LightTimeout
				}
				require.Equal(t, want, b.active())
				require.LessOrEqual(t, time.Since(begin), limit)
				if len(want) == 1 {
					require.Len(t, done.Failed, 1)
					require.ErrorIs(t, done.Failed[0].Err, nodepool.ErrAlone)
				}
			})
		})
	}
}

// A node that fails later is skipped by the next query.
func TestFaultsLater(t *testing.T) {
	for name := range ill(newBench(t)) {
		t.Run(name, func(t *testing.T) {
			kv := bunttest.Memory(t)
			synctest.Test(t, func(t *testing.T) {
				b := openBench(t, kv)
				host := ill(b)[name]
				b.net.Set("https://ill.example/", b.eth.Well)
				p := eth("SIX-ERC20")
				p.Nodes = at("https://ill.example", ethURL)
				_, err := b.Activate(t.Context(), p)
				require.NoError(t, err)
				if name == "another network" {
					host.node = network.Dead // the node reports this in its health check
				}
				b.net.Set("https://ill.example/", host.node)
				time.Sleep(3 * time.Second)
				c := get[*Token](t, b, "SIX-ERC20")
				begin := time.Now()
				balance, err := c.Balance(t.Context())
				require.NoError(t, err)
				require.Equal(t, "12.345678", balance.Spendable.String())
				require.LessOrEqual(t, time.Since(begin), 2*time.Second)

				b.net.Set(ethURL, network.Dead)
				time.Sleep(3 * time.Second)
				_, err = c.Balance(t.Context())
				require.ErrorIs(t, err, coin.ErrTransport)
				require.ErrorContains(t, err, "All the current rpc nodes are unavailable. (")
				require.ErrorContains(t, err, "https://eth.example: unreachable")
			})
		})
	}
}

// Invalid numbers make a node fail.
func TestInvalidNumbers(t *testing.T) {
	for name, c := range map[string]struct{ from, to, reason string }{
		"a balance beyond 256 bits": {`"0x22b1c8c1227a0001"`, `"0x1` + strings.Repeat("0", 64) + `"`, "more than 256 bits"},
		"a balance below 0":         {`"0x22b1c8c1227a0001"`, `"-0x5"`, "invalid quantity"},
		"a balance in decimals":     {`"0x22b1c8c1227a0001"`, `"2500000000000000001"`, "invalid quantity"},
		"a number of 62 bits":       {`"0x22b1c8c1227a0001"`, `2500000000000000001`, "unexpected value of type number"},
		"a fraction":                {`"0x22b1c8c1227a0001"`, `5.5`, "unexpected value of type number"},
		"null":                      {`"0x22b1c8c1227a0001"`, `null`, "neither result nor error"},
		"a height of 80 bits":       {`"result":"0x64"`, `"result":"0x1` + strings.Repeat("0", 20) + `"`, "more than 63 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.Activate(t.Context(), eth())
			require.NoError(t, err)
			b.net.Set(ethURL, func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
				answer, err := b.eth.Well(ctx, r)
				answer.Body = []byte(strings.Replace(string(answer.Body), c.from, c.to, 1))
				return answer, err
			})
			platform := get[*Platform](t, b, "ETH")
			platform.nodes.Invalidate()
			_, err = platform.Balance(t.Context())
			require.ErrorIs(t, err, coin.ErrTransport)
			require.ErrorContains(t, err, c.reason)
		})
	}
}

// The end of a caller's context ends the query, and is not a failure of the nodes.
func TestCancel(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		b.net.Set(ethURL, network.Hangs)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := b.Activate(ctx, eth())
			ended <- err
		}()
		synctest.Wait()
		cancel()
		err := <-ended
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, b.active())
		begin := time.Now()
		late, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err = b.Activate(late, eth())
		require.ErrorIs(t, err, coin.ErrTransport)
		require.Equal(t, 3*time.Second, time.Since(begin))
		require.ErrorContains(t, err, "https://eth.example: timed out")
	})
}

// A thousand concurrent equal queries share one request.
func TestConcurrentQuestionsAreMerged(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		_, err := b.Activate(t.Context(), eth())
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		before := b.eth.Requests()
		platform := get[*Platform](t, b, "ETH")
		errs := make(chan error, 1000)
		for range 1000 {
			go func() {
				balance, err := platform.Balance(t.Context())
				if err == nil && balance.Spendable.String() != "2.500000000000000001" {
					err = fmt.Errorf("balance %s", balance.Spendable)
				}
				errs <- err
			}()
		}
		for range 1000 {
			require.NoError(t, <-errs)
		}
		require.Equal(t, 1, b.eth.Requests()-before)
	})
}
