package wallet_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	recorded "obverse/core/rpc/recording"
)

// recording is a recorded komodod session: its calls and its chain.
type recording struct {
	source  string
	options params.Options
	blocks  [][]byte
	steps   []step
	keys    map[string]int // key numbers of sessions
}

// step is a call of tokencreate or tokentransfer, or a transaction that entered the mempool.
type step struct {
	name   string
	tip    int // -1 means the height at which the token of the call was confirmed
	key    int // number of the node's -pubkey: 1 for K1, 2 for K2, …
	signs  bool
	method string
	args   []string // missing in the recordings of parameters
	hex    string   // transaction that was built
	txid   string   // id of a transaction that was sent
	tx     *wire.Tx // transaction that the recording contains outside the blocks
	error  string   // business error
}

const sent = "sendrawtransaction"

// roots returns testdata and the paths in OBVERSE_KOMODOD.
func roots() []string {
	paths := []string{filepath.Join("testdata", "komodod")}
	for path := range strings.SplitSeq(os.Getenv("OBVERSE_KOMODOD"), ":") {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// eachFile calls f for every recording file below the roots.
func eachFile(t *testing.T, f func(path string, content []byte)) {
	t.Helper()
	for i, root := range roots() {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if err == nil {
				f(path, content)
			}
			return err
		})
		if i > 0 && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
	}
}

// recordings returns the recordings with calls of the two methods, in both layouts: a folder
// with chain.json, blocks.json and transcript.jsonl, and a single file with flags, blocks and
// events.
func recordings(t *testing.T) (all []recording) {
	eachFile(t, func(path string, content []byte) {
		r := recording{source: path, options: params.Defaults(), keys: map[string]int{}}
		switch {
		case filepath.Base(path) == "transcript.jsonl":
			r.readFolder(t, filepath.Dir(path), content)
		case filepath.Ext(path) == ".json":
			r.readFile(t, content)
		}
		if len(r.steps) > 0 && len(r.blocks) > 0 {
			all = append(all, r)
		}
	})
	return all
}

type recordedBlocks []struct{ Hash, Raw string }

func (r *recording) keep(t *testing.T, blocks recordedBlocks) {
	for _, b := range blocks {
		raw, err := hex.DecodeString(b.Raw)
		require.NoError(t, err)
		r.blocks = append(r.blocks, raw)
	}
	if len(blocks) > 0 {
		r.options.Regtest = recorded.IsRegtest(blocks[0].Hash)
	}
}

var keyInName = regexp.MustCompile(`\bK([1-3])\b`)

// keyOf returns the number of a node's key, derived from its start options, its answer, or the
// name of its session. The result certain is false if the number is a guess.
func keyOf(t *testing.T, session string, flags []string, answer string) (n int, certain bool) {
	for n := 1; n <= 3; n++ {
		key := chaintest.Key(t, n)
		pub := key.PublicKey()
		for _, mark := range []string{fmt.Sprintf(`"pubkey":"%x","CCid"`, pub), fmt.Sprintf(`"myaddress":"%v"`, key.Address().Text())} {
			certain = certain || strings.Contains(answer, mark)
		}
		if certain || slices.Contains(flags, fmt.Sprintf("-pubkey=%x", pub)) {
			return n, true
		}
	}
	if found := keyInName.FindStringSubmatch(session); found != nil {
		return int(found[1][0] - '0'), false
	}
	return 1, false
}

func (r *recording) readFolder(t *testing.T, dir string, transcript []byte) {
	options, err := os.ReadFile(filepath.Join(dir, "chain.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(options, &r.options))
	content, err := os.ReadFile(filepath.Join(dir, "blocks.json"))
	require.NoError(t, err)
	var blocks recordedBlocks
	require.NoError(t, json.Unmarshal(content, &blocks))
	r.keep(t, blocks)
	for line := range strings.Lines(string(transcript)) {
		r.readExchange(t, line)
	}
}

// readExchange adds a line of a transcript, unless it concerns another method.
func (r *recording) readExchange(t *testing.T, line string) {
	var x struct {
		N                 json.Number
		Tip               *int
		Session, Label    string
		TxHex             string
		StartFlags        []string `json:"start_flags"`
		Request, Response struct{ Body string }
	}
	require.NoError(t, json.Unmarshal([]byte(line), &x))
	var request struct {
		Method string
		Params []json.RawMessage
	}
	var response struct{ Result json.RawMessage }
	if json.Unmarshal([]byte(x.Request.Body), &request) != nil || json.Unmarshal([]byte(x.Response.Body), &response) != nil {
		return
	}
	s := step{name: x.N.String() + " " + x.Label, tip: -1, key: 1, signs: true, method: request.Method}
	if x.Tip != nil {
		s.tip = *x.Tip
	}
	s.signs = !strings.HasPrefix(x.Session, "B") // in these sessions, the key is not in the wallet
	if n, certain := keyOf(t, x.Session, x.StartFlags, x.Response.Body); certain || r.keys[x.Session] == 0 {
		r.keys[x.Session] = n
	}
	s.key = r.keys[x.Session]
	for _, param := range request.Params {
		var text string
		_ = json.Unmarshal(param, &text) // another type, for which komodod returns neither a business error nor a result
		s.args = append(s.args, text)
	}
	if s.readResult(response.Result) {
		switch {
		case x.TxHex != "":
			s.tx = decodeTx(t, x.TxHex)
		case s.txid != "" && request.Method == sent:
			s.tx = sentTx(t, s.args[0])
		}
		r.steps = append(r.steps, s)
	}
}

func (s *step) readResult(result json.RawMessage) bool {
	var answer struct{ Result, Hex, Error string }
	switch s.method {
	case sent, "sendtoaddress":
		s.method = sent
		return json.Unmarshal(result, &s.txid) == nil && s.txid != ""
	case "tokencreate", "tokentransfer":
		if json.Unmarshal(result, &answer) != nil || answer.Result == "" {
			return false
		}
		s.hex, s.error = answer.Hex, answer.Error
		return s.hex != "" || s.error != "" // otherwise the key was not in the wallet
	}
	return false
}

func (r *recording) readFile(t *testing.T, content []byte) {
	var file struct {
		StartFlags []string `json:"start_flags"`
		Blocks     recordedBlocks
		Events     []struct {
			After                  int `json:"after_height"`
			Kind, Hex, TxID, TxHex string
			StartFlags             []string `json:"start_flags"`
		}
	}
	if json.Unmarshal(content, &file) != nil || len(file.Events) == 0 {
		return
	}
	for _, flag := range file.StartFlags {
		if name, value, _ := strings.Cut(strings.TrimPrefix(flag, "-"), "="); strings.HasPrefix(name, "ac_") {
			require.NoError(t, r.options.Set(name, value))
		}
	}
	r.keep(t, file.Blocks)
	key, _ := keyOf(t, "", file.StartFlags, "")
	for _, e := range file.Events {
		if n, again := keyOf(t, "", e.StartFlags, ""); again {
			key = n
		}
		s := step{name: e.Kind, tip: e.After, key: key, signs: true, method: e.Kind, hex: e.Hex, txid: e.TxID}
		if s.txid != "" {
			s.method = sent
		}
		if e.TxHex != "" {
			s.tx = decodeTx(t, e.TxHex)
		}
		if s.hex != "" || s.txid != "" {
			r.steps = append(r.steps, s)
		}
	}
}

// sentTx returns the transaction that komodod decoded from the sent bytes, which may have
// trailing bytes.
func sentTx(t *testing.T, text string) *wire.Tx {
	t.Helper()
	raw, err := hex.DecodeString(text)
	require.NoError(t, err)
	r := wire.NewReader(raw)
	tx := wire.ReadTx(r)
	require.NoError(t, r.Err())
	return tx
}

func decodeTx(t *testing.T, text string) *wire.Tx {
	t.Helper()
	raw, err := hex.DecodeString(text)
	require.NoError(t, err)
	tx, err := wire.DecodeTx(raw)
	require.NoError(t, err)
	return tx
}
