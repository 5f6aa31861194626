package cosmos

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/wire"
)

const illURL = "https://key:secret@ill.example/rpc?token=secret"

// ill returns the ways in which a node may be unusable.
func ill(b *bench) map[string]struct {
	is     nodetest.Behaviour
	reason string
} {
	type fault = struct {
		is     nodetest.Behaviour
		reason string
	}
	well := nodetest.Well(b.gaiad)
	return map[string]fault{
		"dead":              {nodetest.Dead, "unreachable: connection refused"},
		"hangs":             {nodetest.Hangs, "timed out after 15s"},
		"another chain":     {nodetest.Well(b.iris), `chain id is "irishub-1", want "cosmoshub-4"`},
		"a web page":        {nodetest.Says(200, "<html><body>Welcome"), "responds with an HTML page"},
		"nothing":           {nodetest.Says(200, ""), "invalid response: empty body"},
		"cut answers":       {nodetest.Cut(well), "invalid response: incomplete or invalid JSON"},
		"too much":          {nodetest.Says(200, string(make([]byte, 2<<20))), "response too large"},
		"error of a server": {nodetest.Says(502, "bad gateway"), "HTTP status 502: bad gateway"},
		"redirect":          {nodetest.Says(301, ""), "responds with a redirect, which is not followed"},
		"too many requests": {nodetest.Busy(30), "HTTP status 429: too many requests, retry after 30s"},
		"another answer":    {nodetest.Says(200, `{"jsonrpc":"2.0","id":"0","result":{}}`), "response id does not match the request"},
	}
}

// An unusable node alone makes an activation fail. If there is a good node too, the unusable
// one is excluded and reported.
func TestNodeFaults(t *testing.T) {
	for name := range ill(newBench(t)) {
		kv, other := bunttest.Memory(t), bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := openBench(t, kv)
				fault := ill(b)[name]
				b.net.Set("https://ill.example/rpc?token=secret", fault.is)
				p := atom("HUGE-IBC_ATOM")
				p.Nodes = at(illURL)
				_, err := b.Activate(t.Context(), p)
				require.ErrorIs(t, err, coin.ErrTransport)
				require.EqualError(t, err, "All the current rpc nodes are unavailable. (https://ill.example/rpc: "+fault.reason+")")
				require.Empty(t, b.active())
				require.Empty(t, b.Active.Saved())

				b = openBench(t, other)
				b.net.Set("https://ill.example/rpc?token=secret", fault.is)
				p.Nodes = at(illURL, atomURL, "https://gone.example")
				begin := time.Now()
				got, err := b.Activate(t.Context(), p)
				require.NoError(t, err)
				require.Equal(t, "123456789012.34567890123456789", got.Tokens[0].Spendable.String())
				require.LessOrEqual(t, time.Since(begin), 2*time.Second, "a node that is slow is not waited for long")
				require.Len(t, b.out, 2)
				if name == "hangs" {
					require.Contains(t, b.out[0], "ATOM https://ill.example/rpc: ")
				} else {
					require.Equal(t, "ATOM https://ill.example/rpc: "+fault.reason, b.out[0])
				}
				require.Equal(t, "ATOM https://gone.example: unreachable: no such host", b.out[1])
			})
		})
	}
}

// TestFaultsAfterTheProbe checks nodes that agree on the chain and fail at later queries.
func TestFaultsAfterTheProbe(t *testing.T) {
	for name, c := range map[string]struct {
		what   string
		is     nodetest.Behaviour
		reason string
	}{
		"height":  {"abci_info", nodetest.Says(500, "oops"), "HTTP status 500"},
		"balance": {wire.PathBalance, nodetest.Says(200, "<html>"), "responds with an HTML page"},
		"too much": {wire.PathBalance, func(context.Context, fetch.Request) (fetch.Response, error) {
			return fetch.Response{}, fetch.ErrTooLarge
		}, "response too large"},
		"another denom": {wire.PathBalance, value(&wire.BalanceResponse{Balance: wire.Coin{Denom: "uosmo", Amount: "5"}}), `denom is "uosmo", want "`},
		"no denom":      {wire.PathBalance, value(&wire.BalanceResponse{}), `denom is "", want "`},
		"a state that is gone": {wire.PathBalance, saysTo(`{"jsonrpc":"2.0","id":"ID","result":{"response":{"code":18,"log":"failed to load state","codespace":"sdk"}}}`),
			"https://atom.example: failed to load state (code 18 of sdk)"},
		"a height below 0": {"abci_info", saysTo(`{"jsonrpc":"2.0","id":"ID","result":{"response":{"last_block_height":"-7"}}}`), "-7 is below 0"},
		"no account":       {wire.PathAccount, value(&wire.AccountResponse{}), "invalid response: no account in the response"},
	} {
		kv, other := bunttest.Memory(t), bunttest.Memory(t)
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := openBench(t, kv)
				b.net.Set(atomURL, nodetest.But(c.what, c.is, nodetest.Well(b.gaiad)))
				_, err := b.Activate(t.Context(), atom("HUGE-IBC_ATOM"))
				require.ErrorIs(t, err, coin.ErrTransport)
				require.ErrorContains(t, err, c.reason)
				require.Empty(t, b.active())

				b = openBench(t, other)
				b.net.Set("https://ill.example/", nodetest.But(c.what, c.is, nodetest.Well(b.gaiad)))
				p := atom("HUGE-IBC_ATOM")
				p.Nodes = at("https://ill.example/", atomURL)
				got, err := b.Activate(t.Context(), p)
				require.NoError(t, err)
				require.Equal(t, "1000.000003", got.Balance.Spendable.String())
			})
		})
	}
}

// value returns a behaviour that answers a query with a message.
func value(m wire.Message) nodetest.Behaviour {
	return func(_ context.Context, r fetch.Request) (fetch.Response, error) {
		return fetch.Response{Status: 200, Body: nodetest.Value(m, r.Body)}, nil
	}
}

// TestBadAmounts checks that a node that returns an invalid amount as a balance is reported, and that
// another node is queried.
func TestBadAmounts(t *testing.T) {
	for _, amount := range []string{"-1", "1.5", "1e6", "x", "999999999999999999999999999999999999999999999999999999999999999999999999999999999"} {
		b := newBench(t)
		ill := nodetest.Open(t, "testdata", "gaiad")
		ill.OnChain("cosmoshub-4")
		ill.Give(atomAddress, "uatom", amount)
		b.net.Set("https://ill.example/", nodetest.Well(ill))
		p := atom()
		p.Nodes = at("https://ill.example")
		_, err := b.Activate(t.Context(), p)
		require.ErrorIs(t, err, coin.ErrTransport, amount)
		require.ErrorContains(t, err, "https://ill.example: invalid response: not an amount of a coin: ")
		require.Empty(t, b.active())
		p.Nodes = at("https://ill.example", atomURL)
		got, err := b.Activate(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, "1000.000003", got.Balance.Spendable.String())
	}
}

// TestAnswersThatWouldCost checks that implausible values of a transfer's gas are rejected,
// since the gas that a node reports is paid for, and that a missing answer about a channel does
// not mean that it is closed.
func TestAnswersThatWouldCost(t *testing.T) {
	send := func(ctx context.Context, p *Platform) (coin.Transaction, error) {
		return p.Withdraw(ctx, coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1)})
	}
	transfer := func(ctx context.Context, p *Platform) (coin.Transaction, error) {
		return p.Withdraw(ctx, coin.WithdrawRequest{To: irisAddress, Amount: number.Int(1), Channel: new(uint64)})
	}
	gas := func(used uint64) nodetest.Behaviour {
		return value(&wire.SimulateResponse{Gas: wire.GasInfo{Used: used}})
	}
	for name, c := range map[string]struct {
		path   string
		ill    nodetest.Behaviour
		call   func(context.Context, *Platform) (coin.Transaction, error)
		reason string
	}{
		"no gas":           {wire.PathSimulate, gas(0), send, "the transaction uses no gas"},
		"too much gas":     {wire.PathSimulate, gas(9_999_999), send, "exceeds the limit of "},
		"all gas there is": {wire.PathSimulate, gas(1<<64 - 1), send, "exceeds the limit of "},
		"no account":       {wire.PathAccount, value(&wire.AccountResponse{}), send, "no account in the response"},
		"an account that is refused": {wire.PathAccount, saysTo(`{"jsonrpc":"2.0","id":"ID","result":{"response":{"code":18,"log":"no state","codespace":"sdk"}}}`),
			send, "https://atom.example: no state (code 18 of sdk)"},
		"no channel": {wire.PathChannel, value(&wire.ChannelResponse{}), transfer, "no channel in the response"},
		"no client":  {wire.PathChannelClient, value(&wire.ChannelClientResponse{}), transfer, "no client in the response"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.net.Set("https://ill.example/", nodetest.Well(b.gaiad))
			p := atom()
			p.Nodes = at(atomURL, "https://ill.example")
			_, err := b.Activate(t.Context(), p)
			require.NoError(t, err)
			platform := get[*Platform](t, b, "ATOM")
			b.net.Set(atomURL, nodetest.But(c.path, c.ill, nodetest.Well(b.gaiad)))
			sent, err := c.call(t.Context(), platform)
			require.NoError(t, err, "the other node returns it")
			require.Negative(t, sent.Fee.Amount.Cmp(number.Int(1)), "%s", sent.Fee.Amount)
			require.Positive(t, sent.Fee.Amount.Sign())
			b.net.Set("https://ill.example/", nodetest.Dead)
			platform.nodes.pool.Invalidate()
			_, err = c.call(t.Context(), platform)
			require.ErrorContains(t, err, c.reason)
			if fee := new(coin.InvalidError); errors.As(err, &fee) {
				require.Equal(t, coin.FieldFee, fee.Field)
				return
			}
			require.ErrorIs(t, err, coin.ErrTransport)
			require.ErrorContains(t, err, "https://atom.example")
		})
	}
}

// A node that has lost blocks is ignored while two others have them.
func TestHeightThatGoesBack(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		b.gaiad.SetHeight(1000)
		behind := nodetest.Open(t, "testdata", "gaiad")
		behind.OnChain("cosmoshub-4")
		behind.Give(atomAddress, "uatom", "1")
		b.net.Set("https://behind.example/", nodetest.Well(behind))
		p := atom()
		b.net.Set("https://other.example/", nodetest.Well(b.gaiad))
		p.Nodes = at("https://behind.example/", atomURL, "https://other.example/")
		got, err := b.Activate(t.Context(), p)
		require.NoError(t, err)
		require.EqualValues(t, 1000, got.Height)
		require.Equal(t, "1000.000003", got.Balance.Spendable.String())

		b.gaiad.SetHeight(3) // all nodes are behind now, and are used
		b.gaiad.Give(atomAddress, "uatom", "7")
		time.Sleep(10 * time.Second)
		balance, err := get[*Platform](t, b, "ATOM").Balance(t.Context())
		require.NoError(t, err)
		require.Contains(t, []string{"0.000007", "0.000001"}, balance.Spendable.String())
	})
}

// TestActivationsAtOnce checks that one of several concurrent activations of a coin succeeds,
// and that the others fail with the reason.
func TestActivationsAtOnce(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		b.net.Set(atomURL, nodetest.Late(time.Second, nodetest.Well(b.gaiad)))
		errs := make(chan error)
		for range 5 {
			go func() {
				_, err := b.Activate(t.Context(), atom("HUGE-IBC_ATOM"))
				errs <- err
			}()
			go func() {
				_, err := b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "HUGE-IBC_ATOM"})
				if !errors.As(err, new(*coin.PlatformError)) { // the token was first, and its platform was missing
					require.ErrorIs(t, err, coin.ErrAlreadyActive)
				}
				errs <- coin.ErrAlreadyActive
			}()
		}
		done := 0
		for range 10 {
			if err := <-errs; err == nil {
				done++
			} else {
				require.ErrorIs(t, err, coin.ErrAlreadyActive)
			}
		}
		require.Equal(t, 1, done)
		require.Equal(t, []string{"ATOM", "HUGE-IBC_ATOM"}, b.active())
		require.Equal(t, 1, b.gaiad.CallCount("status"))
	})
}

// TestKillInTheMidstOfActivation checks that a kill during an activation leaves nothing in the
// store, and that the next process can activate the coin.
func TestKillInTheMidstOfActivation(t *testing.T) {
	for _, what := range []string{"status", "abci_info", wire.PathBalance} {
		t.Run(what, func(t *testing.T) {
			kv := bunttest.Memory(t)
			b := openBench(t, kv)
			began, proceed := make(chan struct{}, 1), make(chan struct{})
			b.net.Set(atomURL, nodetest.But(what, nodetest.Held(began, proceed, nodetest.Well(b.gaiad)), nodetest.Well(b.gaiad)))
			ctx, kill := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				_, err := b.Activate(ctx, atom("HUGE-IBC_ATOM"))
				ended <- err
			}()
			<-began
			state, _ := b.Active.State("ATOM")
			require.Equal(t, coin.StateActivating, state)
			after := openBench(t, kv)
			require.Empty(t, after.Active.Saved())
			require.Empty(t, after.active())
			_, err := after.Activate(t.Context(), atom("HUGE-IBC_ATOM"))
			require.NoError(t, err)
			kill()
			require.ErrorIs(t, <-ended, context.Canceled)
			require.Empty(t, b.active())
			again := openBench(t, kv)
			require.Len(t, again.Active.Saved(), 2, "both or none")
		})
	}
}

var errDisk = errors.New("no space left on device")

// full is a store that rejects all writes.
type full struct{ store.KV }

func (full) Stage(context.Context, store.Batch) (store.Durable, error) { return nil, errDisk }

func TestActivationWithoutRoomInTheStore(t *testing.T) {
	kv := bunttest.Memory(t)
	b := openBench(t, kv)
	active, err := coin.Open(t.Context(), coin.Config{Store: full{kv}, Restore: true})
	require.NoError(t, err)
	b.Active = active
	_, err = b.Activate(t.Context(), atom("HUGE-IBC_ATOM"))
	require.ErrorIs(t, err, errDisk)
	require.Empty(t, b.active())
	require.Empty(t, openBench(t, kv).Active.Saved())
}

// An activation that is cancelled while its nodes do not answer ends at once, and the next one does
// not wait for it.
func TestCancelledActivation(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		well := nodetest.Well(b.gaiad)
		b.net.Set(atomURL, nodetest.Hangs)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := b.Activate(ctx, atom())
			ended <- err
		}()
		synctest.Wait()
		b.net.Set(atomURL, well)
		began := time.Now()
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		_, err := b.Activate(t.Context(), atom())
		require.NoError(t, err)
		require.Zero(t, time.Since(began))
	})
}
