package node

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/nodetest"
)

const (
	urlA, urlB = "https://a.example/", "https://b.example/"
	owner      = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	tokenA     = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
	tokenB     = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB"
	maxUint256 = "115792089237316195423570985008687907853269984665640564039457584007913129639935" // 2^256-1
)

func parse(t testing.TB, text string) address.Address {
	t.Helper()
	a, err := address.Parse(text)
	require.NoError(t, err)
	return a
}

// pool returns a pool of nodes A, B, … of the network 1.
func pool(t testing.TB, nodes ...network.Behaviour) (*Pool, *network.Net) {
	t.Helper()
	net := network.NewNet()
	c := Config{ChainID: 1, Block: 12 * time.Second, Fetcher: net, Now: time.Now}
	for i, b := range nodes {
		url := "https://" + string(rune('a'+i)) + ".example/"
		net.Set(url, b)
		c.Nodes = append(c.Nodes, nodepool.Node{URL: url})
	}
	p, err := New(c)
	require.NoError(t, err)
	return p, net
}

// rich returns a node on which the owner has the highest possible balances.
func rich() *nodetest.Node {
	return nodetest.New(1, 100).Give(owner, maxUint256).Deploy(tokenA, 6).GiveToken(tokenA, owner, maxUint256).Deploy(tokenB, 255).GiveToken(tokenB, owner, "18446744073709551616")
}

func TestBalances(t *testing.T) {
	for name, n := range map[string]*nodetest.Node{"with batches": rich(), "without": rich().Single()} {
		t.Run(name, func(t *testing.T) {
			p, _ := pool(t, n.Well)
			l := BalanceQuery{Owner: parse(t, owner), Coin: true, Balances: []address.Address{parse(t, tokenB), parse(t, tokenA)}}
			seen, err := p.Balances(t.Context(), l)
			require.NoError(t, err)
			require.EqualValues(t, 100, seen.Height)
			require.Equal(t, maxUint256, seen.Coin.String())
			require.Equal(t, "18446744073709551616 "+maxUint256, fmt.Sprint(seen.Balances[0].Units, " ", seen.Balances[1].Units))
			before := n.Requests()
			_, err = p.Balances(t.Context(), l)
			require.NoError(t, err)
			require.Equal(t, before, n.Requests(), "what was just asked is known")
			seen, err = p.Balances(t.Context(), BalanceQuery{Owner: parse(t, tokenA), Coin: true, Balances: []address.Address{parse(t, tokenA)}})
			require.NoError(t, err)
			require.Zero(t, seen.Coin.Sign()+seen.Balances[0].Units.Sign())
		})
	}
}

// TestNodeWithoutBlocks checks that a node without blocks, such as one that was just started,
// is not preferred to a node with blocks.
func TestNodeWithoutBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		empty := nodetest.New(1, 0)
		p, _ := pool(t, empty.Well, rich().Well)
		_, err := p.Probe(t.Context())
		require.NoError(t, err)
		newest, err := p.Height(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 100, newest)
		require.NotEmpty(t, p.Nodes()[0].HeightProblem)
		require.Empty(t, p.Nodes()[1].HeightProblem)
		alone, _ := pool(t, empty.Well)
		newest, err = alone.Height(t.Context())
		require.NoError(t, err)
		require.Zero(t, newest)
		require.False(t, alone.Nodes()[0].Behind)
	})
}

func TestBalancesAreOneRequest(t *testing.T) {
	n := rich()
	p, _ := pool(t, n.Well)
	_, err := p.Probe(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n.Requests())
	var many []address.Address
	for range 2*MaxBatch - 1 {
		many = append(many, parse(t, tokenA))
	}
	seen, err := p.Balances(t.Context(), BalanceQuery{Owner: parse(t, owner), Coin: true, Balances: many[:MaxBatch-1]})
	require.NoError(t, err)
	require.Equal(t, 2, n.Requests())
	require.Len(t, seen.Balances, MaxBatch-1)
	seen, err = p.Balances(t.Context(), BalanceQuery{Owner: parse(t, owner), Coin: true, Balances: many})
	require.NoError(t, err)
	require.Equal(t, 3, n.Requests(), "its first half was asked before")
	require.Len(t, seen.Balances, 2*MaxBatch-1)
	seen, err = p.Balances(t.Context(), BalanceQuery{})
	require.NoError(t, err)
	require.EqualValues(t, 100, seen.Height)
}

// TestContracts checks that a failing contract is reported as such, and that the node is not
// excluded.
func TestContracts(t *testing.T) {
	n := rich()
	p, _ := pool(t, n.Well)
	look := func(contract string) error {
		seen, err := p.Balances(t.Context(), BalanceQuery{Owner: parse(t, owner), Coin: true, Balances: []address.Address{parse(t, contract)}})
		if err != nil {
			return err
		}
		require.Equal(t, maxUint256, seen.Coin.String())
		return seen.Balances[0].Err
	}
	err := look(owner)
	var contract *ContractError
	require.ErrorAs(t, err, &contract)
	require.Equal(t, owner, contract.Contract.String())
	require.ErrorContains(t, err, "may not be a contract")
	n.Fail("eth_call", `{"code":3,"message":"execution reverted: paused","data":"0x08"}`)
	err = look(tokenA)
	require.ErrorAs(t, err, &contract)
	require.ErrorContains(t, err, "the contract "+tokenA+": execution reverted: paused")
	require.True(t, p.Nodes()[0].Healthy)
	n.Fail("eth_call", `{"code":-32005,"message":"daily request count exceeded"}`)
	err = look(tokenB)
	require.ErrorContains(t, err, "a.example: daily request count exceeded")
	require.False(t, p.Nodes()[0].Healthy)
}

func TestWrongChain(t *testing.T) {
	p, _ := pool(t, nodetest.New(137, 1_000_000).Well, rich().Well)
	out, err := p.Probe(t.Context())
	require.NoError(t, err)
	require.Len(t, out, 1)
	require.Equal(t, "https://a.example", out[0].URL)
	require.Equal(t, `chain id is "137", want "1"`, out[0].Reason)
	height, err := p.Height(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 100, height)
	require.False(t, p.Nodes()[1].Behind, "blocks of other networks do not count")
}

func TestHealthChecks(t *testing.T) {
	for name, c := range map[string]struct {
		node   *nodetest.Node
		reason string
	}{
		"no id":                {rich().Fail("eth_chainId", `{"code":-32601,"message":"no"}`), "method eth_chainId: no (-32601)"},
		"no height":            {rich().Fail("eth_blockNumber", `{"code":-32000,"message":"no"}`), "method eth_blockNumber: no (-32000)"},
		"a height of 64 bits":  {rich().At(1 << 63), "quantity has more than 63 bits"},
		"it says nothing else": {rich().Fail("eth_syncing", `{"code":-32601,"message":"no"}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := pool(t, c.node.Well)
			_, err := p.Probe(t.Context())
			if c.reason == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.reason)
		})
	}
	p, _ := pool(t, rich().Syncing().Well, rich().At(7).Well)
	_, err := p.Probe(t.Context())
	require.NoError(t, err)
	require.True(t, p.Nodes()[0].Behind)
}

func TestHeightGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := nodetest.New(1, 1000), nodetest.New(1, 1001)
		p, net := pool(t, a.Well, b.Well)
		_, err := p.Probe(t.Context())
		require.NoError(t, err)
		a.At(600) // another machine at the same address
		height, err := p.Height(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 1001, height)
		require.True(t, p.Nodes()[0].Behind)
		net.Set(urlB, network.Dead)
		time.Sleep(2 * time.Second)
		height, err = p.Height(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 600, height, "better than nothing")
	})
	synctest.Test(t, func(t *testing.T) { // a network with four blocks per second
		a, b := nodetest.New(1, 1000), nodetest.New(1, 1040)
		net := network.NewNet()
		net.Set(urlA, a.Well)
		net.Set(urlB, b.Well)
		p, err := New(Config{ChainID: 1, Block: 250 * time.Millisecond, Fetcher: net, Now: time.Now, Nodes: []nodepool.Node{{URL: urlA}, {URL: urlB}}})
		require.NoError(t, err)
		_, err = p.Probe(t.Context())
		require.NoError(t, err)
		height, err := p.Height(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 1000, height, "ten seconds are not much")
	})
}

// said formats a node's fees: price, base fee, tips, data fee, gas of a transfer.
func said(f Fees) string {
	return fmt.Sprint(f.GasPrice, f.BaseFee, f.Rising, f.Low, f.Tip, f.High, f.DataFee, f.TransferGas)
}

func TestFees(t *testing.T) {
	gwei := func(n int64) *big.Int { return big.NewInt(n * 1_000_000_000) }
	n := func() *nodetest.Node { return rich().Price(gwei(20), gwei(2)) }
	for _, c := range []struct {
		name    string
		node    *nodetest.Node
		history string // "" means the node's own
		want    string
		fails   string
	}{
		{"a price of its own", n(), "", "22000000000 20000000000 false 2000000000 2000000000 2000000000 0 21000", ""},
		{"the middle of each level", n(), `{"baseFeePerGas":["0x1","0x2"],"reward":[["0x1","0x2","0x3"],["0x4","0x5","0x6"],["0x0","0x0","0x0"],["0x7","0x8","0x9"]]}`,
			"22000000000 2 true 4 5 6 0 21000", ""},
		{"the tip that the node suggests", n().Suggest(big.NewInt(5)), `{"baseFeePerGas":["0x2","0x1"],"reward":[["0x1","0x2","0x9"]]}`, "22000000000 1 false 5 5 9 0 21000", ""},
		{"levels that fall", n(), `{"baseFeePerGas":["0x1"],"reward":[["0x9","0x2","0x1"]]}`, "22000000000 1 false 9 9 9 0 21000", ""},
		{"blocks without tips", n(), `{"baseFeePerGas":["0x1","0x3"],"reward":[["0x0","0x0","0x0"]]}`, "22000000000 3 true 21999999997 21999999997 21999999997 0 21000", ""},
		{"blocks without tips, and a lower suggestion", n().Suggest(gwei(1)), `{"baseFeePerGas":["0x1"],"reward":[["0x0","0x0","0x0"]]}`,
			"22000000000 1 false 21999999999 21999999999 21999999999 0 21000", ""},
		{"no rewards", n(), `{"baseFeePerGas":["0x5d21dba00"],"reward":null}`, "22000000000 25000000000 false 0 0 0 0 21000", ""},
		{"a price of nothing", n(), `{"baseFeePerGas":["0x0","0x0"],"reward":[["0x1"]]}`, "22000000000 <nil> false <nil> <nil> <nil> 0 21000", ""},
		{"no prices", n(), `{"oldestBlock":"0x1"}`, "22000000000 <nil> false <nil> <nil> <nil> 0 21000", ""},
		{"an older network", rich().Price(nil, gwei(7)), "", "7000000000 <nil> false <nil> <nil> <nil> 0 21000", ""},
		{"gas that is counted in another way", n().TransferGas(63_000_000), "", "22000000000 20000000000 false 2000000000 2000000000 2000000000 0 63000000", ""},
		{"less gas than there can be", n().TransferGas(5), "", "22000000000 20000000000 false 2000000000 2000000000 2000000000 0 21000", ""},
		{"a rollup", n().DataFee(abi.L1FeeUpperBound, big.NewInt(412345678901)), "", "22000000000 20000000000 false 2000000000 2000000000 2000000000 412345678901 21000", ""},
		{"an older rollup", n().DataFee(abi.L1Fee, big.NewInt(7)), "", "22000000000 20000000000 false 2000000000 2000000000 2000000000 7 21000", ""},
		{"invalid prices", n(), `{"baseFeePerGas":["12"]}`, "22000000000 <nil> false <nil> <nil> <nil> 0 21000", ""},
		{"prices beyond 128 bits", n(), `{"baseFeePerGas":["0x1` + strings.Repeat("0", 32) + `"]}`, "22000000000 <nil> false <nil> <nil> <nil> 0 21000", ""},
		{"too many", n(), `{"baseFeePerGas":["0x1"` + strings.Repeat(`,"0x1"`, 100) + `]}`, "22000000000 <nil> false <nil> <nil> <nil> 0 21000", ""},
		{"invalid tips", n(), `{"baseFeePerGas":["0x1"],"reward":[["x"]]}`, "22000000000 1 false 21999999999 21999999999 21999999999 0 21000", ""},
		{"no object", n(), `"x"`, "22000000000 <nil> false <nil> <nil> <nil> 0 21000", ""},
		{"null", n(), `null`, "22000000000 <nil> false <nil> <nil> <nil> 0 21000", ""},
		{"no price of the next block", n(), `{"baseFeePerGas":["0x1",null],"reward":null}`, "22000000000 <nil> false <nil> <nil> <nil> 0 21000", ""},
		{"some tips", n(), `{"baseFeePerGas":["0x2","0x1"],"reward":[null,["0x5",null,"0x7"]]}`, "22000000000 1 false 5 21999999999 21999999999 0 21000", ""},
		{"numbers", n(), `{"baseFeePerGas":[1,2],"reward":[[1,2,3]]}`, "22000000000 2 true 1 2 3 0 21000", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			behaviour := c.node.Well
			if c.history != "" {
				behaviour = altered(c.node, "eth_feeHistory", c.history)
			}
			p, _ := pool(t, behaviour)
			f, err := p.Fees(t.Context(), Call{Value: new(big.Int)})
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, said(f))
			require.False(t, f.Agreed, "a single node")
		})
	}
}

// liars calls test with five nodes of which two lie, for all pairs of positions.
func liars(t *testing.T, honest func() *nodetest.Node, lies map[string]func(*nodetest.Node) network.Behaviour, test func(t *testing.T, p *Pool)) {
	t.Helper()
	for name, lie := range lies {
		for first := range 5 {
			for second := range first {
				t.Run(fmt.Sprintf("%s %d %d", name, second, first), func(t *testing.T) {
					var all []network.Behaviour
					for i := range 5 {
						n := honest()
						if i == first || i == second {
							all = append(all, lie(n))
						} else {
							all = append(all, n.Well)
						}
					}
					p, _ := pool(t, all...)
					_, err := p.Probe(t.Context())
					require.NoError(t, err)
					test(t, p)
				})
			}
		}
	}
}

// TestFeesOfLiars checks that two of five nodes, at any positions, change no number of a fee.
func TestFeesOfLiars(t *testing.T) {
	gwei := func(n int64) *big.Int { return big.NewInt(n * 1_000_000_000) }
	honest := func() *nodetest.Node {
		return rich().Price(gwei(20), gwei(2)).Suggest(gwei(1)).DataFee(abi.L1FeeUpperBound, big.NewInt(1000))
	}
	lies := map[string]func(*nodetest.Node) network.Behaviour{}
	for method, results := range map[string][]string{
		"eth_gasPrice":             {`"0x0"`, `"0x2386f26fc10000"`},
		"eth_maxPriorityFeePerGas": {`"0x0"`, `"0x2386f26fc10000"`},
		"eth_estimateGas":          {`"0x1"`, `"0xffffffff"`},
		"eth_feeHistory": {`{"baseFeePerGas":["0x1","0x1"],"reward":[["0x1","0x1","0x1"]]}`, `{"baseFeePerGas":["0x1","0x2386f26fc10000"],"reward":[["0x0","0x0","0x0"]]}`,
			`{"baseFeePerGas":["0x4a817c800","0x4a817c800"],"reward":[["0x2386f26fc10000","0x2386f26fc10000","0x2386f26fc10000"]]}`, `{}`},
		"eth_call": {`"0x` + strings.Repeat("0", 64) + `"`, `"0x` + strings.Repeat("0", 40) + strings.Repeat("f", 24) + `"`, `"0x"`},
	} {
		for _, result := range results {
			lies[method+" "+result] = func(n *nodetest.Node) network.Behaviour { return altered(n, method, result) }
		}
	}
	liars(t, honest, lies, func(t *testing.T, p *Pool) {
		f, err := p.Fees(t.Context(), Call{Value: new(big.Int)})
		require.NoError(t, err)
		require.Equal(t, "22000000000 20000000000 false 2000000000 2000000000 2000000000 1000 21000", said(f))
		require.True(t, f.Agreed)
	})
}

// TestFeesOfFewNodes checks that the numbers of a single node that answers do not count as
// agreed.
func TestFeesOfFewNodes(t *testing.T) {
	dead := func(context.Context, fetch.Request) (fetch.Response, error) { return fetch.Response{Status: 503}, nil }
	for _, c := range []struct {
		name   string
		nodes  []network.Behaviour
		agreed bool
	}{
		{"one", []network.Behaviour{rich().Well}, false},
		{"two", []network.Behaviour{rich().Well, rich().Well}, true},
		{"one of two", []network.Behaviour{rich().Well, dead}, false},
		{"two of three", []network.Behaviour{rich().Well, dead, rich().Well}, true},
		{"two of four", []network.Behaviour{rich().Well, dead, dead, rich().Well}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := pool(t, c.nodes...)
			_, err := p.Probe(t.Context())
			require.NoError(t, err)
			f, err := p.Fees(t.Context(), Call{Value: new(big.Int)})
			require.NoError(t, err)
			require.Equal(t, c.agreed, f.Agreed)
		})
	}
	p, _ := pool(t, rich().Price(big.NewInt(100), big.NewInt(1)).Well, rich().Price(big.NewInt(1000), big.NewInt(1)).Well)
	_, err := p.Probe(t.Context())
	require.NoError(t, err)
	f, err := p.Fees(t.Context(), Call{Value: new(big.Int)})
	require.NoError(t, err)
	require.EqualValues(t, 100, f.BaseFee.Int64(), "the lower of two")
}

// altered returns a node that answers one method differently.
func altered(n *nodetest.Node, method, result string) network.Behaviour {
	return n.With(map[string]string{method: `"result":` + result})
}

func TestSimulate(t *testing.T) {
	n := rich().Gas(50_000)
	p, _ := pool(t, n.Well)
	c := Call{From: parse(t, owner), To: parse(t, tokenA), Value: big.NewInt(5), Data: []byte{1}}
	seen, err := p.Simulate(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, Simulation{50_000, true}, seen)
	for failure, want := range map[string]string{
		`{"code":3,"message":"execution reverted: no","data":"0x"}`: "execution reverted: no",
		`{"code":-32000,"message":"VM Exception: revert"}`:          "VM Exception: revert",
	} {
		for _, method := range []string{"eth_estimateGas", "eth_call"} {
			n.Fail(method, failure)
			_, err = p.Simulate(t.Context(), c)
			var reverted *RevertError
			require.ErrorAs(t, err, &reverted)
			require.Equal(t, want, reverted.Reason)
			n.Fail(method, "")
		}
	}
	n.Fail("eth_estimateGas", `{"code":-32000,"message":"insufficient funds for gas * price + value"}`)
	_, err = p.Simulate(t.Context(), c)
	var refused *nodepool.RPCError
	require.ErrorAs(t, err, &refused)
	n.Fail("eth_estimateGas", "").Fail("eth_call", `{"code":-32601,"message":"method not found"}`)
	seen, err = p.Simulate(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, Simulation{50_000, false}, seen, "an estimate is no simulation")
	n.Fail("eth_call", "")
	for _, gas := range []uint64{0, 1 << gasBits} {
		n.Gas(gas)
		_, err = p.Simulate(t.Context(), c)
		require.ErrorContains(t, err, "gas estimate")
	}
	n.Gas(63_000_000)
	seen, err = p.Simulate(t.Context(), c)
	require.NoError(t, err)
	require.EqualValues(t, 63_000_000, seen.Gas, "some networks count gas in another way")
}

// TestSimulateFunctionsThatReturnFalse checks tokens that reject a transfer by their return
// value.
func TestSimulateFunctionsThatReturnFalse(t *testing.T) {
	truth, no := abi.Uint(big.NewInt(1)), abi.Word{}
	words := make([]byte, 96)
	for _, c := range []struct {
		name     string
		data     []byte
		returned []byte
		fails    string
	}{
		{"true", abi.Call(abi.Transfer, no, truth), truth[:], ""},
		{"nothing, as USDT", abi.Call(abi.Transfer, no, truth), nil, ""},
		{"false", abi.Call(abi.Transfer, no, truth), no[:], "the contract's transfer returns false"},
		{"false, with more data than the function takes", append(abi.Call(abi.Transfer, no, truth), 1), no[:], "the contract's transfer returns false"},
		{"false of an approval", abi.Call(abi.Approve, no, truth), no[:], "the contract's approve returns false"},
		{"false of transferFrom", append(abi.Call(abi.TransferFrom), words...), no[:], "the contract's transferFrom returns false"},
		{"0 of another function", abi.Call(abi.BalanceOf, no), no[:], ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := pool(t, rich().Return(tokenA, c.returned).Well)
			_, err := p.Simulate(t.Context(), Call{From: parse(t, owner), To: parse(t, tokenA), Value: new(big.Int), Data: c.data})
			if c.fails == "" {
				require.NoError(t, err)
				return
			}
			var reverted *RevertError
			require.ErrorAs(t, err, &reverted)
			require.EqualError(t, err, c.fails)
		})
	}
}

// TestSimulationsOfLiars checks that two of five nodes neither change the gas of a transaction
// nor reject it.
func TestSimulationsOfLiars(t *testing.T) {
	c := Call{From: parse(t, owner), To: parse(t, tokenA), Value: new(big.Int), Data: abi.Call(abi.Transfer, abi.Word{}, abi.Word{31: 1})}
	lies := map[string]func(*nodetest.Node) network.Behaviour{}
	for _, gas := range []uint64{21_000, 10_000_000, 1 << 39} {
		lies[fmt.Sprint(gas)] = func(n *nodetest.Node) network.Behaviour { return n.Gas(gas).Well }
	}
	for _, method := range []string{"eth_estimateGas", "eth_call"} {
		for _, failure := range []string{`{"code":3,"message":"execution reverted"}`, `{"code":-32000,"message":"insufficient funds"}`} {
			lies[method+failure] = func(n *nodetest.Node) network.Behaviour { return n.Fail(method, failure).Well }
		}
	}
	lies["false"] = func(n *nodetest.Node) network.Behaviour { return n.Return(tokenA, make([]byte, 32)).Well }
	liars(t, func() *nodetest.Node { return rich().Gas(50_000) }, lies, func(t *testing.T, p *Pool) {
		seen, err := p.Simulate(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, Simulation{50_000, true}, seen)
	})
	fails := func() *nodetest.Node {
		return rich().Fail("eth_estimateGas", `{"code":3,"message":"execution reverted: paused"}`)
	}
	says := map[string]func(*nodetest.Node) network.Behaviour{"fine": func(n *nodetest.Node) network.Behaviour { return n.Fail("eth_estimateGas", "").Well }}
	liars(t, fails, says, func(t *testing.T, p *Pool) {
		_, err := p.Simulate(t.Context(), c)
		require.EqualError(t, err, "execution reverted: paused")
	})
}

func TestNonce(t *testing.T) {
	n := rich().Nonce(owner, 7)
	p, _ := pool(t, n.Well)
	nonce, err := p.Nonce(t.Context(), parse(t, owner))
	require.NoError(t, err)
	require.EqualValues(t, 7, nonce)
	counts, err := p.Nonces(t.Context(), parse(t, owner))
	require.NoError(t, err)
	require.Equal(t, coin.Counts{Spent: 7, Pending: 7, Answers: "https://a.example: 7"}, counts)
	p, _ = pool(t, altered(n, "eth_getTransactionCount", `"0x10000000000000000"`))
	_, err = p.Nonce(t.Context(), parse(t, owner))
	require.ErrorContains(t, err, "more than 64 bits")
}

var hash = [32]byte{1, 2}

func TestReceipt(t *testing.T) {
	name := fmt.Sprintf(`"0x%x"`, hash)
	for _, c := range []struct {
		name, answer string
		want         Receipt
		fails        string
	}{
		{"done", `{"transactionHash":` + name + `,"blockNumber":"0x7","status":"0x1"}`, Receipt{Height: 7}, ""},
		{"failed", `{"transactionHash":` + name + `,"blockNumber":"0x7","status":"0x0"}`, Receipt{Height: 7, Failed: true}, ""},
		{"of a network without a status", `{"transactionHash":` + name + `,"blockNumber":"0x7"}`, Receipt{Height: 7}, ""},
		{"none", `null`, Receipt{}, "not found"},
		{"in no block", `{"transactionHash":` + name + `,"blockNumber":null}`, Receipt{}, "not found"},
		{"of another", `{"transactionHash":"0x01","blockNumber":"0x7"}`, Receipt{}, "does not match the request"},
		{"no block", `{"transactionHash":` + name + `,"blockNumber":"7"}`, Receipt{}, "invalid quantity"},
		{"no object", `7`, Receipt{}, "unexpected value of type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := pool(t, altered(rich(), "eth_getTransactionReceipt", c.answer))
			r, err := p.Receipt(t.Context(), hash, nil)
			require.Equal(t, c.want, r)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				require.Equal(t, c.fails == "not found", errors.Is(err, NotFoundError{}))
				return
			}
			require.NoError(t, err)
		})
	}
	p, _ := pool(t, altered(rich(), "eth_getTransactionByHash", `{"hash":"0x01"}`))
	known, err := p.Knows(t.Context(), hash)
	require.NoError(t, err)
	require.True(t, known)
	p, _ = pool(t, rich().Well)
	known, err = p.Knows(t.Context(), hash)
	require.NoError(t, err)
	require.False(t, known)
}

// TestMajorityKnows checks that a minority of the nodes, while the others fail, does not decide
// that a transaction does not exist.
func TestMajorityKnows(t *testing.T) {
	has := altered(rich(), "eth_getTransactionByHash", `{"hash":"0x01"}`)
	for _, c := range []struct {
		name  string
		nodes []network.Behaviour
		known bool
		fails error
	}{
		{"most have it", []network.Behaviour{has, rich().Well, has}, true, nil},
		{"most lack it", []network.Behaviour{rich().Well, has, rich().Well}, false, nil},
		{"half of them", []network.Behaviour{rich().Well, has}, false, ErrUnsure},
		{"one lacks it, others fail", []network.Behaviour{rich().Well, network.Dead, network.Dead}, false, ErrUnsure},
		{"a single node", []network.Behaviour{rich().Well}, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := pool(t, c.nodes...)
			known, err := p.MajorityKnows(t.Context(), hash)
			require.ErrorIs(t, err, c.fails)
			require.Equal(t, c.known, known)
		})
	}
}

func TestSend(t *testing.T) {
	raw := []byte{0x02, 1}
	sum := address.Keccak(raw)
	n := rich()
	p, _ := pool(t, n.Well)
	_, err := p.Balances(t.Context(), BalanceQuery{Owner: parse(t, owner), Coin: true})
	require.NoError(t, err)
	require.NoError(t, p.Send(t.Context(), raw, sum))
	require.NoError(t, p.Send(t.Context(), raw, sum), "it is known already")
	before := n.Requests()
	_, err = p.Balances(t.Context(), BalanceQuery{Owner: parse(t, owner), Coin: true})
	require.NoError(t, err)
	require.Greater(t, n.Requests(), before, "balances are not cached")
	for _, message := range []string{"Known transaction", "ALREADY_EXISTS: already exists", "Transaction with the same hash was already imported"} {
		n.Refuse(message)
		require.NoError(t, p.Send(t.Context(), raw, sum), message)
	}
	for _, message := range []string{"unknown transaction type", "Unknown transaction type: 2"} {
		n.Refuse(message)
		require.ErrorContains(t, p.Send(t.Context(), raw, sum), message, "no node has it")
	}
	b := rich()
	n.Refuse("transaction underpriced")
	p, _ = pool(t, n.Well, b.Well)
	require.NoError(t, p.Send(t.Context(), raw, sum), "another node takes it")
	require.Equal(t, 1, b.Sent())
	n.Refuse("execution reverted")
	p, _ = pool(t, n.Well)
	err = p.Send(t.Context(), raw, sum)
	require.EqualError(t, err, "https://a.example: execution reverted (-32000)")
	p, _ = pool(t, altered(n, "eth_sendRawTransaction", `"0x12"`))
	require.ErrorContains(t, p.Send(t.Context(), raw, sum), "want the hash of the sent transaction")
}

// TestSendWithLostAnswer checks that a refusal of one node does not mean that the transaction
// was not sent, if another node that did not answer may have accepted it.
func TestSendWithLostAnswer(t *testing.T) {
	raw := []byte{0x02, 1}
	for _, c := range []struct {
		name    string
		first   network.Behaviour
		unclear bool
		took    time.Duration
	}{
		{"no answer", network.Hangs, true, 30 * time.Second},
		{"a connection that breaks", network.Dead, true, 0},
		{"a proxy without an answer", network.Says(504, "late"), true, 0},
		{"too many requests", network.Busy(1), false, 0},
		{"a request that is too large", network.Says(413, "no"), false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := rich(), rich()
				p, net := pool(t, a.Well, b.Well)
				_, err := p.Probe(t.Context())
				require.NoError(t, err)
				net.Set(urlA, c.first)
				b.Refuse("insufficient funds")
				begin := time.Now()
				err = p.Send(t.Context(), raw, address.Keccak(raw))
				var unreachable *nodepool.UnreachableError
				require.Equal(t, c.unclear, errors.As(err, &unreachable), "%v", err)
				require.ErrorContains(t, err, "insufficient funds")
				require.Equal(t, c.took, time.Since(begin))
				time.Sleep(time.Minute) // until it is queried again
				net.Set(urlA, network.Late(7*time.Second, a.Well))
				require.NoError(t, p.Send(t.Context(), raw, address.Keccak(raw)), "a node that is slow is waited for")
			})
		})
	}
}

func TestQuantity(t *testing.T) {
	for text, want := range map[string]string{`12`: "12", `9007199254740991`: "9007199254740991", `"0x0"`: "0", `"0x00"`: "0", `"0x1F"`: "31", `"0x` + strings.Repeat("f", 64) + `"`: maxUint256, `"0x000` + strings.Repeat("f", 64) + `"`: maxUint256} {
		n, err := quantity(json.RawMessage(text), 256)
		require.NoError(t, err, text)
		require.Equal(t, want, n.String())
	}
	for _, text := range []string{`""`, `"0x"`, `"12"`, `"0x-1"`, `"0x1g"`, `"0x 1"`, `-1`, `1.5`, `1e3`, `9007199254740992`, `true`, `null`, `"0x1` + strings.Repeat("0", 64) + `"`, `"0x` + strings.Repeat("f", 1_000_000) + `"`} {
		_, err := quantity(json.RawMessage(text), 256)
		require.ErrorIs(t, err, nodepool.ErrAnswer, text[:min(len(text), 20)])
		require.Less(t, len(err.Error()), 200)
	}
	_, err := quantity(json.RawMessage(`"0x80"`), 7)
	require.ErrorContains(t, err, "more than 7 bits")
}

// FuzzAnswer runs every parser of nodes' answers.
func FuzzAnswer(f *testing.F) {
	f.Add(200, []byte(`"0x0000000000000000000000000000000000000000000000000000000000000005"`))
	f.Add(200, []byte(`{"baseFeePerGas":["0x1"],"reward":[["0x1"]]}`))
	f.Add(200, []byte(`{"transactionHash":"0x00","blockNumber":"0x1"}`))
	f.Add(429, []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		well := rich()
		greets := true
		p, _ := pool(t, func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
			if greets && strings.Contains(string(r.Body), "eth_chainId") {
				return well.Well(ctx, r)
			}
			var one struct{ ID json.RawMessage }
			answer := body
			if json.Unmarshal(r.Body, &one) == nil && json.Valid(body) {
				answer = fmt.Appendf(nil, `{"id":%s,"result":%s}`, one.ID, body)
			}
			return fetch.Response{Status: status, Body: answer}, nil
		})
		who := parse(t, owner)
		for _, call := range []func() error{
			func() error { _, err := p.Height(t.Context()); return err },
			func() error {
				_, err := p.Balances(t.Context(), BalanceQuery{Coin: true, Balances: []address.Address{who}})
				return err
			},
			func() error { _, err := p.Fees(t.Context(), Call{Value: new(big.Int)}); return err },
			func() error { _, err := p.Simulate(t.Context(), Call{Value: new(big.Int)}); return err },
			func() error { _, err := p.Nonces(t.Context(), who); return err },
			func() error { return p.Send(t.Context(), nil, hash) },
			func() error { _, err := p.Receipt(t.Context(), hash, nil); return err },
			func() error { _, err := p.Knows(t.Context(), hash); return err },
			func() error { greets = false; _, err := p.Probe(t.Context()); return err },
		} {
			if err := call(); err != nil {
				require.Less(t, len(err.Error()), 5000)
			}
		}
	})
}

// TestOneNodeRefuses checks that other nodes are queried if one refuses, regardless of its
// text, although one of them never answers.
func TestOneNodeRefuses(t *testing.T) {
	holder, fails := parse(t, owner), []string{`{"code":3,"message":"execution reverted"}`, `{"code":-32000,"message":"revert"}`, `{"code":-32601,"message":"no such method"}`}
	for method, ask := range map[string]func(ctx context.Context, p *Pool) error{
		"eth_getBalance": func(ctx context.Context, p *Pool) error {
			_, err := p.Balances(ctx, BalanceQuery{Owner: holder, Coin: true})
			return err
		},
		"eth_blockNumber":         func(ctx context.Context, p *Pool) error { _, err := p.Height(ctx); return err },
		"eth_getTransactionCount": func(ctx context.Context, p *Pool) error { _, err := p.Nonce(ctx, holder); return err },
		"eth_getCode":             func(ctx context.Context, p *Pool) error { _, err := p.IsContract(ctx, holder); return err },
	} {
		for _, refusal := range fails {
			synctest.Test(t, func(t *testing.T) {
				well := altered(rich(), "eth_getLogs", "[]")
				p, net := pool(t, well, well, well)
				_, err := p.Probe(t.Context())
				require.NoError(t, err)
				net.Set("https://a.example/", rich().Fail(method, refusal).Well)
				net.Set("https://b.example/", network.Hangs)
				require.NoError(t, ask(t.Context(), p), "%s: %s", method, refusal)
			})
		}
	}
}

// TestMovesOfTokens checks that a transfer is found regardless of the parties that the token
// indexes.
func TestMovesOfTokens(t *testing.T) {
	from, to := address.Address{1}, address.Address{2}
	word := func(w abi.Word) string { return hex.EncodeToString(w[:]) }
	parties, amount := []string{word(abi.Address(from)), word(abi.Address(to))}, word(abi.Uint(big.NewInt(7)))
	for indexed := range 3 {
		var r receiptJSON
		text := `{"logs":[{"address":"0x00000000000000000000000000000000000000aa","topics":["` + TransferTopic
		for _, p := range parties[:indexed] {
			text += `","0x` + p
		}
		text += `"],"data":"0x` + strings.Join(parties[indexed:], "") + amount + `"}]}`
		require.NoError(t, json.Unmarshal([]byte(text), &r))
		require.Equal(t, []Move{{Contract: address.Address{19: 0xaa}, From: from, To: to, Units: big.NewInt(7)}}, r.moves(), text)
		r.Logs[0].Data += "00"
		require.Empty(t, r.moves())
	}
}
