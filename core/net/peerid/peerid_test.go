package peerid

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/stretchr/testify/require"

	"obverse/core/rpc/recording"
)

const known = "12D3KooWJPtxrHVDPoETNfPJY4WWVzX7Ti4WPemtXDgb5qmFrDiv"

func read(t *testing.T) (all []struct {
	Text, Multihash string
	CIDs            []string
}) {
	t.Helper()
	for _, data := range recording.Read(t, "testdata", "OBVERSE_VECTORS", "peerids.json") {
		more := all[:0:0]
		require.NoError(t, json.Unmarshal(data, &more))
		all = append(all, more...)
	}
	require.NotEmpty(t, all)
	return all
}

func TestVectorsPeerIDs(t *testing.T) {
	for _, v := range read(t) {
		id, err := Parse(v.Text)
		require.NoError(t, err)
		require.Equal(t, v.Text, id.String())
		require.Equal(t, v.Multihash, hex.EncodeToString(id.Bytes()))
		require.NotZero(t, id)
		for _, cid := range v.CIDs {
			same, err := Parse(cid)
			require.NoError(t, err, cid)
			require.Equal(t, id, same, cid)
		}
	}
}

// TestFromEd25519 uses a key and its id from a test of Komodo DeFi Framework's proxy_signature.
func TestFromEd25519(t *testing.T) {
	public := [32]byte(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{0x7b}, 32)).Public().(ed25519.PublicKey))
	id := FromEd25519(public)
	require.Equal(t, known, id.String())
	parsed, err := Parse(known)
	require.NoError(t, err)
	require.Equal(t, id, parsed)
	require.Equal(t, append([]byte{8, 1, 18, 32}, public[:]...), EncodeEd25519(public))
}

func TestReasons(t *testing.T) {
	multihash := func(parts ...[]byte) string { return base58.Encode(bytes.Join(parts, nil)) }
	for _, c := range []struct {
		name, text string
		want       error
		reason     string
	}{
		{"empty", "", ErrMultihash, "invalid multihash"},
		{"letter that base58 lacks", "12D3l", nil, "base-58 decode error: provided string contained invalid character 'l' at byte 4"},
		{"first of several", "12D3KooW0OIl", nil, "base-58 decode error: provided string contained invalid character '0' at byte 8"},
		{"space in front", " " + known, nil, "base-58 decode error: provided string contained invalid character ' ' at byte 0"},
		{"line end behind", known + "\n", nil, `base-58 decode error: provided string contained invalid character '\n' at byte 52`},
		{"quote", "'", nil, `base-58 decode error: provided string contained invalid character '\'' at byte 0`},
		{"double quote", `"`, nil, `base-58 decode error: provided string contained invalid character '"' at byte 0`},
		{"backslash", `1\`, nil, `base-58 decode error: provided string contained invalid character '\\' at byte 1`},
		{"zero byte", "1\x00", nil, `base-58 decode error: provided string contained invalid character '\0' at byte 1`},
		{"tabulator", "\t", nil, `base-58 decode error: provided string contained invalid character '\t' at byte 0`},
		{"return", "\r", nil, `base-58 decode error: provided string contained invalid character '\r' at byte 0`},
		{"control character", "\x1b", nil, `base-58 decode error: provided string contained invalid character '\u{1b}' at byte 0`},
		{"delete", "\x7f", nil, `base-58 decode error: provided string contained invalid character '\u{7f}' at byte 0`},
		{"not ASCII", "12D3é", nil, "base-58 decode error: provided string contained non-ascii character starting at byte 4"},
		{"ASCII before that", "0é", nil, "base-58 decode error: provided string contained invalid character '0' at byte 0"},
		{"an address", "RRnMcSeKiLrNdbp91qNVQwwXx5azD4S4CD", ErrMultihash, "invalid multihash"},
		{"end missing", known[:51], ErrMultihash, "invalid multihash"},
		{"letter too many", known + "1", ErrMultihash, "invalid multihash"},
		{"digest shorter than said", multihash([]byte{0x12, 32}, make([]byte, 31)), ErrMultihash, "invalid multihash"},
		{"digest longer than said", multihash([]byte{0x12, 32}, make([]byte, 33)), ErrMultihash, "invalid multihash"},
		{"digest of 65 bytes", multihash([]byte{0x13, 65}, make([]byte, 65)), ErrMultihash, "invalid multihash"},
		{"code without size", multihash([]byte{0x12}), ErrMultihash, "invalid multihash"},
		{"code that does not end", multihash(bytes.Repeat([]byte{0xff}, 12)), ErrMultihash, "invalid multihash"},
		{"code longer than needed", multihash([]byte{0x92, 0, 32}, make([]byte, 32)), ErrMultihash, "invalid multihash"},
		{"long", strings.Repeat("1", 1<<20), ErrMultihash, "invalid multihash"},
		{"long and wrong", strings.Repeat("1", 1<<20) + "0", nil, "base-58 decode error: provided string contained invalid character '0' at byte 1048576"},
		{"SHA-1", multihash([]byte{0x11, 20}, make([]byte, 20)), UnsupportedCodeError(17), "unsupported multihash code '17'"},
		{"SHA2-512", multihash([]byte{0x13, 64}, make([]byte, 64)), UnsupportedCodeError(19), "unsupported multihash code '19'"},
		{"largest code", multihash(bytes.Repeat([]byte{0xff}, 9), []byte{1, 0}), UnsupportedCodeError(1<<64 - 1), "unsupported multihash code '18446744073709551615'"},
		{"inlined key of 43 bytes", multihash([]byte{0, 43}, make([]byte, 43)), UnsupportedCodeError(0), "unsupported multihash code '0'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, err := Parse(c.text)
			require.Zero(t, id)
			require.EqualError(t, err, c.reason)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
				return
			}
			var wrong *Base58Error
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, c.text[wrong.Index], wrong.Byte)
		})
	}
}

func TestLongestInlinedKey(t *testing.T) {
	id, err := FromBytes(append([]byte{0, 42}, make([]byte, 42)...))
	require.NoError(t, err)
	same, err := Parse(id.String())
	require.NoError(t, err)
	require.Equal(t, id, same)
	require.Empty(t, ID{}.String())
}

// TestRefusedCIDs checks that a text that looks like a CID but is invalid gets the error of
// base58btc, as from the peers of Komodo's network.
func TestRefusedCIDs(t *testing.T) {
	id, err := Parse(known)
	require.NoError(t, err)
	base32Text := func(data []byte) string {
		return "b" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(data))
	}
	whole := append([]byte{1, 0x72}, id.Bytes()...)
	good := base32Text(whole)
	same, err := Parse(good)
	require.NoError(t, err)
	require.Equal(t, id, same)
	for name, text := range map[string]string{
		"version 2":         base32Text(append([]byte{2, 0x72}, id.Bytes()...)),
		"dag-pb":            base32Text(append([]byte{1, 0x70}, id.Bytes()...)),
		"no multihash":      base32Text(whole[:2]),
		"multihash cut":     base32Text(whole[:len(whole)-1]),
		"SHA-1":             base32Text(append([]byte{1, 0x72, 0x11, 20}, make([]byte, 20)...)),
		"mixed case":        strings.ToUpper(good[:9]) + good[9:],
		"lower after B":     "B" + good[1:],
		"line end inside":   good[:9] + "\n" + good[9:],
		"padding":           good + "=",
		"unknown base":      "u" + good[1:],
		"base16, odd":       "f" + hex.EncodeToString(whole)[1:],
		"base16, no digits": "fxyz",
		"base36, sign":      "k-1",
		"base36, separator": "k1_0",
		"base58, no digit":  "z0",
		"long":              good + strings.Repeat("a", 1<<20),
		"base alone":        "b",
	} {
		_, err := Parse(text)
		require.Error(t, err, name)
		_, want := parseBase58(text)
		require.Equal(t, want, err, name)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", known, known[1:], "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N", "11", "12D3l",
		"bafzaajaiaejca73upnt32p7ghqvhgzzz37sacvwwei2hgrxhb5upkhaxrj244vjx", "k51", "f0172", "z11", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := Parse(text)
		if err != nil {
			require.Zero(t, id)
			return
		}
		again, err := Parse(id.String())
		require.NoError(t, err)
		require.Equal(t, id, again)
		again, err = FromBytes(id.Bytes())
		require.NoError(t, err)
		require.Equal(t, id, again)
	})
}
