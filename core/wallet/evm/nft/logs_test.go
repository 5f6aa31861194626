package nft

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/nodetest"
)

func TestNFTTopics(t *testing.T) {
	for topic, signature := range map[string]string{node.TransferTopic: "Transfer(address,address,uint256)", singleTopic: "TransferSingle(address,address,address,uint256,uint256)",
		batchTopic: "TransferBatch(address,address,address,uint256[],uint256[])"} {
		sum := address.Keccak([]byte(signature))
		require.Equal(t, "0x"+hex.EncodeToString(sum[:]), topic)
	}
}

// What contracts log is read only as far as it is as the standards have it.
func TestMoves(t *testing.T) {
	addr, other := address.Address{1}, address.Address{2}
	word := func(a address.Address) string { w := abi.Address(a); return text.Hex(w[:]) }
	numbers := func(all ...int64) string {
		text := "0x"
		for _, n := range all {
			w := abi.Uint(big.NewInt(n))
			text += hex.EncodeToString(w[:])
		}
		return text
	}
	log := func(data string, topics ...string) nftLog {
		return nftLog{Address: other.Plain(), Data: data, Topics: topics, BlockNumber: "0x7", BlockHash: "0x" + strings.Repeat("ab", 32), TransactionHash: "0x" + strings.Repeat("cd", 32), TransactionIndex: "0x1", LogIndex: "0x2"}
	}
	for name, c := range map[string]struct {
		log  nftLog
		want string // ids and amounts
	}{
		"ERC-721":                      {log("0x", node.TransferTopic, word(other), word(addr), numbers(14)), "14×1"},
		"ERC-20":                       {log(numbers(14), node.TransferTopic, word(other), word(addr)), ""},
		"of others":                    {log("0x", node.TransferTopic, word(other), word(other), numbers(14)), ""},
		"one of ERC-1155":              {log(numbers(7, 3), singleTopic, word(other), word(addr), word(other)), "7×3"},
		"one with more data":           {log(numbers(7, 3, 1), singleTopic, word(other), word(addr), word(other)), ""},
		"several":                      {log(numbers(64, 160, 2, 7, 8, 2, 3, 4), batchTopic, word(other), word(other), word(addr)), "7×3 8×4"},
		"several, of other lengths":    {log(numbers(64, 160, 2, 7, 8, 1, 3), batchTopic, word(other), word(other), word(addr)), ""},
		"several, beyond the data":     {log(numbers(64, 1<<30, 2, 7, 8), batchTopic, word(other), word(other), word(addr)), ""},
		"several, a count without end": {log(numbers(64, 64, 1<<30), batchTopic, word(other), word(other), word(addr)), ""},
		"invalid topics":               {log("0x", node.TransferTopic, "0x12", word(addr), numbers(14)), ""},
		"a party with more in it":      {log("0x", node.TransferTopic, "0x"+strings.Repeat("ff", 32), word(addr), numbers(14)), ""},
	} {
		var f foundMoves
		require.NoError(t, f.add(c.log, addr, 7, 7), name)
		require.NoError(t, f.add(c.log, addr, 7, 7), name) // again, as a transfer to itself is in two answers
		var got []string
		for _, m := range f.moves {
			got = append(got, m.ID.String()+"×"+m.Amount.String())
		}
		require.Equal(t, c.want, strings.Join(got, " "), name)
		require.False(t, f.more)
	}
	var f foundMoves
	require.Error(t, f.add(log("0x", node.TransferTopic, word(other), word(addr), numbers(1)), addr, 8, 9), "a block that was not asked for")
	ids := []int64{64, 64, maxOfBatch + 1}
	for range maxOfBatch + 1 {
		ids = append(ids, 5)
	}
	require.NoError(t, f.add(log(numbers(ids...), batchTopic, word(other), word(other), word(addr)), addr, 7, 7))
	require.Len(t, f.moves, maxOfBatch)
	require.True(t, f.more)
}

// pool returns a pool of nodes.
func pool(t *testing.T, all ...network.Behaviour) *node.Pool {
	t.Helper()
	net := network.NewNet()
	c := node.Config{ChainID: 1, Block: 12 * time.Second, Fetcher: net, Now: time.Now}
	for i, b := range all {
		url := fmt.Sprintf("https://%d.example/", i)
		net.Set(url, b)
		c.Nodes = append(c.Nodes, nodepool.Node{URL: url})
	}
	p, err := node.New(c)
	require.NoError(t, err)
	return p
}

// A node that finds a range too large is asked for a smaller one, and null stands for no logs.
func TestMovesOfNodes(t *testing.T) {
	owner := address.Address{1}
	large := nodetest.New(1, 100).With(map[string]string{"eth_getLogs": `"error":{"code":-32005,"message":"query returned more than 10000 results"}`})
	none := nodetest.New(1, 100).With(map[string]string{"eth_getLogs": `"result":null`})
	p := pool(t, large)
	_, _, err := movesOf(t.Context(), p, owner, 1, 100)
	require.ErrorAs(t, err, new(*nodepool.RPCError))
	_, err = p.Balances(t.Context(), node.BalanceQuery{Owner: owner, Coin: true})
	require.NoError(t, err)
	for _, p := range []*node.Pool{pool(t, none), pool(t, large, none)} {
		moves, more, err := movesOf(t.Context(), p, owner, 1, 100)
		require.NoError(t, err)
		require.Empty(t, moves)
		require.False(t, more)
	}
}
