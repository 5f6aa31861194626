package params_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/rpc/recording"
)

// recordedChain is a chain recorded from komodod. Fields that a recording lacks are not
// compared.
type recordedChain struct {
	source      string
	options     params.Options
	StartFlags  []string `json:"start_flags"`
	StartOutput []string `json:"start_output"`
	Subsidies   map[string][]int64
	BlockReward map[string]struct{ Miner json.Number } `json:"getblocksubsidy"`
	Info        struct {
		ChainWork string
		Upgrades  map[string]struct{ ActivationHeight int }
	} `json:"getblockchaininfo"`
	Blocks []struct {
		Height    int
		Hash, Raw string
	}
}

// optionsOf parses the ac_* flags of a command line.
func optionsOf(t testing.TB, args []string) params.Options {
	o := params.Defaults()
	for _, arg := range args {
		key, value, given := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if key == "regtest" {
			value = map[bool]string{true: value, false: "true"}[given]
		} else if !strings.HasPrefix(key, "ac_") {
			continue
		}
		require.NoError(t, o.Set(key, value))
	}
	return o
}

// recordings reads every chain below a path, in both layouts: a single file with flags and
// blocks, and a folder with chain.json and blocks.json.
func recordings(t *testing.T, root string) (chains []recordedChain) {
	require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		r := recordedChain{source: path}
		if filepath.Base(path) == "chain.json" {
			r.options = params.Defaults()
			require.NoError(t, json.Unmarshal(content, &r.options), path)
			content, err = os.ReadFile(filepath.Join(filepath.Dir(path), "blocks.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(content, &r.Blocks), path)
		} else if json.Unmarshal(content, &r) == nil {
			r.options = optionsOf(t, r.StartFlags)
		}
		if r.options.Name != "" && len(r.Blocks) > 0 {
			r.options.Regtest = recording.IsRegtest(r.Blocks[0].Hash)
			chains = append(chains, r)
		}
		return nil
	}))
	return chains
}

func eachRecording(t *testing.T, f func(t *testing.T, r recordedChain, p *params.Params)) {
	for i, root := range append([]string{"testdata/komodod"}, recording.Places("OBVERSE_KOMODOD")...) {
		chains := recordings(t, root)
		if i == 0 {
			require.Len(t, chains, 8)
		}
		for _, r := range chains {
			t.Run(r.source, func(t *testing.T) {
				p, err := params.New(r.options)
				require.NoError(t, err)
				f(t, r, p)
			})
		}
	}
}

func (r *recordedChain) blocks(t *testing.T) (blocks []*wire.Block) {
	for i, recorded := range r.Blocks {
		require.Equal(t, i, recorded.Height)
		raw, err := hex.DecodeString(recorded.Raw)
		require.NoError(t, err)
		block, err := wire.DecodeBlock(raw)
		require.NoError(t, err)
		require.Equal(t, recorded.Hash, block.Hash().String())
		blocks = append(blocks, block)
	}
	return blocks
}

// TestKomododStartOutput compares the magic, the hashed bytes and MAX_MONEY with the start
// output of the daemon.
func TestKomododStartOutput(t *testing.T) {
	compared := 0
	eachRecording(t, func(t *testing.T, r recordedChain, p *params.Params) {
		for _, line := range r.StartOutput {
			var money int64
			var extra string
			switch {
			case strings.HasPrefix(line, "MAX_MONEY"):
				_, err := fmt.Sscanf(line, "MAX_MONEY %d", &money)
				require.NoError(t, err)
				require.Equal(t, money, p.MaxMoney)
			case strings.Contains(line, " extralen."):
				_, err := fmt.Sscanf(line, "%s extralen.", &extra)
				require.NoError(t, err)
				require.Equal(t, extra, hex.EncodeToString(params.ExtraHashInput(r.options)))
			case strings.HasPrefix(line, ">>>>>>>>>>"):
				require.Contains(t, line, fmt.Sprintf(" magic.%08x ", p.Magic))
			default:
				continue
			}
			compared++
		}
	})
	require.GreaterOrEqual(t, compared, 3*7)
}

func TestKomododPorts(t *testing.T) {
	var file struct {
		Rows []struct {
			Tag              string
			Flags            []string `json:"chain_flags"`
			P2PPort, RPCPort uint16
			Magic            string
		}
	}
	paths := []string{"testdata/komodod/params/ports.json"}
	for _, root := range recording.Places("OBVERSE_KOMODOD") {
		paths = append(paths, root, filepath.Join(root, "ports.json"), filepath.Join(root, "params", "ports.json"))
	}
	for i, path := range paths {
		content, err := os.ReadFile(path)
		if i > 0 && (err != nil || filepath.Base(path) != "ports.json") {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(content, &file))
		require.NotEmpty(t, file.Rows)
		for _, row := range file.Rows {
			t.Run(row.Tag, func(t *testing.T) {
				p, err := params.New(optionsOf(t, row.Flags))
				require.NoError(t, err)
				require.Equal(t, row.Magic, fmt.Sprintf("%08x", p.Magic))
				require.Equal(t, row.P2PPort, p.P2PPort)
				require.Equal(t, row.RPCPort, p.RPCPort)
			})
		}
	}
}

func TestKomododGenesis(t *testing.T) {
	eachRecording(t, func(t *testing.T, r recordedChain, p *params.Params) {
		block, hash := p.Genesis()
		require.Equal(t, r.Blocks[0].Raw, hex.EncodeToString(block))
		require.Equal(t, r.Blocks[0].Hash, hash.String())
	})
}

// TestKomododCoinbases requires that output 0 of every recorded coinbase pays the scheduled
// subsidy and the fees of its block, and that output 1 pays the commission due.
func TestKomododCoinbases(t *testing.T) {
	eachRecording(t, func(t *testing.T, r recordedChain, p *params.Params) {
		unspent := map[wire.OutPoint]int64{}
		for height, block := range r.blocks(t) {
			if height == 0 {
				continue // the outputs of the genesis block cannot be spent
			}
			fees := fees(t, unspent, block)
			coinbase := block.Txs[0].Outputs
			want := []int64{p.Subsidy(height) + fees}
			if due := p.Commission(height, block.Txs); due != 0 {
				want = append(want, due)
			}
			var got []int64
			for _, out := range coinbase {
				got = append(got, out.Value)
			}
			require.Equal(t, want, got, "height %d", height)
			require.NoError(t, p.CheckCoinbase(height, block.Txs))
			if recorded, ok := r.Subsidies[fmt.Sprint(height)]; ok {
				require.Equal(t, recorded, got)
			}
		}
	})
}

// fees spends a block's inputs and returns the total fee.
func fees(t *testing.T, unspent map[wire.OutPoint]int64, block *wire.Block) (total int64) {
	for i, tx := range block.Txs {
		for _, in := range tx.Inputs {
			if i > 0 {
				require.Contains(t, unspent, in.PrevOut)
				total += unspent[in.PrevOut]
			}
		}
		id := tx.ID()
		for n, out := range tx.Outputs {
			unspent[wire.OutPoint{Hash: id, Index: uint32(n)}] = out.Value
			if i > 0 {
				total -= out.Value
			}
		}
	}
	return total
}

// TestKomododBlockSubsidy compares the results of getblocksubsidy, which cover heights far
// beyond the recorded blocks.
func TestKomododBlockSubsidy(t *testing.T) {
	eachRecording(t, func(t *testing.T, r recordedChain, p *params.Params) {
		for text, reward := range r.BlockReward {
			var height int
			_, err := fmt.Sscan(text, &height)
			require.NoError(t, err)
			coins, ok := new(big.Rat).SetString(reward.Miner.String())
			require.True(t, ok)
			satoshis := coins.Mul(coins, big.NewRat(1e8, 1))
			require.Equal(t, satoshis, big.NewRat(p.Subsidy(height), 1), "height %d", height)
		}
	})
}

func TestKomododBitsAndWork(t *testing.T) {
	eachRecording(t, func(t *testing.T, r recordedChain, p *params.Params) {
		var before []params.Stamp
		work := new(big.Int)
		for height, block := range r.blocks(t) {
			if height > 0 {
				window := before[max(0, len(before)-params.WorkWindow):]
				require.Equal(t, block.Bits, p.NextBits(window), "height %d", height)
				require.Greater(t, block.Time, params.MedianTime(window), "height %d", height)
			}
			before = append(before, params.Stamp{Time: block.Time, Bits: block.Bits})
			work.Add(work, params.Work(block.Bits))
		}
		if r.Info.ChainWork != "" {
			require.Equal(t, r.Info.ChainWork, fmt.Sprintf("%064x", work))
		}
	})
}

// TestKomododActivation derives the heights of the upgrades from the transaction formats: the
// coinbase of a block has the format for its height.
func TestKomododActivation(t *testing.T) {
	eachRecording(t, func(t *testing.T, r recordedChain, p *params.Params) {
		var prevTime uint32
		for height, block := range r.blocks(t) {
			if height > 0 {
				tx, format := block.Txs[0], p.TxFormat(height)
				require.Equal(t, format, params.Format{
					Overwintered: tx.Overwintered, Version: tx.Version, VersionGroupID: tx.VersionGroupID,
				}, "height %d", height)
			}
			activation, crosses := p.ActivationAfter(height, prevTime, block.Time)
			require.Equal(t, p.TimedActivation && height == 1, crosses)
			if crosses {
				require.Equal(t, p.SaplingHeight, activation)
			}
			prevTime = block.Time
		}
		for branch, upgrade := range r.Info.Upgrades {
			switch branch {
			case fmt.Sprintf("%08x", params.SaplingBranch):
				require.Equal(t, upgrade.ActivationHeight, p.SaplingHeight)
			case fmt.Sprintf("%08x", params.OverwinterBranch):
				require.Equal(t, upgrade.ActivationHeight, p.OverwinterHeight)
			}
		}
	})
}
