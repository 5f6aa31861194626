package walletfile_test

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key/walletfile"
)

// Files created by an independent implementation, which uses hash-wasm and Node's crypto.
//
//go:embed testdata/vectors.json
var vectorsJSON []byte

type vector struct {
	Name, Phrase, Password string
	File                   json.RawMessage
}

func vectors(t testing.TB) (all []vector) {
	require.NoError(t, json.Unmarshal(vectorsJSON, &all))
	for i := range all {
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, all[i].File))
		all[i].File = compact.Bytes()
	}
	return all
}

// quick returns a file that can be decrypted quickly.
func quick(t testing.TB) vector { return vectors(t)[1] }

var cheap = walletfile.Params{Memory: 8, Passes: 1, Lanes: 1}

func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			f, err := walletfile.Parse(v.File)
			require.NoError(t, err)
			phrase, err := f.Decrypt(t.Context(), []byte(v.Password), walletfile.Argon2id)
			require.NoError(t, err)
			require.Equal(t, v.Phrase, phrase)
			again, err := json.Marshal(f)
			require.NoError(t, err)
			require.Equal(t, string(v.File), string(again))
		})
	}
}

func TestEncryptedPhrasesOpen(t *testing.T) {
	for _, phrase := range []string{"a", strings.Repeat("x", 15), strings.Repeat("x", 16), strings.Repeat("ü", 40), strings.Repeat("y", 4096)} {
		f, err := walletfile.Encrypt(t.Context(), rand.Reader, phrase, []byte("Pass1!"), cheap, walletfile.Argon2id)
		require.NoError(t, err)
		text, err := json.Marshal(f)
		require.NoError(t, err)
		read, err := walletfile.Parse(text)
		require.NoError(t, err)
		opened, err := read.Decrypt(t.Context(), []byte("Pass1!"), walletfile.Argon2id)
		require.NoError(t, err)
		require.Equal(t, phrase, opened)
		_, err = read.Decrypt(t.Context(), []byte("Pass1"), walletfile.Argon2id)
		require.ErrorIs(t, err, walletfile.ErrPassword)
	}
}

func TestSaltsAreFresh(t *testing.T) {
	seen := map[string]bool{}
	for range 3 {
		f, err := walletfile.Encrypt(t.Context(), rand.Reader, "phrase", []byte("p"), cheap, walletfile.Argon2id)
		require.NoError(t, err)
		text, err := json.Marshal(f)
		require.NoError(t, err)
		require.False(t, seen[string(text)])
		seen[string(text)] = true
	}
}

// TestEveryBitCounts flips each bit of a file, and checks that the result cannot be decrypted.
func TestEveryBitCounts(t *testing.T) {
	v := quick(t)
	refused, wrong := 0, 0
	for i := range 8 * len(v.File) {
		if testing.Short() && i%8 != i/8%8 {
			continue // test one bit of each byte only
		}
		changed := bytes.Clone(v.File)
		changed[i/8] ^= 1 << (i % 8)
		f, err := walletfile.Parse(changed)
		if err != nil {
			require.ErrorIs(t, err, walletfile.ErrFormat)
			refused++
			continue
		}
		_, err = f.Decrypt(t.Context(), []byte(v.Password), walletfile.Argon2id)
		require.ErrorIsf(t, err, walletfile.ErrPassword, "bit %d", i)
		wrong++
	}
	t.Logf("%d bits break the form, %d the seal", refused, wrong)
	require.NotZero(t, refused)
	require.NotZero(t, wrong)
}

func TestParseNamesTheField(t *testing.T) {
	valid := string(quick(t).File)
	for name, c := range map[string]struct{ from, to, want string }{
		"version":        {`"version":1,`, `"version":2,`, "unsupported version 2, want 1"},
		"cipher":         {"AES256CBC", "AES256GCM", "unsupported encryption_algorithm AES256GCM, want AES256CBC"},
		"argon2i":        {"argon2id", "argon2i", "unsupported algorithm argon2i, want argon2id"},
		"length":         {`"output_len":32`, `"output_len":16`, "unsupported output_len 16, want 32"},
		"no tag":         {`"tag"`, `"Tag"`, `missing field "tag"`},
		"memory":         {`"m_cost":64`, `"m_cost":4294967295`, "m_cost is 4294967295, want 8 × p_cost to 1048576"},
		"little memory":  {`"m_cost":64`, `"m_cost":7`, "m_cost is 7"},
		"passes":         {`"t_cost":1`, `"t_cost":65`, "t_cost is 65, want 1 to 64"},
		"work":           {`"m_cost":64,"t_cost":1`, `"m_cost":1048576,"t_cost":2`, "m_cost × t_cost is 2097152, want at most 1048576"},
		"no passes":      {`"t_cost":1`, `"t_cost":0`, "t_cost is 0"},
		"lanes":          {`"p_cost":1`, `"p_cost":0`, "p_cost is 0"},
		"a negative one": {`"m_cost":64`, `"m_cost":-1`, "m_cost: "},
		"iv":             {`"iv":"`, `"iv":"AAAA`, "iv has 19 bytes, want 16"},
		"ciphertext":     {`"ciphertext":"`, `"ciphertext":"AAAA`, "ciphertext has 83 bytes, want a multiple of 16"},
		"base64":         {`"salt_aes":"`, `"salt_aes":"*`, "salt_aes: illegal base64"},
		"no object":      {`{"Argon2"`, `[{"Argon2"`, "invalid wallet file"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, valid, c.from)
			_, err := walletfile.Parse([]byte(strings.Replace(valid, c.from, c.to, 1)))
			require.ErrorIs(t, err, walletfile.ErrFormat)
			require.ErrorContains(t, err, c.want)
		})
	}
	for text, want := range map[string]string{
		"":                              "invalid wallet file: content must be a JSON object",
		"null":                          "invalid wallet file: content must be a JSON object",
		valid[:len(valid)/2]:            "invalid wallet file: content must be a JSON object",
		"{}":                            `invalid wallet file: missing field "key_derivation_details"`,
		`{"key_derivation_details":[]}`: "invalid wallet file: key_derivation_details must be a JSON object",
		strings.Replace(valid, `"m_cost":64`, `"m_cost":7`, 1): "invalid wallet file: m_cost is 7, want 8 × p_cost to 1048576",
	} {
		_, err := walletfile.Parse([]byte(text))
		require.EqualError(t, err, want)
	}
	_, err := walletfile.Parse(nil)
	require.ErrorIs(t, err, walletfile.ErrFormat)
	_, err = walletfile.Parse(bytes.Repeat([]byte(" "), 1<<20))
	require.ErrorContains(t, err, "1048576 bytes, the limit is 65536")
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	v := quick(t)
	f, err := walletfile.Parse([]byte(strings.Replace(string(v.File), "{", `{"note":1,`, 1)))
	require.NoError(t, err)
	_, err = f.Decrypt(t.Context(), []byte(v.Password), walletfile.Argon2id)
	require.NoError(t, err)
}

func TestEncryptRefuses(t *testing.T) {
	for _, phrase := range []string{"", strings.Repeat("x", 4097)} {
		_, err := walletfile.Encrypt(t.Context(), rand.Reader, phrase, nil, cheap, walletfile.Argon2id)
		require.ErrorIs(t, err, walletfile.ErrPhrase)
	}
	_, err := walletfile.Encrypt(t.Context(), strings.NewReader("short"), "phrase", nil, cheap, walletfile.Argon2id)
	require.ErrorContains(t, err, "cannot draw salts")
	_, err = walletfile.Encrypt(t.Context(), rand.Reader, "phrase", nil, walletfile.Params{}, walletfile.Argon2id)
	require.Error(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = walletfile.Encrypt(ended, rand.Reader, "phrase", nil, cheap, walletfile.Argon2id)
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzParse(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte(v.File))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := walletfile.Parse(text)
		if err != nil {
			require.ErrorIs(t, err, walletfile.ErrFormat)
			return
		}
		written, err := json.Marshal(file)
		require.NoError(t, err)
		again, err := walletfile.Parse(written)
		require.NoError(t, err)
		require.Equal(t, file, again)
	})
}
