package mempool_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store/bunttest"
)

// policyCase makes a valid transaction violate one rule of the relay policy.
type policyCase struct {
	name      string
	outs      []wire.TxOut        // added before signing
	scriptSig func([]byte) []byte // changes the first input's scriptSig after signing
	want      *consensus.Rejection
	onRegtest *consensus.Rejection // expected error on regtest; nil if accepted there
}

func pushes(n int) []byte { return bytes.Repeat([]byte{script.Op1}, n) }

func data(size int) wire.TxOut { // returns an output with a script of the given size
	out := chaintest.Pay(script.NullData(make([]byte, size-3)), 0)
	if len(out.Script) != size {
		panic("size")
	}
	return out
}

func policyCases(t *testing.T) []policyCase {
	k2 := chaintest.Key(t, 2)
	pub := k2.PublicKey()
	unclean := &consensus.Rejection{Code: 64, Reason: "non-mandatory-script-verify-flag (unknown error)"}
	manyValues := &consensus.Rejection{Code: 16, Reason: "mandatory-script-verify-flag-failed (Stack size limit exceeded)"}
	tooLong := &consensus.Rejection{Code: 16,
		Reason: "mandatory-script-verify-flag-failed (Operation limit exceeded)"}
	keys := func(n int) []byte {
		all := make([][]byte, n)
		for i := range all {
			all[i] = pub[:]
		}
		return chaintest.MultiSig(1, all...)
	}
	return []policyCase{
		{name: "nothing"},
		{name: "unknown output", outs: []wire.TxOut{chaintest.Pay([]byte{script.OpNop}, 5000)}, want: mempool.ErrScriptPubKey},
		{name: "locked output", outs: []wire.TxOut{chaintest.Pay(append([]byte{script.Op1, script.OpCheckLockTimeVerify,
			script.OpDrop}, k2.PubKey()...), 5000)}, want: mempool.ErrScriptPubKey},
		{name: "multisig of 9", outs: []wire.TxOut{chaintest.Pay(keys(9), 5000)}},
		{name: "multisig of 10", outs: []wire.TxOut{chaintest.Pay(keys(10), 5000)}, want: mempool.ErrScriptPubKey},
		{name: "data of 208 bytes", outs: []wire.TxOut{data(208)}},
		{name: "data of 209 bytes", outs: []wire.TxOut{data(209)}, want: mempool.ErrScriptPubKey},
		{name: "two data outputs", outs: []wire.TxOut{data(100), data(90)}, want: mempool.ErrMultiOpReturn},
		// A 44-byte output and the 148-byte input that spends it cost 19 satoshis.
		{name: "P2PK at the dust limit", outs: []wire.TxOut{chaintest.Pay(k2.PubKey(), 57)}},
		{name: "P2PK below the dust limit", outs: []wire.TxOut{chaintest.Pay(k2.PubKey(), 56)}, want: mempool.ErrDust},
		{name: "P2PKH at the dust limit", outs: []wire.TxOut{chaintest.Pay(k2.PubKeyHash(), 54)}},
		{name: "P2PKH below the dust limit", outs: []wire.TxOut{chaintest.Pay(k2.PubKeyHash(), 53)}, want: mempool.ErrDust},
		{name: "condition below the dust limit", outs: []wire.TxOut{chaintest.Pay(k2.Tokens(), 1)}},
		{name: "condition without value", outs: []wire.TxOut{chaintest.Pay(k2.Tokens(), 0)}, want: mempool.ErrDust},
		{name: "marker without value", outs: []wire.TxOut{chaintest.Pay(token.MarkerScript(), 0)}},
		{name: "scriptSig of 1651 bytes", want: mempool.ErrScriptSigSize, onRegtest: manyValues,
			scriptSig: func(sig []byte) []byte { return append(pushes(1651-len(sig)), sig...) }},
		{name: "scriptSig with an operation", want: mempool.ErrNotPushOnly, onRegtest: unclean,
			scriptSig: func(sig []byte) []byte { return append([]byte{script.Op1, script.OpDup}, sig...) }},
		{name: "scriptSig with many operations", want: mempool.ErrNotPushOnly, onRegtest: tooLong,
			scriptSig: func(sig []byte) []byte { return append(bytes.Repeat([]byte{script.OpNop}, 202), sig...) }},
	}
}

func TestPolicy(t *testing.T) {
	for _, c := range policyCases(t) {
		for chainName, want := range map[string]*consensus.Rejection{sapling: c.want, regtest: c.onRegtest} {
			t.Run(c.name+" on "+chainName, func(t *testing.T) {
				n := start(t, chainName)
				outs := append([]wire.TxOut{chaintest.Pay(n.key(1).PubKey(), coinValue/2)}, c.outs...)
				tx := n.Tx([]chaintest.Coin{n.coin()}, outs...)
				if c.scriptSig != nil {
					tx.Inputs[0].ScriptSig = c.scriptSig(tx.Inputs[0].ScriptSig)
				}
				_, err := n.pool.Accept(t.Context(), tx.Encode(), true)
				if want == nil {
					require.NoError(t, err)
					return
				}
				requireRefusal(t, err, mempool.CodeRejected, want.Error(), nil)
			})
		}
	}
}

// TestVersions sends transactions with legacy versions that nodes do not make. Later formats
// have only one version each.
func TestVersions(t *testing.T) {
	for version, want := range map[uint32]error{1: nil, 2: nil, 3: mempool.ErrTxVersion, 4: mempool.ErrTxVersion} {
		for _, upgrades := range []string{"ac_sapling=1000", "ac_sapling=1000 regtest=true"} {
			n := start(t, options+upgrades)
			coin := []chaintest.Coin{n.coin()}
			tx := n.payment(coin...)
			tx.Version = version
			chaintest.Sign(t, tx, 0, coin, n.key(1))
			err := n.accept(tx)
			if want == nil || n.Params().Regtest {
				require.NoError(t, err, version)
			} else {
				require.ErrorIs(t, err, want, version)
			}
		}
	}
}

func TestDataCarrierSize(t *testing.T) {
	n := start(t, sapling)
	large := startWith(t, mempool.Config{DataCarrierSize: 300})
	for size, want := range map[int]error{300: nil, 301: mempool.ErrScriptPubKey} {
		out := chaintest.Pay(script.NullData(make([]byte, size-4)), 0)
		require.Len(t, out.Script, size)
		pay := func(n *node) *wire.Tx {
			return n.Tx([]chaintest.Coin{n.coin()}, chaintest.Pay(n.key(1).PubKey(), coinValue-100), out)
		}
		require.ErrorIs(t, n.accept(pay(n)), mempool.ErrScriptPubKey)
		require.ErrorIs(t, large.accept(pay(large)), want)
	}
}

// nonstandardInputs lists spends that relaying refuses without a message, with komodod's answer
// on regtest. The spent coin has the given script or, if that is a hash, the redeem script.
var nonstandardInputs = []struct {
	name      string
	pkScript  []byte
	scriptSig []byte
	standard  bool
	onRegtest string
}{
	{"nothing to check", []byte{script.Op1}, nil, false, ""},
	{"hash of a data script, which expects nothing", p2sh(script.OpReturn), push(script.OpReturn), false,
		"16: mandatory-script-verify-flag-failed (OP_RETURN was encountered)"},
	{"hash of an unknown script", p2sh(script.Op1), push(script.Op1), true, ""},
	{"hash of an unknown script with 15 checks", p2sh(checks(15)...), push(checks(15)...), true, ""},
	{"hash of an unknown script with 16 checks", p2sh(checks(16)...), push(checks(16)...), false, ""},
	{"script hash without its script", p2sh(script.Op1), nil, false,
		"16: mandatory-script-verify-flag-failed (Operation not valid with the current stack size)"},
}

func p2sh(redeem ...byte) []byte { return script.PayToScriptHash(script.Hash160(redeem)) }

func push(redeem ...byte) []byte { return script.PushData(redeem) }

// checks returns a script with n signature checks in a branch that is never executed.
func checks(n int) []byte {
	s := append([]byte{script.Op0, script.OpIf}, bytes.Repeat([]byte{script.OpCheckSig}, n)...)
	return append(s, script.OpEndIf, script.Op1)
}

func TestNonstandardInputs(t *testing.T) {
	for _, c := range nonstandardInputs {
		for _, chainName := range []string{sapling, regtest} {
			t.Run(c.name+" on "+chainName, func(t *testing.T) {
				n := start(t, chainName)
				funding := n.Tx([]chaintest.Coin{n.coin()}, chaintest.Pay(c.pkScript, coinValue-100))
				n.Mine(funding)
				tx := n.payment(chaintest.Output(funding, 0))
				tx.Inputs[0].ScriptSig = c.scriptSig
				switch err := n.accept(tx); {
				case !n.Params().Regtest && !c.standard:
					requireRefusal(t, err, mempool.CodeFailed, "", mempool.ErrNonstandardInputs)
				case n.Params().Regtest && c.onRegtest != "":
					requireRefusal(t, err, mempool.CodeRejected, c.onRegtest, nil)
				default:
					require.NoError(t, err)
				}
			})
		}
	}
}

// TestTokenScriptSigs checks scriptSigs of conditions and keys that komodod refuses with
// different messages on regtest and on other chains.
func TestTokenScriptSigs(t *testing.T) {
	for name, spoil := range map[string]func(sig []byte) []byte{
		"empty":      func([]byte) []byte { return nil },
		"extra push": func(sig []byte) []byte { return append(sig, script.Op1) },
	} {
		t.Run(name, func(t *testing.T) {
			n := start(t, sapling)
			for _, owned := range [][]byte{n.key(1).PubKey(), n.key(1).Tokens()} {
				funding := n.Tx([]chaintest.Coin{n.coin()}, chaintest.Pay(owned, coinValue-100))
				n.Mine(funding)
				tx := n.payment(chaintest.Output(funding, 0))
				tx.Inputs[0].ScriptSig = spoil(tx.Inputs[0].ScriptSig)
				requireRefusal(t, n.accept(tx), mempool.CodeFailed, "", mempool.ErrNonstandardInputs)
			}
		})
	}
}

// free returns a node with a fee limit that has K1 as its own key, and the node's clock.
func free(t *testing.T, options string) (n *node, clock *time.Time) {
	t.Helper()
	now := chaintest.Now()
	pub := chaintest.Key(t, 1).PubKey()
	relay := mempool.Relay{Fee: 100, Free: 15, IsMine: func(pkScript []byte) bool { return string(pkScript) == string(pub) }}
	kv := bunttest.Memory(t)
	c := chaintest.New(t, kv, chaintest.Params(t, options))
	pool, err := mempool.New(t.Context(), mempool.Config{Manager: c.Manager, Store: kv, Now: func() time.Time { return now }, Relay: &relay})
	require.NoError(t, err)
	n = &node{Chain: c, pool: pool, t: t}
	n.fund(50)
	return n, &now
}

// flood returns a transaction that spends a coin to the given number of condition outputs.
func (n *node) flood(from chaintest.Coin, outputs int, value, fee int64) *wire.Tx {
	n.t.Helper()
	outs := make([]wire.TxOut, outputs)
	for i := range outs {
		outs[i] = chaintest.Pay(n.key(2).Tokens(), value)
	}
	return n.Tx([]chaintest.Coin{from}, append(outs, chaintest.Pay(n.key(2).PubKey(), from.Value-int64(outputs)*value-fee))...)
}

func requireRejected(t *testing.T, err error, code int, reason string) {
	t.Helper()
	var rejected *consensus.Rejection
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, code, rejected.Code)
	require.Contains(t, rejected.Reason, reason)
}

// TestRelayFee checks the minimum fee of transactions that the node's own key did not sign.
func TestRelayFee(t *testing.T) {
	n, _ := free(t, sapling)
	theirs := n.Tx([]chaintest.Coin{n.coin()}, chaintest.Pay(n.key(2).PubKey(), coinValue-100))
	n.Mine(theirs)
	from := chaintest.Output(theirs, 0)
	pay := func(fee int64) *wire.Tx {
		return n.Tx([]chaintest.Coin{from}, chaintest.Pay(n.key(2).PubKey(), from.Value-fee))
	}
	for _, fee := range []int64{0, 1, 17} {
		requireRejected(t, n.accept(pay(fee)), 66, "insufficient fee: ")
	}
	n.mustAccept(pay(19))

	regtested, _ := free(t, regtest) // komodod's tests send transactions without fees on regtest
	theirs = regtested.Tx([]chaintest.Coin{regtested.coin()}, chaintest.Pay(n.key(2).PubKey(), coinValue))
	regtested.mustAccept(theirs, regtested.flood(chaintest.Output(theirs, 0), 3, 0, 0))
}

// TestFreeTransactions checks that the node's own key and other nodes may send a limited number
// of bytes per minute without a fee, but no condition outputs of zero value.
func TestFreeTransactions(t *testing.T) {
	const rateLimited = "rate limited free transaction"
	for name, accept := range map[string]func(*node, *wire.Tx) error{
		"own": (*node).accept,
		"heard": func(n *node, tx *wire.Tx) error {
			_, err := n.pool.Hear(t.Context(), tx.Encode())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			n, clock := free(t, sapling)
			if name == "heard" { // the limit applies to transactions of any key
				theirs := n.Tx([]chaintest.Coin{n.large}, chaintest.Pay(n.key(2).PubKey(), n.large.Value-100))
				n.Mine(theirs)
				n.large = chaintest.Output(theirs, 0)
			}
			require.ErrorIs(t, accept(n, n.flood(n.coin(), 10, 0, 1_000)), mempool.ErrDust)
			requireRejected(t, accept(n, n.flood(n.coin(), 900, 1, 0)), 66, "insufficient fee") // exceeds the maximum size of a free transaction
			taken := 0
			for ; taken < 20; taken++ {
				if tx := n.flood(n.coin(), 600, 1, 0); accept(n, tx) != nil {
					break
				}
			}
			require.Equal(t, 4, taken, "150,000 bytes, of 33,000 each")
			requireRejected(t, accept(n, n.flood(n.coin(), 600, 1, 0)), 66, rateLimited)
			require.NoError(t, accept(n, n.flood(n.coin(), 600, 1, 4_000)), "what pays waits for nothing")
			*clock = clock.Add(3 * time.Minute)
			require.NoError(t, accept(n, n.flood(n.coin(), 600, 1, 0)))
			requireRejected(t, accept(n, n.flood(n.coin(), 600, 1, 0)), 66, rateLimited)
		})
	}
}

// TestInvalidFreeTransactions checks that refused transactions do not count towards the limit
// of free transactions.
func TestInvalidFreeTransactions(t *testing.T) {
	n, _ := free(t, sapling)
	for range 20 {
		tx := n.flood(n.coin(), 600, 1, 0)
		tx.Inputs[0].ScriptSig = script.PushData(make([]byte, 72))
		require.Error(t, n.accept(tx))
	}
	n.mustAccept(n.flood(n.coin(), 600, 1, 0))
	n.look(func(*chain.View) { require.Equal(t, 1, n.pool.Size()) })
}
