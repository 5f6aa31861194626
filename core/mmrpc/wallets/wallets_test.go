package wallets_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/core/key/walletfile"
	"obverse/core/key/wallets"
	"obverse/core/key/wallets/walletstest"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/mmrpctest"
	methods "obverse/core/mmrpc/wallets"
)

const (
	walletPassword = "Correct1!horse"
	walletPhrase   = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
)

// walletServer returns a server with two wallets. The wallet named active is open; if active is
// empty, no wallet is open.
func walletServer(t *testing.T, store wallets.Store, active string) *mmrpc.Server {
	t.Helper()
	named := wallets.New(wallets.Config{Store: store, Random: rand.Reader, Cost: walletstest.Cheap, Policy: config.CheckPassword})
	for _, name := range []string{"bob", "alice", active} {
		l := wallets.Login{Name: name, Password: []byte(walletPassword), Passphrase: walletPhrase, Register: true}
		_, err := wallets.New(wallets.Config{Store: store, Random: rand.Reader, Cost: walletstest.Cheap, Policy: config.CheckPassword}).Open(t.Context(), l)
		require.NoError(t, err)
	}
	if active != "" {
		_, err := named.Open(t.Context(), wallets.Login{Name: active, Password: []byte(walletPassword)})
		require.NoError(t, err)
	}
	return mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), StrictParams: true, Now: time.Now}, methods.Wallets{Wallets: named})
}

func TestWalletMethods(t *testing.T) {
	const macText = "Error decrypting mnemonic: HMAC error: MAC tag mismatch"
	for _, c := range []struct {
		name, active, method, params string
		status                       int
		want                         string // part of the answer
	}{
		{"names", "bob", "get_wallet_names", `null`, 200, `"result":{"wallet_names":["alice","bob"],"activated_wallet":"bob"}`},
		{"names, none open", "", "get_wallet_names", `{}`, 200, `"result":{"wallet_names":["alice","bob"],"activated_wallet":null}`},
		{"plaintext", "bob", "get_mnemonic", `{"format":"plaintext","password":"` + walletPassword + `"}`, 200, `"result":{"format":"plaintext","mnemonic":"` + walletPhrase + `"}`},
		{"encrypted", "bob", "get_mnemonic", `{"format":"encrypted"}`, 200, `"result":{"format":"encrypted","encrypted_mnemonic_data":{"version":1,"encryption_algorithm":"AES256CBC",`},
		{"wrong password", "bob", "get_mnemonic", `{"format":"plaintext","password":"x"}`, 400, `"error":"Invalid password error: ` + macText + ` (the wallet's password is wrong, or its file was altered)"`},
		{"no password", "bob", "get_mnemonic", `{"format":"plaintext"}`, 400, `"error_type":"InvalidPassword","error_data":"` + macText + `"`},
		{"another format", "bob", "get_mnemonic", `{"format":"hex"}`, 400, `format`},
		{"none open", "", "get_mnemonic", `{"format":"encrypted"}`, 500, "\"error\":\"Internal error: `wallet_name` cannot be None! (the node was started without a named wallet: set wallet_name in its config)\""},
		{"none open, plain", "", "get_mnemonic", `{"format":"plaintext","password":"x"}`, 500, `"error_type":"Internal"`},
		{"changed", "bob", "change_mnemonic_password", `{"current_password":"` + walletPassword + `","new_password":"N3xt-word!"}`, 200, `"result":null`},
		{"weak", "bob", "change_mnemonic_password", `{"current_password":"x","new_password":"short"}`, 400,
			`"error":"Password does not meet policy requirements: Password length should be at least 8 characters long"`},
		{"wrong current", "bob", "change_mnemonic_password", `{"current_password":"x","new_password":"N3xt-word!"}`, 400, `"error_type":"InvalidPassword"`},
		{"change, none open", "", "change_mnemonic_password", `{"current_password":"x","new_password":"N3xt-word!"}`, 500, "`wallet_name` cannot be None!"},
		{"deleted", "bob", "delete_wallet", `{"wallet_name":"alice","password":"` + walletPassword + `"}`, 200, `"result":null`},
		{"delete the open one", "bob", "delete_wallet", `{"wallet_name":"bob","password":"` + walletPassword + `"}`, 400,
			`"error":"Invalid request error: Cannot delete wallet 'bob' as it is currently active."`},
		{"delete an unknown one", "bob", "delete_wallet", `{"wallet_name":"eve","password":"x"}`, 400, `"error":"Invalid request error: Wallet 'eve' not found."`},
		{"delete, wrong password", "bob", "delete_wallet", `{"wallet_name":"alice","password":"x"}`, 400, `"error_type":"InvalidPassword"`},
		{"delete a path", "bob", "delete_wallet", `{"wallet_name":"../alice","password":"x"}`, 400, `invalid wallet name`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := walletServer(t, walletstest.Store{}, c.active)
			status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request(c.method, c.params)))
			require.Equal(t, c.status, status, string(reply))
			require.Contains(t, string(reply), c.want)
		})
	}
}

// TestEncryptedMnemonicOpens checks that another node can open the wallet file returned by
// get_mnemonic.
func TestEncryptedMnemonicOpens(t *testing.T) {
	s := walletServer(t, walletstest.Store{}, "bob")
	_, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("get_mnemonic", `{"format":"encrypted"}`)))
	var answer struct {
		Result struct {
			Data json.RawMessage `json:"encrypted_mnemonic_data"`
		}
	}
	require.NoError(t, json.Unmarshal(reply, &answer))
	file, err := walletfile.Parse(answer.Result.Data)
	require.NoError(t, err)
	phrase, err := file.Decrypt(t.Context(), []byte(walletPassword), walletfile.Argon2id)
	require.NoError(t, err)
	require.Equal(t, walletPhrase, phrase)
}

// broken is a store whose disk fails.
type broken struct{ walletstest.Store }

var errWalletDisk = errors.New("/secret/folder: input/output error")

func (broken) Names(context.Context) ([]string, error) { return nil, errWalletDisk }

func (broken) Replace(context.Context, string, []byte) error { return errWalletDisk }

func (broken) Remove(context.Context, string) error { return errWalletDisk }

func TestWalletsOnABrokenDisk(t *testing.T) {
	for method, params := range map[string]string{
		"get_wallet_names": `{}`, "delete_wallet": fmt.Sprintf(`{"wallet_name":"alice","password":%q}`, walletPassword),
		"change_mnemonic_password": fmt.Sprintf(`{"current_password":%q,"new_password":"N3xt-word!"}`, walletPassword),
	} {
		s := walletServer(t, broken{walletstest.Store{}}, "bob")
		status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request(method, params)))
		require.Equal(t, 500, status)
		require.Contains(t, string(reply), `"error_type":"WalletsStorageError"`)
		require.NotContains(t, string(reply), "/secret", "paths are for the log")
	}
}

// TestWithoutWallets checks the answers on a platform that cannot store wallets.
func TestWithoutWallets(t *testing.T) {
	s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, methods.Wallets{})
	for method, want := range map[string]string{
		"get_wallet_names": `{"wallet_names":[],"activated_wallet":null}`, "get_mnemonic": "cannot be None", "change_mnemonic_password": "cannot be None", "delete_wallet": "not found",
	} {
		_, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request(method, `{"format":"encrypted","wallet_name":"a","password":"","current_password":"","new_password":"N3xt-word!"}`)))
		require.Contains(t, string(reply), want, strings.ToUpper(method))
	}
}
