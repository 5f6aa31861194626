package daemon_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/daemon"
	"obverse/core/daemon/daemontest"
	"obverse/core/key"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
)

// walletFolder contains the recordings of komodod's wallet.
const walletFolder = "testdata/komodod-wallet"

// walletCall is one recorded call.
type walletCall struct {
	Session           string
	N                 json.Number
	Name, Note        string
	Method            string
	Params            []json.RawMessage
	Status            int `json:"http_status"`
	Height            int
	Time              int64
	Request, Response string
}

func (c walletCall) String() string {
	return fmt.Sprintf("%s %s %s: %s", c.Session, c.N, c.Name, c.Method)
}

// walletSession is a recording file.
type walletSession struct {
	ChainName string `json:"chain_name"`
	Flags     []string
	calls     []walletCall
	raw       map[string]string // transactions in hexadecimal, by id
}

func readWalletSession(t *testing.T, name string) (s walletSession) {
	t.Helper()
	file, err := os.Open(filepath.Join(walletFolder, name))
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewReader(file)
	s.raw = map[string]string{}
	for n := 0; ; n++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 && n == 0 {
			require.NoError(t, json.Unmarshal(line, &s))
		} else if len(bytes.TrimSpace(line)) > 0 {
			var c walletCall
			require.NoError(t, json.Unmarshal(line, &c))
			s.calls = append(s.calls, c)
		}
		if err != nil {
			return s
		}
	}
}

// walletNode is a node to which recorded calls are replayed.
type walletNode struct {
	*station
	t      *testing.T
	blocks []daemontest.Block
	height int
	now    int64
	swaps  []string // pairs of a recorded text and the node's text
	raw    map[string]string
	pubkey string
}

func newWalletNode(t *testing.T, s walletSession) *walletNode {
	t.Helper()
	var chains map[string]params.Options
	raw, err := os.ReadFile(filepath.Join(walletFolder, "chain.json"))
	require.NoError(t, err)
	var loose map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &loose))
	chains = map[string]params.Options{}
	for name, text := range loose {
		o := params.Defaults()
		require.NoError(t, json.Unmarshal(text, &o))
		o.Regtest = true
		chains[name] = o
	}
	p, err := params.New(chains[s.ChainName])
	require.NoError(t, err)
	n := &walletNode{station: newStation(t, p), t: t, raw: s.raw}
	n.Now = func() time.Time { return time.Unix(n.now, 0) }
	daemontest.ReadJSON(t, filepath.Join(walletFolder, "blocks-"+s.ChainName+".json"), &n.blocks)
	for _, b := range n.blocks {
		for _, tx := range b.Decode(t).Txs {
			n.raw[tx.ID().String()] = hex.EncodeToString(tx.Encode())
		}
	}
	for _, f := range s.Flags {
		if k, v, _ := strings.Cut(f, "="); k == "-pubkey" {
			n.pubkey = v
		}
	}
	return n
}

// grow connects the recorded blocks up to a height.
func (n *walletNode) grow(height int) {
	for n.height < height {
		n.height++
		_, err := n.Manager.Submit(n.t.Context(), n.blocks[n.height].Bytes(n.t))
		require.NoError(n.t, err)
	}
}

// reset replaces the node's wallet with an empty one.
func (n *walletNode) reset() {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(n.t, err)
	n.t.Cleanup(func() { require.NoError(n.t, kv.Close()) })
	n.kv = kv
	n.use(chaintest.Key(n.t, 1).Private)
	n.swaps = nil
}

// translate replaces recorded random keys and transactions in a text with the node's.
func (n *walletNode) translate(text string) string {
	return strings.NewReplacer(n.swaps...).Replace(text)
}

func (n *walletNode) serve(request string) (status int, reply string) {
	s, out := n.server.Serve(n.t.Context(), rpc.Caller{Authorized: true}, []byte(request))
	return s, strings.TrimSpace(string(out))
}

// selectKey selects the key of -pubkey for signing once the key has been imported.
func (n *walletNode) selectKey(c walletCall) {
	var text string
	if n.pubkey == "" || c.Method != "importprivkey" || c.Status != 200 || len(c.Params) == 0 || json.Unmarshal(c.Params[0], &text) != nil {
		return
	}
	private, compressed, err := key.ImportWIF(text, 188)
	if err == nil && compressed {
		public := private.PublicKey()
		if hex.EncodeToString(public[:]) == n.pubkey || c.N == "0" {
			n.Wallet.Select(private)
		}
	}
}

// substitute replaces the node's last transaction in the mempool with the recorded one, so that
// later calls refer to the same transaction. It reports whether this was possible.
func (n *walletNode) substitute(ourID, recorded string) bool {
	raw, known := n.raw[recorded]
	if !known {
		return false
	}
	var others []string
	for _, e := range n.Pool.Entries() {
		if e.ID.String() != ourID {
			others = append(others, hex.EncodeToString(e.Raw))
		}
	}
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(n.t, err)
	n.t.Cleanup(func() { require.NoError(n.t, kv.Close()) })
	n.Pool, err = mempool.New(n.t.Context(), mempool.Config{Manager: n.Manager, Store: kv, Now: n.Now})
	require.NoError(n.t, err)
	for _, tx := range append(others, raw) {
		if a := n.answer("sendrawtransaction", tx); a.Error != nil {
			n.t.Logf("substitute %s: %s", recorded, a.Error.Message)
			return false
		}
	}
	return true
}

// walletSessions are the names of the recording files, in the order of the replay.
var walletSessions = []string{"keys", "keys-noexport", "send-pubkey", "sendmany-lock-fee", "raw-a", "multisig", "lists", "node-calls",
	"encrypt-disabled", "encrypt-a", "immature", "rejected", "token-issuer", "token-create-many"}

// TestWalletReplay replays recordings of komodod's wallet. Every response must be equal, byte for
// byte, unless the difference is listed in walletDifferences.
func TestWalletReplay(t *testing.T) {
	equal, excused, reasons := 0, 0, map[string]int{}
	for _, name := range walletSessions {
		t.Run(name, func(t *testing.T) {
			s := readWalletSession(t, name+".jsonl")
			for _, c := range s.calls {
				collectRaw(c, s.raw)
			}
			n := newWalletNode(t, s)
			session := ""
			for _, c := range s.calls {
				if c.Session != session {
					if !strings.HasSuffix(c.Session, "-2") { // the suffix marks a session that continues the wallet
						n.reset()
					}
					session = c.Session
				}
				n.now = c.Time
				n.grow(c.Height)
				switch verdict := n.replay(c); {
				case verdict == equalAnswer:
					equal++
				case verdict == "":
					excused++
				case differs(c) != "":
					reasons[differs(c)]++
				default:
					t.Errorf("%v\n  %s", c, verdict)
				}
			}
		})
	}
	t.Logf("%d answers are equal, %d but for random keys, times, help and methods that are not offered; others: %v", equal, excused, reasons)
	require.GreaterOrEqual(t, equal, 750)
	require.Len(t, reasons, len(walletDifferences), "each reason is needed")
}

// equalAnswer is the verdict on a response that equals the recorded one.
const equalAnswer = "equal"

// collectRaw adds the transactions in a recorded call to raw.
func collectRaw(c walletCall, raw map[string]string) {
	var a struct {
		Result struct{ Hex, TxID string }
	}
	if json.Unmarshal([]byte(c.Response), &a) == nil && a.Result.Hex != "" {
		if b, err := hex.DecodeString(a.Result.Hex); err == nil {
			if tx, err := wire.DecodeTx(b); err == nil {
				raw[tx.ID().String()] = a.Result.Hex
			}
		}
	}
	if len(c.Params) > 0 && c.Method == "sendrawtransaction" {
		var text string
		if json.Unmarshal(c.Params[0], &text) == nil {
			if b, err := hex.DecodeString(text); err == nil {
				if tx, err := wire.DecodeTx(b); err == nil {
					raw[tx.ID().String()] = text
				}
			}
		}
	}
}

// replay replays a call. It returns equalAnswer, "" for an expected difference or a call without
// comparison, or a description of the difference.
func (n *walletNode) replay(c walletCall) (verdict string) {
	switch c.Method {
	case "generate":
		if c.Status == 200 {
			var count int
			if len(c.Params) == 0 || json.Unmarshal(c.Params[0], &count) != nil {
				count = 1
			}
			n.grow(min(c.Height+count, len(n.blocks)-1))
		}
		return ""
	case "(summary)", "setmocktime", "invalidateblock":
		return ""
	}
	if c.Request == "" { // a transaction that other wallets sent
		body, err := json.Marshal(map[string]any{"id": "w", "method": c.Method, "params": c.Params})
		require.NoError(n.t, err)
		c.Request, c.Response = string(body), ""
		_, reply := n.serve(c.Request)
		require.Contains(n.t, reply, `"error":null`, "%v", c)
		return ""
	}
	status, reply := n.serve(n.translate(c.Request))
	n.selectKey(c)
	want := strings.TrimSpace(n.translate(c.Response))
	if status == c.Status && reply == want {
		return equalAnswer
	}
	if status == c.Status && masked(reply) == masked(want) || status == 404 && notOffered(c.Method) {
		return ""
	}
	if status == c.Status && status != 200 && strings.Contains(want, `\n\nArguments`) || strings.Contains(want, `\n\nExamples`) || strings.Contains(want, `\n\nResult`) {
		if status == c.Status && strings.Contains(reply, `"code":-1,`) {
			return ""
		}
	}
	var mine, theirs struct{ Result any }
	if status == 200 && c.Status == 200 && json.Unmarshal([]byte(reply), &mine) == nil && json.Unmarshal([]byte(want), &theirs) == nil {
		a, isA := mine.Result.(string)
		b, isB := theirs.Result.(string)
		switch {
		case isA && isB && slices.Contains([]string{"getnewaddress", "getrawchangeaddress", "getaccountaddress", "dumpprivkey"}, c.Method):
			n.swaps = append(n.swaps, b, a)
			return ""
		case isA && isB && slices.Contains([]string{"sendtoaddress", "sendmany", "sendfrom"}, c.Method):
			return fmt.Sprintf("txid %s, recorded %s; what follows is replayed with the recorded one: %v", a, b, n.substitute(a, b))
		}
	}
	return fmt.Sprintf("request %s\n  status %d, recorded %d\n  reply    %s\n  recorded %s", clipText(n.translate(c.Request)), status, c.Status, diffText(reply, want), diffText(want, reply))
}

// notOffered reports whether the node rejects a method of komodod with a hint.
func notOffered(method string) bool {
	_, known := daemon.Absent(method)
	return known
}

// masks matches members that differ by design. The wallet does not store when it first saw a
// transaction that was already in a block, and its keys are derived from another seed.
var masks = regexp.MustCompile(`"timereceived":\d+|"seedfp":"[0-9a-f]+"|"keypoololdest":\d+|"keypoolsize":\d+|"hdkeypath":"[^"]+",?|"confirmations":\d+,|"last_notarized_height":\d+,`)

func masked(text string) string { return masks.ReplaceAllString(text, "") }

func clipText(s string) string {
	if len(s) > 400 {
		return s[:400] + "…"
	}
	return s
}

// diffText returns the part of a that begins shortly before the first difference from b.
func diffText(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	start := max(0, i-120)
	return fmt.Sprintf("[%d]…%s", i, clipText(a[start:]))
}
