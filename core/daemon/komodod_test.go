package daemon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"

	"obverse/core/chain/params"

	"obverse/core/daemon/daemontest"
	"obverse/core/rpc"
)

// played is a station on which recordings of komodod are replayed.
type played struct {
	*station
	t *testing.T
}

func play(t *testing.T, options params.Options) daemontest.Node {
	p, err := params.New(options)
	require.NoError(t, err)
	return played{newStation(t, p), t}
}

func (n played) Serve(body []byte) (status int, reply []byte) {
	return n.server.Serve(n.t.Context(), rpc.Caller{Authorized: true}, body)
}

func (n played) As(key int) {
	n.Wallet, n.Ring = nil, nil
	if key > 0 {
		n.use(chaintest.Key(n.t, key).Private)
	}
}

func (n played) Connect(block []byte) {
	_, err := n.Manager.Submit(n.t.Context(), block)
	require.NoError(n.t, err)
}

func (n played) Accept(tx []byte) {
	_, err := n.Pool.Accept(n.t.Context(), tx, false)
	require.NoError(n.t, err)
}

func TestKomododReplay(t *testing.T)  { daemontest.Replay(t, recordings, play) }
func TestKomododRules(t *testing.T)   { daemontest.Rules(t, recordings, play) }
func TestKomododScripts(t *testing.T) { daemontest.Scripts(t, recordings, play) }

// TestKomododRawTransactions decodes all transactions built by komodod's token methods, whether
// or not they were sent, and compares the results with komodod's, byte for byte.
func TestKomododRawTransactions(t *testing.T) {
	s, _ := newTokenStation(t)
	decoded := 0
	for _, path := range daemontest.Recordings(t, recordings, daemontest.Named("rawtx.json")) {
		var built map[string]struct {
			Hex     string
			Decoded string `json:"decoderawtransaction_body"`
		}
		if !readsAs(t, path, &built) {
			continue // the vector file with this name is a list
		}
		for label, tx := range built {
			require.Equal(t, tx.Decoded, s.ask("decoderawtransaction", tx.Hex), label)
			decoded++
		}
	}
	require.GreaterOrEqual(t, decoded, 39)
}
