package e2e

import (
	"encoding/json"
	"slices"

	"github.com/stretchr/testify/require"
)

// remembered is the number of recent acknowledged transactions to query after a kill. The balances
// cover the older ones.
const remembered = 5000

// batchSize is the maximum number of calls in a batch.
const batchSize = 100

// requireKnown queries all recent acknowledged transactions.
func (c *crash) requireKnown() {
	c.t.Helper()
	c.recent = c.recent[max(0, len(c.recent)-remembered):]
	for ids := range slices.Chunk(c.recent, batchSize) {
		batch := make([]json.RawMessage, len(ids))
		for i, id := range ids {
			batch[i] = request("getrawtransaction", id)
		}
		body, err := json.Marshal(batch)
		require.NoError(c.t, err)
		_, raw, err := c.node.client.post(body)
		require.NoError(c.t, err)
		var replies []reply
		require.NoError(c.t, json.Unmarshal(raw, &replies), "%.200s", raw)
		require.Len(c.t, replies, len(ids))
		for i, r := range replies {
			require.Nil(c.t, r.Error, "%s was acknowledged and is lost", ids[i])
		}
	}
}

// settle sends the payments in flight again, waits until the mempool is empty, and compares the
// chain with the sums of the acknowledged payments.
func (c *crash) settle() {
	c.t.Helper()
	for i, l := range c.funds {
		if !l.doubt {
			continue
		}
		r, err := c.node.client.try(l.queue[0].body)
		require.NoError(c.t, err)
		require.NoError(c.t, l.accept(&l.queue[0], r), "client %d", i)
		c.count(l)
	}
	c.node.waitConfirmed()
	c.requireKnown()
	c.requireSums()
}

// requireSums compares balances and the list of tokens with the acknowledged payments.
func (c *crash) requireSums() {
	c.t.Helper()
	var coins, tokens int64
	made := []string{c.token.String()}
	for _, l := range c.funds {
		coins += l.coins
		tokens += l.tokens
		made = append(made, l.ids...)
	}
	to := other(c.t)
	require.Equal(c.t, tokens, c.node.tokens(c.token.String(), to))
	require.Equal(c.t, crashClients*1_000_000-tokens, c.node.tokens(c.token.String(), c.wallet.Signer))

	var plain struct {
		Balance int64 `json:"balance"`
	}
	c.node.call(&plain, "getaddressbalance", map[string]any{"addresses": []string{to.Address().Text().String()}})
	require.Equal(c.t, coins, plain.Balance)

	var listed []string
	c.node.call(&listed, "tokenlist")
	require.ElementsMatch(c.t, made, listed)
}
