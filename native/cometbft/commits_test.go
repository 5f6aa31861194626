package cometbft

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cometbft/cometbft/types"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/statetree"
	"obverse/core/store"
)

// listed returns headers by their app hashes, from height 1 on.
type listed func() string

func (l listed) height(context.Context) (int64, error) { return int64(len(l())), nil }

func (l listed) at(_ context.Context, height int64) (*types.LightBlock, error) {
	all := l()
	if height < 1 || height > int64(len(all)) {
		return nil, fmt.Errorf("%w: %d", ErrNoHeight, height)
	}
	hash := statetree.Hash{all[height-1]}
	return &types.LightBlock{SignedHeader: &types.SignedHeader{Header: &types.Header{Height: height, AppHash: hash[:]}}}, nil
}

// solo is the store of a chain that was handed over. CometBFT did not execute any of its blocks.
type solo struct{ store.KV }

func (solo) Get(_ context.Context, keys ...string) ([]store.Value, error) {
	return make([]store.Value, len(keys)), nil
}

// A state is proved with the newest header that contains its hash, since light clients reject old
// headers. If the state has changed since then, this is the header after its block.
func TestSignedHeader(t *testing.T) {
	for name, c := range map[string]struct {
		headers string
		want    int64 // 0 means that there is no header
	}{
		"the first": {"a", 1}, "the newest": {"aaa", 3}, "changed since": {"aab", 1}, "another state": {"bba", 3}, "never": {"bb", 0},
	} {
		t.Run(name, func(t *testing.T) {
			headers := listed(func() string { return c.headers })
			raw, err := (&Commits{headers, solo{}}).Signed(t.Context(), statetree.Hash{'a'}, 7)
			require.NoError(t, err)
			if c.want == 0 {
				require.Nil(t, raw)
				return
			}
			require.Equal(t, c.want, lightBlockOf(t, raw).Height)
		})
	}
}

// Commits waits for the header with the hash of the newest state, for a limited time.
func TestSignedHeaderIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signed := func(ctx context.Context, after time.Duration) (json.RawMessage, error) {
			began := time.Now()
			headers := listed(func() string {
				if time.Since(began) < after {
					return ""
				}
				return "a"
			})
			return (&Commits{headers, solo{}}).Signed(ctx, statetree.Hash{'a'}, 7)
		}
		raw, err := signed(t.Context(), waitSigned/2)
		require.NoError(t, err)
		require.EqualValues(t, 1, lightBlockOf(t, raw).Height)
		raw, err = signed(t.Context(), 2*waitSigned)
		require.NoError(t, err)
		require.Nil(t, raw)

		ctx, cancel := context.WithTimeout(t.Context(), waitSigned/2)
		defer cancel()
		_, err = signed(ctx, waitSigned)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
