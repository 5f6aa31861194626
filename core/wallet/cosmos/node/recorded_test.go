package node

import (
	"crypto/sha256"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/cosmos/wire"
)

func TestRecordedStatus(t *testing.T) {
	for _, kind := range kinds() {
		r := load(t, kind)
		p := r.pool(t)
		require.NoError(t, p.Health(t.Context()))
		status, err := p.Status(t.Context())
		require.NoError(t, err)
		require.Equal(t, r.chain.ID, status.ChainID)
		require.Contains(t, status.Version, "0.34.")
		require.EqualValues(t, 1, status.EarliestHeight)
		require.Equal(t, 2026, status.Time.Year())
		require.False(t, status.CatchingUp)
		height, err := p.Height(t.Context())
		require.NoError(t, err)
		require.Positive(t, height)
		require.LessOrEqual(t, height, r.chain.Height)
		earliest, err := p.Earliest(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 1, earliest)
		left, err := p.Probe(t.Context())
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func TestRecordedBalances(t *testing.T) {
	for _, kind := range kinds() {
		r := load(t, kind)
		p, user := r.pool(t), r.chain.Accounts["user"].Address
		for _, want := range r.chain.Balances["user"] {
			got, err := p.Balance(t.Context(), user, want.Denom)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		got, err := p.Balance(t.Context(), r.chain.Accounts["empty"].Address, r.chain.Denom)
		require.NoError(t, err)
		require.Equal(t, wire.Coin{Denom: r.chain.Denom, Amount: "0"}, got)
		all, err := Ask[wire.AllBalancesResponse](t.Context(), p, wire.PathAllBalances, &wire.AllBalancesRequest{Address: user})
		require.NoError(t, err)
		require.Equal(t, r.chain.Balances["user"], all.Balances)
		account, err := Ask[wire.AccountResponse](t.Context(), p, wire.PathAccount, &wire.AccountRequest{Address: user})
		require.NoError(t, err)
		base, err := account.Base(user)
		require.NoError(t, err)
		require.Equal(t, user, base.Address)
	}
}

func TestRecordedRefusals(t *testing.T) {
	for _, kind := range kinds() {
		r := load(t, kind)
		p := r.pool(t)
		_, err := Ask[wire.AccountResponse](t.Context(), p, wire.PathAccount, &wire.AccountRequest{Address: r.chain.Accounts["empty"].Address})
		require.ErrorIs(t, err, ErrNotFound)
		var refused *QueryError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, wire.PathAccount, refused.Path)
		_, err = Ask[wire.ChannelResponse](t.Context(), p, wire.PathChannel, &wire.ChannelRequest{Port: "transfer", Channel: "channel-12"})
		require.ErrorIs(t, err, ErrNotFound)
		_, err = p.Balance(t.Context(), "osmo19rl4cm2hmr8afy4kldpxz3fka4jguq0a5m7df8", r.chain.Denom)
		require.ErrorAs(t, err, &refused)
		require.EqualValues(t, 18, refused.Code)
		require.ErrorContains(t, err, "invalid Bech32 prefix")
		require.NotErrorIs(t, err, ErrNotFound)
		_, err = p.Query(t.Context(), "/cosmos.nothing.v1beta1.Query/Params", nil)
		require.ErrorAs(t, err, &refused)
		require.EqualValues(t, codeUnknownRequest, refused.Code)
		require.NotErrorIs(t, err, ErrNotFound)
	}
}

func TestRecordedHistory(t *testing.T) {
	for _, kind := range kinds() {
		r := load(t, kind)
		p := r.pool(t)
		hashes := map[string]Tx{}
		for _, query := range []string{"coin_spent.spender='", "coin_received.receiver='"} {
			s := Search{Query: query + r.chain.Accounts["user"].Address + "'", Size: 10}
			for {
				s.Page++
				page, err := p.Search(t.Context(), s)
				require.NoError(t, err)
				for _, tx := range page.Txs {
					require.Equal(t, hashText(sha256.Sum256(tx.Raw)), tx.Hash)
					require.NotEmpty(t, tx.Events)
					require.Positive(t, tx.GasUsed)
					hashes[tx.Hash] = tx
				}
				if uint64(s.Page*s.Size) >= page.Total {
					break
				}
			}
		}
		for _, recorded := range r.chain.Transactions {
			hash := r.hash(t, recorded.Name)
			if tx, ok := hashes[hashText(hash)]; ok {
				require.EqualValues(t, recorded.Height, tx.Height)
				require.Equal(t, recorded.Code, tx.Code, recorded.Name)
				if tx.Code != 0 {
					require.NotEmpty(t, tx.Log)
				}
				delete(hashes, hashText(hash))
			}
		}
		require.Empty(t, hashes, "all that was found is of the story")

		first := r.chain.Transactions[0]
		tx, err := p.Tx(t.Context(), r.hash(t, first.Name))
		require.NoError(t, err)
		require.EqualValues(t, first.Height, tx.Height)
		_, err = p.Tx(t.Context(), [32]byte{})
		require.ErrorIs(t, err, ErrNotFound)
		spent := "coin_spent.spender='" + r.chain.Accounts["user"].Address + "'"
		_, err = p.Search(t.Context(), Search{Query: spent, Page: 99, Size: 10})
		require.ErrorIs(t, err, ErrNoPage)
		newest, err := p.Search(t.Context(), Search{Query: spent, Page: 1, Size: 1, Descending: true})
		require.NoError(t, err)
		require.Len(t, newest.Txs, 1)
		require.Greater(t, newest.Total, uint64(20))
		var refused *nodepool.RPCError
		_, err = p.Search(t.Context(), Search{Query: "coin_spent.spender", Page: 1, Size: 1})
		require.ErrorAs(t, err, &refused)
		require.EqualValues(t, -32603, refused.Code)
		require.Contains(t, refused.Data, "parse error")

		at, err := p.BlockTime(t.Context(), first.Height)
		require.NoError(t, err)
		require.Equal(t, 2026, at.Year())
		_, err = p.BlockTime(t.Context(), 5_000_000)
		require.ErrorIs(t, err, ErrNoBlock)
		_, err = p.BlockTime(t.Context(), 0)
		require.ErrorIs(t, err, ErrNoBlock)
	}
}

func TestRecordedBroadcasts(t *testing.T) {
	for _, kind := range kinds() {
		r := load(t, kind)
		p := r.pool(t)
		send := func(name string) (Sent, error) {
			var params struct{ Tx []byte }
			require.NoError(t, json.Unmarshal(r.names[name].Request.Params, &params))
			sent, err := p.Broadcast(t.Context(), params.Tx)
			if err == nil {
				require.EqualValues(t, sha256.Sum256(params.Tx), sent.Hash)
			}
			return sent, err
		}
		sent, err := send("sync, taken")
		require.NoError(t, err)
		require.False(t, sent.Known)
		sent, err = send("first of a queue, after it landed")
		require.NoError(t, err)
		require.True(t, sent.Known)
		for name, code := range map[string]uint32{"sequence of the past": 32, "signed for another chain": 4, "no fee": 13,
			"empty transaction": 18, "memo too long": 12} {
			_, err = send(name)
			var refused *CheckError
			require.ErrorAs(t, err, &refused, name)
			require.Equal(t, code, refused.Code)
			require.Equal(t, "sdk", refused.Codespace)
			require.NotEmpty(t, refused.Log)
		}
	}
}

// TestRecordedOddities checks that answers to requests that are not JSON-RPC are rejected.
func TestRecordedOddities(t *testing.T) {
	r := load(t, "gaiad")
	for name, want := range map[string]error{"GET ": nodepool.ErrHTML, "nothing": nodepool.ErrHTML, "id that is null": nodepool.ErrAnswer, "GET abci_info": nodepool.ErrOtherID,
		"POST elsewhere": nodepool.ErrOtherID, "id of 20 digits": nodepool.ErrOtherID} {
		_, err := nodepool.Open(r.names[name].answer(), `"1"`, testTime)
		require.ErrorIs(t, err, want, name)
	}
	for _, name := range []string{"POST to nothing", "GET websocket"} {
		var status *nodepool.StatusError
		_, err := nodepool.Open(r.names[name].answer(), `"1"`, testTime)
		require.ErrorAs(t, err, &status, name)
	}
	for _, name := range []string{"no JSON", "unknown method", "more than a megabyte", "GET block?height=5000000", "params that are text"} {
		var refused *nodepool.RPCError
		_, err := nodepool.Open(r.names[name].answer(), `"1"`, testTime)
		require.ErrorAs(t, err, &refused, name)
	}
}
