package script

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
	"obverse/core/rpc/recording"
)

const saplingBranch = 0x76b809bb

func vectors[T any](t testing.TB, name string) (all []T) {
	t.Helper()
	for _, b := range recording.Read(t, "testdata", "OBVERSE_VECTORS", name) {
		var samples []T
		require.NoError(t, json.Unmarshal(b, &samples))
		require.NotEmpty(t, samples)
		all = append(all, samples...)
	}
	return all
}

func komodod[T any](t testing.TB, name string) (all []T) {
	t.Helper()
	for _, b := range recording.Read(t, "testdata/komodod", "OBVERSE_KOMODOD", name) {
		var one T
		require.NoError(t, json.Unmarshal(b, &one))
		all = append(all, one)
	}
	return all
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

func decodeTx(t testing.TB, s string) *wire.Tx {
	t.Helper()
	tx, err := wire.DecodeTx(unhex(t, s))
	require.NoError(t, err)
	return tx
}

func branchOf(tx *wire.Tx) uint32 {
	if tx.Overwintered {
		return saplingBranch
	}
	return 0
}

// assemble converts text to a script: numbers and 'strings' are pushed, 0x… is raw, and other
// words are opcodes without the prefix OP_.
func assemble(t testing.TB, text string) (script []byte) {
	t.Helper()
	for _, word := range strings.Fields(text) {
		n, err := strconv.ParseInt(word, 10, 64)
		switch {
		case err == nil:
			script = AppendNumber(script, n)
		case strings.HasPrefix(word, "0x"):
			script = append(script, unhex(t, word[2:])...)
		case word[0] == '\'':
			script = AppendPush(script, []byte(strings.Trim(word, "'")))
		default:
			script = append(script, opcodeNamed(t, "OP_"+word))
		}
	}
	return script
}

func opcodeNamed(t testing.TB, name string) byte {
	t.Helper()
	if name == "OP_CHECKLOCKTIMEVERIFY" {
		return OpCheckLockTimeVerify
	}
	for op := range operations {
		if operations[op].name == name {
			return byte(op)
		}
	}
	require.FailNow(t, "no opcode", name)
	return 0
}

// testKey returns a key whose secret consists of one repeated byte.
func testKey(b byte) *btcec.PrivateKey {
	var secret [32]byte
	for i := range secret {
		secret[i] = b
	}
	key, _ := btcec.PrivKeyFromBytes(secret[:])
	return key
}

func pubKey(b byte) []byte { return testKey(b).PubKey().SerializeCompressed() }

// spending returns a Sapling transaction with two inputs and outputs; input 0 spends an output
// of one coin.
func spending() *Spend {
	tx := &wire.Tx{
		Overwintered: true, Version: wire.SaplingVersion, VersionGroupID: wire.SaplingGroupID,
		Inputs: []wire.TxIn{
			{PrevOut: wire.OutPoint{Hash: wire.HashOf([]byte("a")), Index: 1}, Sequence: 0xfffffffe},
			{PrevOut: wire.OutPoint{Hash: wire.HashOf([]byte("b"))}, Sequence: 0xffffffff},
		},
		Outputs: []wire.TxOut{
			{Value: 60_000_000, Script: PayToPubKey(pubKey(9))},
			{Value: 39_990_000, Script: PayToPubKeyHash(Hash160(pubKey(8)))},
		},
		LockTime: 100, ExpiryHeight: 300,
	}
	return &Spend{Tx: tx, Amount: 100_000_000, BranchID: saplingBranch}
}

func legacySpending() *Spend {
	s := spending()
	s.Tx.Overwintered, s.Tx.VersionGroupID, s.Tx.ExpiryHeight, s.Tx.Version = false, 0, 0, 1
	s.BranchID = 0
	return s
}

// sign returns key b's DER signature for scriptCode, followed by the hash type.
func (s *Spend) sign(t testing.TB, b byte, scriptCode []byte, hashType byte) []byte {
	t.Helper()
	hash, err := s.signatureHash(scriptCode, hashType)
	require.NoError(t, err)
	return append(ecdsa.Sign(testKey(b), hash[:]).Serialize(), hashType)
}

func (s *Spend) setScriptSig(script []byte) { s.Tx.Inputs[s.Index].ScriptSig = script }

func pushAll(values ...[]byte) (script []byte) {
	for _, v := range values {
		script = AppendPush(script, v)
	}
	return script
}

// requireKind requires exactly the given error. Nil means success.
func requireKind(t testing.TB, err error, want error) {
	t.Helper()
	if want == nil {
		require.NoError(t, err)
		return
	}
	var scriptErr *Error
	require.ErrorAs(t, err, &scriptErr)
	require.ErrorIs(t, err, want, "got %v", err)
}

// payToMultiSig returns a multisignature script with at most 16 keys, of which required must
// sign.
func payToMultiSig(required int, pubs ...[]byte) []byte {
	script := AppendNumber(nil, int64(required))
	for _, pub := range pubs {
		script = AppendPush(script, pub)
	}
	return append(AppendNumber(script, int64(len(pubs))), OpCheckMultiSig)
}
