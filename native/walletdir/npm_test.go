package walletdir

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key/walletfile"
	"obverse/core/key/wallets"
	"obverse/native/test/npmprocess"
)

// peer runs a program in JavaScript that opens and writes wallet files.
func peer(t *testing.T, request any, answer any) {
	t.Helper()
	text, err := json.Marshal(request)
	require.NoError(t, err)
	command := exec.Command("node", "peer.mjs")
	command.Dir, command.Stderr = npmprocess.Folder(t, "walletdir/npmpeer", "hash-wasm"), os.Stderr
	command.Stdin = bytes.NewReader(append(text, '\n'))
	out, err := command.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, answer), string(out))
}

// The other program opens the files of this one, and this one opens the files of the other.
func TestFilesOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("a short run starts no npm program")
	}
	const password, phrase = "Pässwort-7 ☕", "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"
	folder := t.TempDir()
	open := func() *wallets.Wallets {
		return wallets.New(wallets.Config{Store: New(folder, ""), Random: rand.Reader, Cost: walletfile.DefaultParams, Policy: func(string) error { return nil }})
	}
	_, _, err := open().SignIn(t.Context(), wallets.Login{Name: "ours", Password: []byte(password), Passphrase: phrase, Register: true})
	require.NoError(t, err)
	file, err := os.ReadFile(filepath.Join(folder, "ours.json"))
	require.NoError(t, err)
	type request struct {
		File     json.RawMessage `json:"file,omitempty"`
		Phrase   string          `json:"phrase,omitempty"`
		Password string          `json:"password"`
	}
	var opened struct{ Phrase, Error string }
	peer(t, request{File: file, Password: password}, &opened)
	require.Equal(t, phrase, opened.Phrase)
	peer(t, request{File: file, Password: "another"}, &opened)
	require.Equal(t, "MAC tag mismatch", opened.Error)

	var written struct{ File json.RawMessage }
	peer(t, request{Phrase: phrase, Password: password}, &written)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "theirs.json"), written.File, 0o600))
	had, _, err := open().SignIn(t.Context(), wallets.Login{Name: "theirs", Password: []byte(password)})
	require.NoError(t, err)
	require.Equal(t, phrase, had)
	_, _, err = open().SignIn(t.Context(), wallets.Login{Name: "theirs", Password: []byte("another")})
	require.Error(t, err)
}
