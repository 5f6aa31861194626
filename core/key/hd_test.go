package key

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParsePath(t *testing.T) {
	for text, want := range map[string]Path{
		"m":                             {},
		"m/0":                           {0},
		"m/44'/118'":                    {44 + Hardened, 118 + Hardened},
		"m/44'/141'/2147483647/0/0":     {44 + Hardened, 141 + Hardened, 1<<31 - 1, 0, 0},
		"m/2147483647'/2147483647":      {1<<32 - 1, 1<<31 - 1},
		"m/84'/1'/0'/1/20":              {84 + Hardened, 1 + Hardened, Hardened, 1, 20},
		"m" + strings.Repeat("/0", 255): make(Path, 255),
	} {
		p, err := ParsePath(text)
		require.NoError(t, err, text)
		require.Equal(t, want, p, text)
		require.Equal(t, text, p.String())
	}
}

func TestRefusedPaths(t *testing.T) {
	const number = "invalid derivation path: number 1 must be from 0 to 2147483647, followed by an apostrophe if it is hardened, got "
	for text, want := range map[string]string{
		"":                                "invalid derivation path: it must begin with m, like m/44'/118'",
		"/44'":                            "invalid derivation path: it must begin with m, like m/44'/118'",
		"M/44'":                           "invalid derivation path: it must begin with m, like m/44'/118'",
		"44'/118'":                        "invalid derivation path: it must begin with m, like m/44'/118'",
		" m/44'":                          "invalid derivation path: it must begin with m, like m/44'/118'",
		"m/":                              number + `""`,
		"m//1":                            number + `""`,
		"m/'":                             number + `"'"`,
		"m/1''":                           number + `"1''"`,
		"m/1h":                            number + `"1h"`,
		"m/-1":                            number + `"-1"`,
		"m/+1":                            number + `"+1"`,
		"m/01":                            number + `"01"`,
		"m/0x1":                           number + `"0x1"`,
		"m/1_0":                           number + `"1_0"`,
		"m/ 1":                            number + `" 1"`,
		"m/2147483648":                    number + `"2147483648"`,
		"m/2147483648'":                   number + `"2147483648'"`,
		"m/1’":                            number + `"1’"`,
		"m/\x00":                          number + `"\x00"`,
		"m/" + strings.Repeat("9", 1<<16): number + `"99999999999999999999"`,
		"m/1/x":                           strings.Replace(number, "number 1", "number 2", 1) + `"x"`,
		"m" + strings.Repeat("/0", 256):   "invalid derivation path: it must have at most 255 numbers, got 256",
	} {
		p, err := ParsePath(text)
		require.Nil(t, p, text)
		require.ErrorIs(t, err, ErrPath)
		require.EqualError(t, err, want)
	}
}

func TestAddressPath(t *testing.T) {
	coin, err := ParsePath("m/44'/118'")
	require.NoError(t, err)
	p, err := coin.Address(3, Internal, 20)
	require.NoError(t, err)
	require.Equal(t, "m/44'/118'/3'/1/20", p.String())
	first, err := coin.Address(0, External, 0)
	require.NoError(t, err)
	require.Equal(t, "m/44'/118'/0'/0/0", first.String())
	require.Equal(t, "m/44'/118'/3'/1/20", p.String(), "paths share no memory")
	require.Equal(t, "m/44'/118'", coin.String())
	deep := make(Path, 253)
	for name, path := range map[string]func() (Path, error){
		"account": func() (Path, error) { return coin.Address(Hardened, External, 0) },
		"chain":   func() (Path, error) { return coin.Address(0, Chain(Hardened), 0) },
		"address": func() (Path, error) { return coin.Address(0, External, Hardened) },
		"depth":   func() (Path, error) { return deep.Address(0, External, 0) },
	} {
		_, err := path()
		require.ErrorIs(t, err, ErrPath, name)
	}
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{"m", "m/44'/118'", "m/2147483648", "m/0//1", "m/01'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			require.ErrorIs(t, err, ErrPath)
			return
		}
		require.Equal(t, text, p.String())
	})
}
