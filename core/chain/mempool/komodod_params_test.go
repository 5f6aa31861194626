package mempool_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/wire"
)

// flagsOf reads the ac_* flags of a command line.
func flagsOf(t *testing.T, flags []string) *params.Params {
	t.Helper()
	o := params.Defaults()
	for _, flag := range flags {
		key, value, given := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
		if key == "regtest" && !given {
			value = "true"
		}
		if key == "regtest" || strings.HasPrefix(key, "ac_") {
			require.NoError(t, o.Set(key, value))
		}
	}
	p, err := params.New(o)
	require.NoError(t, err)
	return p
}

// probe is a transaction that a session sent and the answer to it, which is
// anything but an object when none was sent.
type probe struct {
	Form   string
	Hex    string
	Answer json.RawMessage
}

func (p probe) send(t *testing.T, label string, height int) (s send, sent bool) {
	t.Helper()
	if p.Hex == "" || len(p.Answer) == 0 || p.Answer[0] != '{' {
		return s, false
	}
	s = send{label: label + " " + p.Form, height: height, params: []any{p.Hex}}
	parse(t, p.Answer, &s.want)
	return s, true
}

// TestKomododUpgrades crosses the activation of Sapling with transactions of every
// format, and maturity and commission with the others.
func TestKomododUpgrades(t *testing.T) {
	for _, folder := range folders() {
		for _, name := range []string{"default-sapling61", "cbmaturity10", "perc-pubkey"} {
			raw, ok := read(t, folder, "params/"+name+".json")
			if !ok {
				continue
			}
			var session struct {
				StartFlags []string `json:"start_flags"`
				Blocks     []recordedBlock
				Events     []struct {
					probe
					AfterHeight int `json:"after_height"`
					Kind        string
					TxID, TxHex string
					Results     []probe
				}
			}
			parse(t, raw, &session)
			var sends []send
			for _, e := range session.Events {
				if e.TxHex != "" { // made and sent by the node itself
					sends = append(sends, send{e.Kind, e.AfterHeight, []any{e.TxHex}, answer{Result: &e.TxID}})
				}
				for _, p := range append(e.Results, e.probe) {
					if s, sent := p.send(t, e.Kind, e.AfterHeight); sent {
						sends = append(sends, s)
					}
				}
			}
			require.NotEmpty(t, sends)
			t.Run(name, func(t *testing.T) { replay(t, flagsOf(t, session.StartFlags), session.Blocks, sends) })
		}
	}
}

// TestKomododScripts sends spends of every script type. The recording does not say
// at which heights: each was sent before the block that holds the next accepted one.
func TestKomododScripts(t *testing.T) {
	for _, folder := range folders() {
		raw, ok := read(t, folder, "scripts-chain.json")
		if !ok {
			continue
		}
		var session struct {
			StartFlags []string `json:"start_flags"`
			Blocks     []recordedBlock
		}
		parse(t, raw, &session)
		heights := heightsOf(t, session.Blocks)
		raw, _ = read(t, folder, "scripts.jsonl")
		var sends []send
		for _, e := range lines[struct{ Label, Request, Response string }](t, raw) {
			if s, ok := asSend(t, e.Request, e.Response); ok {
				s.label = e.Label
				sends = append(sends, s)
			}
		}
		tip := session.Blocks[len(session.Blocks)-1].Height
		for i := len(sends) - 1; i >= 0; i-- {
			if id := sends[i].want.Result; id != nil {
				if height, mined := heights[*id]; mined {
					tip = height - 1
				}
			}
			sends[i].height = tip
		}
		replay(t, flagsOf(t, session.StartFlags), session.Blocks, sends)
	}
}

func heightsOf(t *testing.T, blocks []recordedBlock) map[string]int {
	t.Helper()
	heights := map[string]int{}
	for _, recorded := range blocks {
		raw, err := hex.DecodeString(recorded.Raw)
		require.NoError(t, err)
		b, err := wire.DecodeBlock(raw)
		require.NoError(t, err, fmt.Sprint(recorded.Height))
		for _, tx := range b.Txs {
			heights[tx.ID().String()] = recorded.Height
		}
	}
	return heights
}
