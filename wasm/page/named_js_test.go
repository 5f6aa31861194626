package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key/walletfile"
	"obverse/wasm/jsval"
	"obverse/wasm/session"
)

const walletPassword = "Its-a-W4llet!"

// keep sets the wallet files of a browser in a program.
func (p *program) keep(folder string) {
	files, err := jsval.Global().Call("eval", `folder => globalThis.kept ??= (() => {
		const kept = new Map();
		return {
			names: async () => JSON.stringify([...kept.keys()]),
			read: async name => kept.get(name) ?? null,
			create: async (name, text) => !kept.has(name) && !!kept.set(name, text),
			replace: async (name, text) => void kept.set(name, text),
			remove: async name => kept.delete(name),
			store: async of => folder + '/' + of + '.db',
		};
	})()`)
	require.NoError(p.t, err)
	stored, err := files.Invoke(folder)
	require.NoError(p.t, err)
	require.NoError(p.t, p.host.object.Set("walletFiles", stored))
}

// forget starts with a browser without wallets.
func forget(t *testing.T) {
	_, err := jsval.Global().Call("eval", "delete globalThis.kept")
	require.NoError(t, err)
}

// result calls a method and returns its result.
func (p *program) result(method, params string) string {
	status, body := p.reply(p.call(args(method, params)))
	require.Equal(p.t, 200, status, body)
	var answer struct{ Result json.RawMessage }
	require.NoError(p.t, json.Unmarshal([]byte(body), &answer))
	return string(answer.Result)
}

// TestNamedWallet creates and opens a wallet, and checks that its phrase is stored only in
// encrypted form.
func TestNamedWallet(t *testing.T) {
	forget(t)
	folder := t.TempDir()
	begin := func(more map[string]any) (*program, error) {
		p := load(t)
		p.path = filepath.Join(folder, "obverse.db")
		p.keep(folder)
		config := map[string]any{"passphrase": "", "wallet_password": walletPassword}
		for key, value := range more {
			config[key] = value
		}
		return p, p.begin(configOf(t, config))
	}
	end := func(p *program) {
		_, err := p.stop(nil)
		require.NoError(t, err)
	}
	keyless, err := begin(map[string]any{"wallet_password": ""})
	require.NoError(t, err)
	require.JSONEq(t, `{"wallet_names":[],"activated_wallet":null}`, keyless.result("get_wallet_names", "null"))
	end(keyless)

	p, err := begin(map[string]any{"wallet_name": "my wallet", "passphrase": passphrase})
	require.NoError(t, err)
	require.Contains(t, p.json(), `["opening","my wallet"]`)
	require.JSONEq(t, `{"wallet_names":["my wallet"],"activated_wallet":"my wallet"}`, p.result("get_wallet_names", "null"))
	require.JSONEq(t, `{"public_key":"`+publicKey+`"}`, p.result("get_public_key", "{}"))
	encrypted := p.result("get_mnemonic", `{"format":"encrypted"}`)
	end(p)
	require.FileExists(t, filepath.Join(folder, "b506088aa2a3b4bb1da3a29bf00ce1a550ea1df9.db"), "a separate store")
	require.NotContains(t, encrypted, passphrase)
	require.NotContains(t, p.json(), passphrase)

	for name, c := range map[string]struct {
		more map[string]any
		says string
	}{
		"wrong password": {map[string]any{"wallet_name": "my wallet", "wallet_password": "other"}, "Error generating or decrypting mnemonic: wallet \"my wallet\": wrong password"},
		"another phrase": {map[string]any{"wallet_name": "my wallet", "passphrase": "another"}, "passphrase does not match the stored one"},
		"unknown":        {map[string]any{"wallet_name": "other", "allow_registrations": false}, "Wallet does not exist"},
	} {
		failed, err := begin(c.more)
		requireKind(t, session.WalletError, err)
		require.ErrorContains(t, err, c.says, name)
		require.Contains(t, failed.json(), `["log","error","Error generating or decrypting mnemonic`, "clients look for it there")
		require.NotContains(t, failed.json(), walletPassword)
	}

	p, err = begin(map[string]any{"wallet_name": "my wallet", "allow_registrations": false})
	require.NoError(t, err, "nothing locks it")
	data, err := p.export(nil)
	require.NoError(t, err)
	require.NotContains(t, string(data.([]byte)), passphrase)
	end(p)
}

func TestNoWalletFiles(t *testing.T) {
	err := load(t).begin(configOf(t, map[string]any{"wallet_name": "w", "wallet_password": walletPassword}))
	requireKind(t, session.ConfigError, err)
	require.ErrorContains(t, err, "wallets cannot be stored here")
}

// TestWalletFilesThatFail checks that errors of the browser's storage are reported, and that no
// wallet is created.
func TestWalletFilesThatFail(t *testing.T) {
	p := load(t)
	broken, err := jsval.Global().Call("eval", `({read: async () => { throw new Error("the disk is on fire") }, names: async () => 5})`)
	require.NoError(t, err)
	require.NoError(t, p.host.object.Set("walletFiles", broken))
	err = p.begin(configOf(t, map[string]any{"wallet_name": "w", "wallet_password": walletPassword}))
	requireKind(t, session.WalletError, err)
	require.ErrorContains(t, err, "wallet files: read: the disk is on fire")
	require.NoError(t, p.begin(configOf(t, nil)))
	_, body := p.reply(p.call(args("get_wallet_names", "{}")))
	require.True(t, strings.Contains(body, "WalletsStorageError"), body)
	_, err = p.stop(nil)
	require.NoError(t, err)
}

// TestDerive checks that keys are derived in another thread if the host has one, and in this thread
// if that fails.
func TestDerive(t *testing.T) {
	p := load(t)
	params := walletfile.Params{Memory: 8, Passes: 1, Lanes: 1}
	salts := [2][]byte{[]byte("0123456789abcdef"), []byte("fedcba9876543210")}
	want, err := walletfile.Argon2id(t.Context(), []byte("word"), salts, params)
	require.NoError(t, err)
	requireKeys := func() {
		t.Helper()
		keys, err := p.host.kdf(t.Context(), []byte("word"), salts, params)
		require.NoError(t, err)
		require.Equal(t, want, keys)
	}
	requireKeys()
	requests := 0
	other := jsval.NewFunc(func(args []jsval.Value) any {
		requests++
		return jsval.Promise(p.derive, args)
	})
	require.NoError(t, p.host.object.Set("derive", other))
	requireKeys()
	require.Equal(t, 1, requests)
	for _, broken := range []string{"async () => { throw new Error('no memory') }", "() => { throw new Error('no worker') }", "async () => new Uint8Array(5)", "async () => 'text'"} {
		function, err := jsval.Global().Call("eval", broken)
		require.NoError(t, err)
		require.NoError(t, p.host.object.Set("derive", function))
		requireKeys()
	}
	_, err = p.derive(args([]byte("word"), []byte("short"), 8, 1, 1))
	require.ErrorContains(t, err, "want 32")
	_, err = p.derive(args("word"))
	require.ErrorIs(t, err, jsval.ErrType)
	_, err = p.derive(args([]byte("word"), make([]byte, 32), "8", 1, 1))
	require.ErrorIs(t, err, jsval.ErrType)
}
