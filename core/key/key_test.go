package key

import (
	"math/big"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/stretchr/testify/require"
)

const (
	bobWIF   = "UvCjJf4dKSs2vFGVtCnUTAhR5FTZGdg43DDRa9s7s5DV1sSDX14g"
	orderHex = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
)

func bob(t testing.TB) *Private {
	t.Helper()
	p, err := FromPassphrase("bob passphrase")
	require.NoError(t, err)
	return p
}

func TestRefusedPassphrases(t *testing.T) {
	for _, c := range []struct {
		name, passphrase string
		want             error
		text             string
	}{
		{"empty", "", ErrEmptyPassphrase, "Passphrase cannot be an empty string"},
		{"uncompressed WIF of testnet", "92Qba5hnyWSn5Ffcka56yMQauaWY6ZLd91Vzxbi4a9CCetaHtYj", ErrUncompressed, "We only support compressed keys at the moment"},
		{"uncompressed WIF of Bitcoin", "5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf", ErrUncompressed, "We only support compressed keys at the moment"},
		{"WIF with one letter changed", strings.Replace(bobWIF, "J", "K", 1), ErrChecksum, "Provided WIF passphrase has invalid checksum!"},
		{"WIF of the curve order", base58.CheckEncode(append(fromHexText(t, orderHex), 1), wifVersion), ErrInvalidSecret, "Invalid private key: Invalid Secret"},
		{"curve order", "0x" + orderHex, ErrInvalidSecret, "Invalid private key: Invalid Secret"},
		{"zero", "0x" + strings.Repeat("0", 64), ErrInvalidSecret, "Invalid private key: Invalid Secret"},
		{"short hex", "0xb8c7", ErrRawSecret, "Error parsing passphrase: 0x must be followed by 64 hexadecimal digits"},
		{"long hex", "0x" + strings.Repeat("1", 66), ErrRawSecret, ErrRawSecret.Error()},
		{"not hex", "0x" + strings.Repeat("g", 64), ErrRawSecret, ErrRawSecret.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := FromPassphrase(c.passphrase)
			require.Nil(t, p)
			require.ErrorIs(t, err, c.want)
			require.EqualError(t, err, c.text)
		})
	}
}

func fromHexText(t *testing.T, s string) []byte {
	t.Helper()
	n, ok := new(big.Int).SetString(s, 16)
	require.True(t, ok)
	return n.FillBytes(make([]byte, 32))
}

func TestWIFOfAnyVersion(t *testing.T) {
	want := bob(t)
	secret := want.scalar.open().Key.Bytes()
	for _, version := range []byte{0, 128, 188, 239, 255} {
		p, err := ParseWIF(base58.CheckEncode(append(secret[:], compressedMark), version))
		require.NoError(t, err, version)
		require.Equal(t, want, p, version)
	}
	require.Equal(t, bobWIF, want.WIF())
}

// TestNotWIF checks that a text that merely resembles a WIF is an ordinary passphrase.
func TestNotWIF(t *testing.T) {
	secret := bob(t).scalar.open().Key.Bytes()
	for name, text := range map[string]string{
		"wrong mark after the secret": base58.CheckEncode(append(secret[:], 2), wifVersion),
		"an address":                  base58.CheckEncode(secret[:20], 60),
		"one letter too many":         bobWIF + "1",
		"not base58":                  strings.Replace(bobWIF, "J", "0", 1),
		"surrounded by spaces":        " " + bobWIF,
		"long":                        strings.Repeat("1", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseWIF(text)
			require.ErrorIs(t, err, ErrNotWIF)
			asText, err := fromText(text)
			require.NoError(t, err)
			p, err := FromPassphrase(text)
			require.NoError(t, err)
			require.Equal(t, asText, p)
		})
	}
}

func TestSignatureForms(t *testing.T) {
	p := bob(t)
	halfOrder := new(big.Int).Rsh(btcec.S256().N, 1)
	for i := range 64 {
		hash := [32]byte{byte(i), 1}
		der, compact := p.SignDER(hash), p.SignCompact(hash)
		sig, err := ecdsa.ParseDERSignature(der)
		require.NoError(t, err)
		require.True(t, sig.Verify(hash[:], p.scalar.open().PubKey()))
		r, s := sig.R(), sig.S()
		rb, sb := r.Bytes(), s.Bytes()
		require.Equal(t, append(rb[:], sb[:]...), compact[:])
		require.LessOrEqual(t, new(big.Int).SetBytes(compact[32:]).Cmp(halfOrder), 0)
		require.Equal(t, der, p.SignDER(hash), "deterministic")
	}
}

func TestWipe(t *testing.T) {
	p := bob(t)
	pub := p.PublicKey()
	p.Wipe()
	require.True(t, p.scalar.open().Key.IsZero())
	require.Equal(t, pub, p.PublicKey())
}

func FuzzFromPassphrase(f *testing.F) {
	for _, seed := range []string{"", "bob passphrase", bobWIF, "0x" + orderHex, "0x", "1111111111111111111111111111111111111"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := FromPassphrase(text)
		if err != nil {
			require.Nil(t, p)
			return
		}
		back, err := ParseWIF(p.WIF())
		require.NoError(t, err)
		require.Equal(t, p.PublicKey(), back.PublicKey())
	})
}
