package address

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/stretchr/testify/require"

	"obverse/core/key"
)

// TestAddressesOfKeys uses keys and addresses of Komodo DeFi Framework's tests
// (coins/tendermint/tendermint_coin.rs, mm2_main/tests) and of its documentation (withdraw).
func TestAddressesOfKeys(t *testing.T) {
	const documented = "03d8064eece4fa5c0f8dc0267f68cee9bdd527f9e88f3594a323428718c391ecc2"
	for _, c := range []struct {
		name, passphrase, path, public, prefix, want string
	}{
		{"best seed", "best seed", "", "02164f59bd7f76ca81934d1cd2721482c864f6e84c774b36c43046b9b42076d8a2",
			"cosmos", "cosmos1aghdjgt5gzntzqgdxdzhjfry90upmtfsy2wuwp"},
		{"test seed", "tendermint test seed", "", "02c27a03825aad37221596664fc3c7278ffc7d70d7707defebd27e19210da90b2b",
			"cosmos", "cosmos150evuj4j7k9kgu38e453jdv9m3u0ft2n53flg6"},
		{"test seed, Nucleus", "tendermint test seed", "", "", "nuc", "nuc150evuj4j7k9kgu38e453jdv9m3u0ft2n4fgzfr"},
		{"constant balance", "tendermint constant balance seed", "", "", "cosmos", "cosmos10tfc28dmn2m5qdrmg5ycjyqq7lyu7y8ledc8tc"},
		{"iris", "iris test seed", "", "02238527725c96affccb7c55f3900b345b80ec5268d483284f162807775d32b32b",
			"iaa", "iaa1e0rx87mdj79zejewuc4jg7ql9ud2286g2us8f2"},
		{"iris, another", "iris test2 seed", "", "025a37975c079a7543603fcab24e2565a4adee3cf9af8934690e103282fa402511",
			"iaa", "iaa1erfnkjsmalkwtvj44qnfr2drfzdt4n9ldh0kjv"},
		{"HD", "emerge canoe salmon dolphin glow priority random become gasp sell blade argue", "m/44'/118'/0'/0/0", "",
			"cosmos", "cosmos1nv4mqaky7n7rqjhch7829kgypx5s8fh62wdtr8"},
		{"HD, next", "emerge canoe salmon dolphin glow priority random become gasp sell blade argue", "m/44'/118'/0'/0/1", "",
			"cosmos", "cosmos134h9tv7866jcuw708w5w76lcfx7s3x2ysyalxy"},
		{"documented, Cosmos Hub", "", "", documented, "cosmos", "cosmos16drqvl3u8sukfsu4lm3qsk28jr3fahjaswsac8"},
		{"documented, Osmosis", "", "", documented, "osmo", "osmo16drqvl3u8sukfsu4lm3qsk28jr3fahjac4rdw4"},
		{"documented, IRIS", "", "", documented, "iaa", "iaa16drqvl3u8sukfsu4lm3qsk28jr3fahja9vsv6k"},
	} {
		t.Run(c.name, func(t *testing.T) {
			public := publicKey(t, c.passphrase, c.path, c.public)
			a, err := FromKey(c.prefix, public)
			require.NoError(t, err)
			require.Equal(t, c.want, a.String())
			external, err := key.NewExternalKey(key.Secp256k1, public[:])
			require.NoError(t, err)
			same, err := FromExternal(c.prefix, external)
			require.NoError(t, err)
			require.Equal(t, a, same)

			read, err := Check(c.want, c.prefix)
			require.NoError(t, err)
			require.Equal(t, a, read)
			require.Equal(t, c.prefix, read.Prefix())
			require.Len(t, read.Bytes(), KeyLength)
			elsewhere, err := read.With("osmo")
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(elsewhere.String(), "osmo1"))
			require.Equal(t, read.Bytes(), elsewhere.Bytes())
		})
	}
}

// publicKey returns the public key of a passphrase, and checks that it is the known one.
func publicKey(t *testing.T, passphrase, path, known string) (public [33]byte) {
	t.Helper()
	if passphrase == "" {
		b, err := hex.DecodeString(known)
		require.NoError(t, err)
		return [33]byte(b)
	}
	ring, err := key.Open(passphrase, path != "")
	require.NoError(t, err)
	defer ring.Wipe()
	var at key.Path
	if path != "" {
		at, err = key.ParsePath(path)
		require.NoError(t, err)
	}
	private, err := ring.At(at)
	require.NoError(t, err)
	public = private.PublicKey()
	if known != "" {
		require.Equal(t, known, hex.EncodeToString(public[:]))
	}
	return public
}

// TestAddressOfEd25519 uses the key of a validator and its address, as a node of the Cosmos Hub
// reports them in its status.
func TestAddressOfEd25519(t *testing.T) {
	public, err := base64.StdEncoding.DecodeString("FTKPdEP7LSiYJMis29wsK8rtDlFEjkWJVXt2UgWOmas=")
	require.NoError(t, err)
	k, err := key.NewExternalKey(key.Ed25519, public)
	require.NoError(t, err)
	a, err := FromExternal("cosmosvalcons", k)
	require.NoError(t, err)
	require.Equal(t, "177382482a22e6f3429542e7dbfd71ac60d1b6f2", hex.EncodeToString(a.Bytes()))
	_, err = FromExternal("cosmos", key.ExternalKey{})
	require.ErrorIs(t, err, ErrForm)
}

func TestRefusedAddresses(t *testing.T) {
	const good = "cosmos150evuj4j7k9kgu38e453jdv9m3u0ft2n53flg6"
	encoded := func(prefix string, n int) string {
		groups, err := bech32.ConvertBits(make([]byte, n), 8, 5, true)
		require.NoError(t, err)
		text, err := bech32.Encode(prefix, groups)
		require.NoError(t, err)
		return text
	}
	groups, err := bech32.ConvertBits(make([]byte, KeyLength), 8, 5, true)
	require.NoError(t, err)
	second, err := bech32.EncodeM("cosmos", groups)
	require.NoError(t, err)
	padded, err := bech32.Encode("cosmos", append(groups[:31:31], 1, 1))
	require.NoError(t, err)
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"empty", "", ErrForm},
		{"a letter changed", strings.Replace(good, "u", "v", 1), ErrChecksum},
		{"the last letter changed", good[:len(good)-1] + "q", ErrChecksum},
		{"two letters swapped", strings.Replace(good, "j4", "4j", 1), ErrChecksum},
		{"a letter missing", good[:len(good)-1], ErrChecksum},
		{"the prefix changed", strings.Replace(good, "cosmos", "osmo", 1), ErrChecksum},
		{"small and capital letters", strings.Replace(good, "u", "U", 1), ErrForm},
		{"a space behind", good + " ", ErrForm},
		{"another alphabet", "cosmos1" + strings.Repeat("b", 38), ErrForm},
		{"no separator", "cosmos", ErrForm},
		{"Ethereum's", "0xbAB36286672fbdc7B250804bf6D14Be0dF69fa29", ErrForm},
		{"Komodo's", "RRnMcSeKiLrNdbp91qNVQwwXx5azD4S4CD", ErrForm},
		{"bech32m", second, ErrForm},
		{"bits too many", padded, ErrForm},
		{"19 bytes", encoded("cosmos", 19), ErrLength},
		{"no bytes", encoded("cosmos", 0), ErrLength},
		{"33 bytes", encoded("cosmos", 33), ErrLength},
		{"very long", encoded("cosmos", 50), ErrForm},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, read := range []func() (Address, error){
				func() (Address, error) { return Parse(c.text) },
				func() (Address, error) { return Check(c.text, "cosmos") },
			} {
				a, err := read()
				require.ErrorIs(t, err, c.want)
				require.Zero(t, a)
			}
		})
	}
	for _, n := range []int{KeyLength, ModuleLength} {
		a, err := Check(encoded("cosmos", n), "cosmos")
		require.NoError(t, err)
		require.Len(t, a.Bytes(), n)
	}
}

func TestAddressesOfOtherChains(t *testing.T) {
	validator, err := New("cosmosvaloper", make([]byte, KeyLength))
	require.NoError(t, err)
	for text, prefix := range map[string]string{
		"osmo16drqvl3u8sukfsu4lm3qsk28jr3fahjac4rdw4": "osmo",
		"nuc150evuj4j7k9kgu38e453jdv9m3u0ft2n4fgzfr":  "nuc",
		"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4":  "bc", // not an address of a Cosmos chain
		validator.String():                            "cosmosvaloper",
	} {
		_, err := Check(text, "cosmos")
		var other *OtherChainError
		require.ErrorAs(t, err, &other, text)
		require.Equal(t, OtherChainError{Want: "cosmos", Got: prefix}, *other)
		require.Contains(t, err.Error(), "begins with "+prefix)
		require.Contains(t, err.Error(), "with cosmos")
	}
}

func TestCapitalLetters(t *testing.T) {
	const small = "iaa1e0rx87mdj79zejewuc4jg7ql9ud2286g2us8f2"
	a, err := Check(strings.ToUpper(small), "iaa")
	require.NoError(t, err)
	require.Equal(t, small, a.String())
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		name, prefix string
		length       int
		want         error
	}{
		{"20 bytes", "cosmos", 20, nil},
		{"32 bytes", "cosmos", 32, nil},
		{"a digit 1 in the prefix", "a1b", 20, nil},
		{"21 bytes", "cosmos", 21, ErrLength},
		{"no bytes", "cosmos", 0, ErrLength},
		{"no prefix", "", 20, ErrForm},
		{"a capital letter", "Cosmos", 20, ErrForm},
		{"a space", "cos mos", 20, ErrForm},
		{"a letter that is not ASCII", "cosmös", 20, ErrForm},
		{"a long prefix", strings.Repeat("x", 80), 20, ErrForm},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := New(c.prefix, make([]byte, c.length))
			require.ErrorIs(t, err, c.want)
			if c.want != nil {
				require.Zero(t, a)
				return
			}
			back, err := Check(a.String(), c.prefix)
			require.NoError(t, err)
			require.Equal(t, a, back)
		})
	}
	require.Empty(t, Address{}.String())
}

// FuzzParse checks that the text of a parsed address is its input in lower case, and that no other
// text has the same account.
func FuzzParse(f *testing.F) {
	f.Add("cosmos150evuj4j7k9kgu38e453jdv9m3u0ft2n53flg6", "cosmos")
	f.Add("IAA1E0RX87MDJ79ZEJEWUC4JG7QL9UD2286G2US8F2", "iaa")
	f.Add("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "")
	f.Fuzz(func(t *testing.T, text, prefix string) {
		a, err := Parse(text)
		if err != nil {
			require.Zero(t, a)
			return
		}
		require.Equal(t, strings.ToLower(text), a.String())
		again, err := New(a.Prefix(), a.Bytes())
		require.NoError(t, err)
		require.Equal(t, a, again)
		_, err = Check(text, prefix)
		require.Equal(t, prefix == a.Prefix(), err == nil)
	})
}
