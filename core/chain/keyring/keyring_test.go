package keyring_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/keyring"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/key"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

func memory(t *testing.T) store.KV {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	return kv
}

func open(t *testing.T, kv store.KV, node *key.Private) *keyring.Ring {
	t.Helper()
	r, err := keyring.Open(t.Context(), keyring.Config{Store: kv, Random: rand.Reader, Node: node, Now: func() time.Time { return time.Unix(1_700_000_000, 0) }})
	require.NoError(t, err)
	return r
}

// TestDerivedKeys compares keys with the keys that other programs derive from the same seed at
// the documented paths.
func TestDerivedKeys(t *testing.T) {
	node := chaintest.Key(t, 1).Private
	r := open(t, memory(t), node)
	seed := node.Secret()
	for _, change := range []bool{false, true} {
		for n := range uint32(3) {
			k, err := r.NewKey(t.Context(), change, "")
			require.NoError(t, err)
			require.Equal(t, n, k.Index)
			want := map[bool]string{false: "m/44'/141'/0'/0/", true: "m/44'/141'/0'/1/"}[change] + string('0'+byte(n))
			require.Equal(t, want, k.Path())
			require.Equal(t, hex.EncodeToString(derived(t, seed[:], k.Path())), hex.EncodeToString(k.Public))
			secret, err := r.Secret(k)
			require.NoError(t, err)
			public := secret.PublicKey()
			require.Equal(t, k.Public, public[:])
		}
	}
}

// TestReopen checks that everything is restored from the store, and that the keys that received
// coins are restored from the phrase alone.
func TestReopen(t *testing.T) {
	kv, node := memory(t), chaintest.Key(t, 1).Private
	r := open(t, kv, node)
	first, err := r.NewKey(t.Context(), false, "alice")
	require.NoError(t, err)
	imported := chaintest.Key(t, 2).Private
	_, known, err := r.Import(t.Context(), imported, true, 1)
	require.NoError(t, err)
	require.False(t, known)
	_, known, err = r.Import(t.Context(), imported, true, 1)
	require.NoError(t, err)
	require.True(t, known)
	plain, _, err := r.Import(t.Context(), imported, false, 1)
	require.NoError(t, err)
	require.Len(t, plain.Public, 65)
	watched := chaintest.Key(t, 3)
	require.NoError(t, r.Watch(t.Context(), watched.PubKeyHash()))
	redeem := []byte{script.Op1, script.OpDrop}
	require.NoError(t, r.AddRedeem(t.Context(), redeem, "joint"))
	require.NoError(t, r.SetCurrent(t.Context(), "alice", first.Address()))
	_, err = r.Note(t.Context(), wire.Hash{7}, keyring.Note{Account: "alice", Texts: []keyring.Text{{Name: "to", Value: "Bob"}}})
	require.NoError(t, err)

	again := open(t, kv, node)
	require.Equal(t, r.Keys(false), again.Keys(false))
	require.Equal(t, r.Named(), again.Named())
	entry, named := again.Entry(first.Address())
	require.True(t, named)
	require.Equal(t, keyring.Entry{Account: "alice", Purpose: "receive"}, entry)
	current, _ := again.Current("alice")
	require.Equal(t, first.Address(), current)
	require.Equal(t, keyring.Mine, again.Relation(chaintest.Key(t, 2).PubKey()))
	require.Equal(t, keyring.Mine, again.Relation(script.PayToPubKey(plain.Public)))
	require.Equal(t, keyring.WatchOnly, again.Relation(watched.PubKeyHash()))
	require.Equal(t, keyring.WatchOnly, again.Relation(watched.PubKey()), "also outputs to its public key")
	require.Equal(t, keyring.Foreign, again.Relation(chaintest.Key(t, 3).Tokens()))
	notes, err := again.Notes(t.Context(), wire.Hash{8}, wire.Hash{7})
	require.NoError(t, err)
	require.Nil(t, notes[0])
	require.Equal(t, "Bob", notes[1].Texts[0].Value)
	second, err := again.NewKey(t.Context(), false, "")
	require.NoError(t, err)
	require.EqualValues(t, 1, second.Index)

	other := open(t, kv, chaintest.Key(t, 2).Private)
	require.Len(t, other.Keys(false), 1, "each key has rows of its own")
}

// TestSecretsAreEncrypted checks that the store contains no readable secrets.
func TestSecretsAreEncrypted(t *testing.T) {
	kv := memory(t)
	r := open(t, kv, chaintest.Key(t, 1).Private)
	imported := chaintest.Key(t, 2)
	k, _, err := r.Import(t.Context(), imported.Private, true, 1)
	require.NoError(t, err)
	require.NoError(t, r.Name(t.Context(), k.Address(), "salaries"))
	secret := imported.Private.Secret()
	rows, err := kv.Scan(t.Context(), "", "", 1000)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	for _, row := range rows {
		all := row.Key + row.Data
		for _, text := range []string{string(secret[:]), hex.EncodeToString(secret[:]), imported.Private.WIF(), k.Address().String(), hex.EncodeToString(k.Hash[:]), "salaries"} {
			require.NotContains(t, all, text)
		}
	}
	for _, printed := range []any{r, k} {
		require.NotContains(t, strings.ToLower(spell(printed)), hex.EncodeToString(secret[:]))
	}
}

// TestDamage checks that changed rows are rejected, since keys must not be lost silently.
func TestDamage(t *testing.T) {
	kv, node := memory(t), chaintest.Key(t, 1).Private
	_, err := open(t, kv, node).NewKey(t.Context(), false, "")
	require.NoError(t, err)
	rows, err := kv.Scan(t.Context(), "W/", "", 10)
	require.NoError(t, err)
	damaged := []byte(rows[0].Data)
	damaged[len(damaged)-1] ^= 1
	var b store.Batch
	b.Put(rows[0].Key, string(damaged))
	require.NoError(t, store.Apply(t.Context(), kv, b))
	_, err = keyring.Open(t.Context(), keyring.Config{Store: kv, Random: rand.Reader, Node: node, Now: time.Now})
	require.ErrorIs(t, err, keyring.ErrDamaged)
}

// TestFind checks that a wallet with only its phrase finds the keys that received coins.
func TestFind(t *testing.T) {
	c := chaintest.InMemory(t, "ac_name=FIND ac_supply=1000 ac_reward=100000000 ac_cc=2 ac_sapling=1")
	lost := open(t, memory(t), chaintest.Key(t, 2).Private)
	var used *keyring.Key
	for range keyring.Lookahead {
		var err error
		used, err = lost.NewKey(t.Context(), false, "")
		require.NoError(t, err)
	}
	coinbase := chaintest.Output(c.Mine().Txs[0], 0)
	k1 := chaintest.Key(t, 1)
	tx := c.Tx([]chaintest.Coin{coinbase}, chaintest.Pay(used.Address().PkScript(), 1000), chaintest.Pay(k1.PubKey(), coinbase.Value-2000))
	c.Mine(chaintest.Sign(t, tx, c.Params().BranchID(2), []chaintest.Coin{coinbase}, k1))

	restored := open(t, memory(t), chaintest.Key(t, 2).Private)
	require.Equal(t, keyring.Mine, restored.Relation(used.Address().PkScript()), "the lookahead has it")
	require.NoError(t, c.Manager.Read(t.Context(), func(v *chain.View) error { return restored.Find(v) }))
	next, err := restored.NewKey(t.Context(), false, "")
	require.NoError(t, err)
	require.EqualValues(t, keyring.Lookahead, next.Index, "an address that had coins is not given out again")
}

// TestFollow checks that a wallet that was restored before its chain was read has the keys of each
// block at once.
func TestFollow(t *testing.T) {
	lost := open(t, memory(t), chaintest.Key(t, 2).Private)
	var used []*keyring.Key
	for range 2 * keyring.Lookahead {
		k, err := lost.NewKey(t.Context(), false, "")
		require.NoError(t, err)
		used = append(used, k)
	}
	c, k1 := chaintest.InMemory(t, "ac_name=FIND ac_supply=1000 ac_reward=100000000 ac_cc=2 ac_sapling=1"), chaintest.Key(t, 1)
	restored := open(t, memory(t), chaintest.Key(t, 2).Private)
	c.Manager.Follow(restored)
	for _, index := range []int{15, 30} {
		coinbase := chaintest.Output(c.Mine().Txs[0], 0)
		tx := c.Tx([]chaintest.Coin{coinbase}, chaintest.Pay(used[index].Address().PkScript(), coinbase.Value-1000))
		c.Mine(chaintest.Sign(t, tx, c.Params().BranchID(2), []chaintest.Coin{coinbase}, k1))
		require.Equal(t, keyring.Mine, restored.Relation(used[min(index+keyring.Lookahead, len(used)-1)].Address().PkScript()), "the lookahead begins after index %d", index)
	}
	next, err := restored.NewKey(t.Context(), false, "")
	require.NoError(t, err)
	require.EqualValues(t, 31, next.Index)
}

// TestLock checks that a locked wallet returns no secrets, and issues only keys that are
// derived already.
func TestLock(t *testing.T) {
	r := open(t, memory(t), chaintest.Key(t, 1).Private)
	require.False(t, r.Locked())
	k, err := r.NewKey(t.Context(), false, "")
	require.NoError(t, err)
	r.Lock()
	_, err = r.Secret(k)
	require.ErrorIs(t, err, keyring.ErrLocked)
	_, ok := r.Signer(k.Hash)
	require.False(t, ok)
	for range keyring.Lookahead {
		_, err = r.NewKey(t.Context(), false, "")
		require.NoError(t, err)
	}
	_, err = r.NewKey(t.Context(), false, "")
	require.ErrorIs(t, err, keyring.ErrExhausted)
	require.NoError(t, r.Unlock(time.Unix(1_700_000_001, 0)))
	_, err = r.NewKey(t.Context(), false, "")
	require.NoError(t, err)
	require.NoError(t, r.Unlock(time.Unix(1_700_000_000, 0)))
	require.True(t, r.Locked(), "the time is over")
}

// TestRelation checks how scripts with the wallet's keys are classified.
func TestRelation(t *testing.T) {
	r := open(t, memory(t), chaintest.Key(t, 1).Private)
	k1, k2 := chaintest.Key(t, 1), chaintest.Key(t, 2)
	multi := func(keys ...chaintest.Signer) []byte {
		s := []byte{script.Op1}
		for _, k := range keys {
			public := k.PublicKey()
			s = script.AppendPush(s, public[:])
		}
		return append(s, script.Op1+byte(len(keys))-1, script.OpCheckMultiSig)
	}
	joint, single := multi(k1, k2), multi(k1)
	locked := append(script.AppendPush(nil, []byte{1, 2, 3, 4}), script.OpCheckLockTimeVerify, script.OpDrop)
	require.NoError(t, r.AddRedeem(t.Context(), joint, ""))
	require.NoError(t, r.AddRedeem(t.Context(), single, ""))
	for name, c := range map[string]struct {
		script []byte
		want   keyring.Relation
	}{
		"its public key":                {k1.PubKey(), keyring.Mine},
		"its hash":                      {k1.PubKeyHash(), keyring.Mine},
		"another's":                     {k2.PubKeyHash(), keyring.Foreign},
		"a multisig outside a script":   {single, keyring.Foreign},
		"a script with all keys":        {script.ScriptAddress(single).PkScript(), keyring.Mine},
		"a script without all keys":     {script.ScriptAddress(joint).PkScript(), keyring.Foreign},
		"a lock time before the script": {append(bytes.Clone(locked), k1.PubKeyHash()...), keyring.Foreign},
		"tokens":                        {k1.Tokens(), keyring.Foreign},
	} {
		require.Equal(t, c.want, r.Relation(c.script), name)
	}
}

// spell formats a value with all its contents.
func spell(v any) string { return fmt.Sprintf("%v %+v %#v", v, v, v) }

// derived returns the public key at a path. It implements BIP 32 independently, with big
// integers.
func derived(t *testing.T, seed []byte, path string) []byte {
	t.Helper()
	order := btcec.S256().N
	sum := func(key, data []byte) []byte {
		h := hmac.New(sha512.New, key)
		h.Write(data)
		return h.Sum(nil)
	}
	public := func(k *big.Int) []byte {
		_, pub := btcec.PrivKeyFromBytes(k.FillBytes(make([]byte, 32)))
		return pub.SerializeCompressed()
	}
	i := sum([]byte("Bitcoin seed"), seed)
	k, chain := new(big.Int).SetBytes(i[:32]), i[32:]
	for _, part := range strings.Split(path, "/")[1:] {
		digits, hard := strings.CutSuffix(part, "'")
		n, err := strconv.ParseUint(digits, 10, 31)
		require.NoError(t, err)
		data := public(k)
		if hard {
			n += 1 << 31
			data = append([]byte{0}, k.FillBytes(make([]byte, 32))...)
		}
		i = sum(chain, binary.BigEndian.AppendUint32(data, uint32(n)))
		k, chain = new(big.Int).Mod(new(big.Int).Add(k, new(big.Int).SetBytes(i[:32])), order), i[32:]
	}
	return public(k)
}
