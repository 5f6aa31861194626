package key_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
)

// TestNewMnemonicVectors uses vectors of the BIP 39 reference implementation
// (trezor/python-mnemonic vectors.json).
func TestNewMnemonicVectors(t *testing.T) {
	for entropy, want := range map[string]string{
		"00000000000000000000000000000000":                                 strings.Repeat("abandon ", 11) + "about",
		"7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f":                                 "legal winner thank year wave sausage worth useful legal winner thank yellow",
		"80808080808080808080808080808080":                                 "letter advice cage absurd amount doctor acoustic avoid letter advice cage above",
		"ffffffffffffffffffffffffffffffff":                                 strings.Repeat("zoo ", 11) + "wrong",
		"000000000000000000000000000000000000000000000000":                 strings.Repeat("abandon ", 17) + "agent",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff": strings.Repeat("zoo ", 23) + "vote",
		"68a79eaca2324873eacc50cb9c6eca8cc68ea5d936f98787c60c7ebc74e6ce7c": "hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel tennis maple dilemma loan word shrug inflict delay length",
	} {
		raw, err := hex.DecodeString(entropy)
		require.NoError(t, err)
		got, err := key.NewMnemonic(bytes.NewReader(raw), len(raw)*3/4)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestNewMnemonicOpens(t *testing.T) {
	for _, words := range []int{12, 15, 18, 21, 24} {
		phrase, err := key.NewMnemonic(rand.Reader, words)
		require.NoError(t, err)
		require.Len(t, strings.Fields(phrase), words)
		ring, err := key.Open(phrase, true)
		require.NoError(t, err)
		ring.Wipe()
	}
	for _, words := range []int{0, 11, 13, 27, -12} {
		_, err := key.NewMnemonic(rand.Reader, words)
		require.ErrorIs(t, err, key.ErrWordCount)
	}
	_, err := key.NewMnemonic(strings.NewReader("short"), 12)
	require.ErrorContains(t, err, "cannot draw a mnemonic")
}

func TestHasMnemonic(t *testing.T) {
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	words := strings.Fields(phrase)
	for name, text := range map[string]string{
		"alone":              phrase,
		"in capitals":        strings.ToUpper(phrase),
		"between words":      "my phrase is " + phrase + " keep it",
		"behind list words":  "zoo zoo " + phrase + " zoo",
		"lines":              strings.Join(words, "\n"),
		"commas":             strings.Join(words, ", "),
		"no spaces":          strings.Join(words, "-"),
		"quotes":             `"` + strings.Join(words, `" "`) + `"`,
		"numbers":            "1. legal 2. winner 3. thank 4. year 5. wave 6. sausage 7. worth 8. useful 9. legal 10. winner 11. thank 12. yellow",
		"invisible spaces":   strings.Join(words, "\u200b"),
		"24 words":           strings.Repeat("zoo ", 23) + "vote",
		"15 words among 24":  strings.Repeat("abandon ", 9) + strings.Repeat("abandon ", 14) + "address",
		"18 words":           strings.Repeat("abandon ", 17) + "agent",
		"a long description": strings.Repeat("word ", 500) + phrase,
	} {
		require.True(t, key.HasMnemonic(text), name)
	}
	for name, text := range map[string]string{
		"nothing":          "",
		"11 words":         strings.Join(words[:11], " "),
		"a wrong checksum": strings.Join(words[:11], " ") + " year",
		"another order":    "winner legal " + strings.Join(words[2:], " "),
		"a word between":   strings.Join(words[:6], " ") + " and " + strings.Join(words[6:], " "),
		"an order number":  "order 1234567890, reference 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		"a sentence":       "please pay this invoice before the end of the month and send the receipt to our office in town",
	} {
		require.False(t, key.HasMnemonic(text), name)
	}
}
