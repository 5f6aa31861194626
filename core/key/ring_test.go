package key

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/stretchr/testify/require"
	//lint:ignore SA1019 addresses require RIPEMD-160
	"golang.org/x/crypto/ripemd160"
	"golang.org/x/crypto/sha3"

	"obverse/core/rpc/recording"
)

const mnemonic = "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"

// addressLike returns the address of a key in the same format as an example.
func addressLike(t *testing.T, example string, pub [33]byte) string {
	t.Helper()
	if strings.HasPrefix(example, "0x") {
		return ethereumAddress(t, pub)
	}
	hash := hash160(pub)
	if prefix, _, err := bech32.Decode(example); err == nil {
		address, err := bech32.EncodeFromBase256(prefix, hash)
		require.NoError(t, err)
		return address
	}
	return base58.CheckEncode(hash, 60)
}

func hash160(pub [33]byte) []byte {
	sum := sha256.Sum256(pub[:])
	h := ripemd160.New()
	h.Write(sum[:])
	return h.Sum(nil)
}

func ethereumAddress(t *testing.T, pub [33]byte) string {
	t.Helper()
	point, err := btcec.ParsePubKey(pub[:])
	require.NoError(t, err)
	keccak := func(b []byte) []byte {
		h := sha3.NewLegacyKeccak256()
		h.Write(b)
		return h.Sum(nil)
	}
	digits := []byte(hex.EncodeToString(keccak(point.SerializeUncompressed()[1:])[12:]))
	for i, sum := 0, hex.EncodeToString(keccak(digits)); i < len(digits); i++ {
		if sum[i] >= '8' { // EIP-55
			digits[i] = strings.ToUpper(string(digits[i]))[0]
		}
	}
	return "0x" + string(digits)
}

func TestVectorsRing(t *testing.T) {
	for _, data := range recording.Read(t, "testdata", "OBVERSE_VECTORS", "ring.json") {
		var cases []struct {
			Name, Passphrase, Path, Secret, Pub, Hash160 string
			HD                                           bool
			Addresses                                    []string
		}
		require.NoError(t, json.Unmarshal(data, &cases))
		require.NotEmpty(t, cases)
		for _, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				ring, err := Open(c.Passphrase, c.HD)
				require.NoError(t, err)
				require.Equal(t, c.HD, ring.IsHD())
				private := ring.Node()
				if c.Path != "" {
					path, err := ParsePath(c.Path)
					require.NoError(t, err)
					private, err = ring.At(path)
					require.NoError(t, err)
				}
				pub, secret := private.PublicKey(), private.Secret()
				for _, want := range c.Addresses {
					require.Equal(t, want, addressLike(t, want, pub))
				}
				for want, got := range map[string][]byte{c.Pub: pub[:], c.Secret: secret[:], c.Hash160: hash160(pub)} {
					if want != "" {
						require.Equal(t, want, hex.EncodeToString(got))
					}
				}
			})
		}
	}
}

type hdVectors struct {
	BIP39 []struct{ Entropy, Mnemonic, Seed string }
	BIP32 []struct{ Seed, Path, XPrv string }
}

func readHD(t *testing.T) (all hdVectors) {
	t.Helper()
	for _, data := range recording.Read(t, "testdata", "OBVERSE_VECTORS", "hd.json") {
		var v hdVectors
		require.NoError(t, json.Unmarshal(data, &v))
		all.BIP39, all.BIP32 = append(all.BIP39, v.BIP39...), append(all.BIP32, v.BIP32...)
	}
	require.NotEmpty(t, all.BIP39)
	require.NotEmpty(t, all.BIP32)
	return all
}

// TestVectorsBIP39 derives seeds with the password of BIP 39's vectors, which a Ring never
// uses.
func TestVectorsBIP39(t *testing.T) {
	for _, v := range readHD(t).BIP39 {
		seed, err := seedFromMnemonic(v.Mnemonic, "TREZOR")
		require.NoError(t, err, v.Mnemonic)
		require.Equal(t, v.Seed, hex.EncodeToString(seed), v.Mnemonic)
	}
}

// TestVectorsBIP32 compares the chain code and the key. Versions, depths and fingerprints of
// extended keys are not used here.
func TestVectorsBIP32(t *testing.T) {
	for _, v := range readHD(t).BIP32 {
		t.Run(v.Seed[:8]+" "+v.Path, func(t *testing.T) {
			seed, err := hex.DecodeString(v.Seed)
			require.NoError(t, err)
			root, err := masterKey(seed)
			require.NoError(t, err)
			path, err := ParsePath(v.Path)
			require.NoError(t, err)
			node := root
			for _, index := range path {
				node, err = node.child(index)
				require.NoError(t, err)
			}
			want := base58.Decode(v.XPrv)
			require.Len(t, want, 82)
			secret := node.scalar.open().Bytes()
			require.Equal(t, want[13:45], node.chain.open()[:])
			require.Equal(t, want[46:78], secret[:])
			private, err := root.at(path)
			require.NoError(t, err)
			require.Equal(t, secret, private.Secret())
		})
	}
}

func TestWordList(t *testing.T) {
	sum := sha256.Sum256([]byte(englishWords))
	require.Equal(t, "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda", hex.EncodeToString(sum[:]), "bip-0039/english.txt")
}

func TestRefusedMnemonics(t *testing.T) {
	words := strings.Fields(mnemonic)
	with := func(i int, word string) string {
		changed := append([]string(nil), words...)
		changed[i] = word
		return strings.Join(changed, " ")
	}
	for _, c := range []struct {
		name, mnemonic string
		want           error
		text           string
	}{
		{"empty", "", ErrEmptyPassphrase, "Passphrase cannot be an empty string"},
		{"spaces", " \t\n", ErrWordCount, ErrWordCount.Error() + ", got 0"},
		{"passphrase", "bob passphrase", ErrWordCount, ErrWordCount.Error() + ", got 2"},
		{"WIF", bobWIF, ErrWordCount, ErrWordCount.Error() + ", got 1"},
		{"raw secret", "0x" + strings.Repeat("1", 64), ErrWordCount, ErrWordCount.Error() + ", got 1"},
		{"eleven words", strings.Join(words[:11], " "), ErrWordCount, ErrWordCount.Error() + ", got 11"},
		{"thirteen words", mnemonic + " argue", ErrWordCount, ErrWordCount.Error() + ", got 13"},
		{"nine words", strings.Join(words[:9], " "), ErrWordCount, ErrWordCount.Error() + ", got 9"},
		{"27 words", strings.Repeat("abandon ", 27), ErrWordCount, ErrWordCount.Error() + ", got 27"},
		{"a million words", strings.Repeat("a ", 1_000_000), ErrWordCount, ErrWordCount.Error() + ", got 1000000"},
		{"word of no list", with(2, "salmonella"), ErrUnknownWord, "word 3 of 12: " + ErrUnknownWord.Error()},
		{"capital letter", with(0, "Emerge"), ErrUnknownWord, "word 1 of 12: " + ErrUnknownWord.Error()},
		{"comma", with(11, "argue,"), ErrUnknownWord, "word 12 of 12: " + ErrUnknownWord.Error()},
		{"abbreviation", with(3, "dolp"), ErrUnknownWord, "word 4 of 12: " + ErrUnknownWord.Error()},
		{"another word", with(11, "zoo"), ErrMnemonicSum, ErrMnemonicSum.Error()},
		{"two words swapped", with(0, "canoe"), ErrMnemonicSum, ErrMnemonicSum.Error()},
		{"French", with(0, "éléphant"), ErrNotEnglish, ErrNotEnglish.Error()},
		{"Japanese", strings.Repeat("あいこくしん　", 12), ErrNotEnglish, ErrNotEnglish.Error()},
		{"space that only NFKD makes one", strings.Replace(mnemonic, " ", "\u3000", 1), ErrNotEnglish, ErrNotEnglish.Error()},
		{"no UTF-8", mnemonic + "\xff", ErrNotEnglish, ErrNotEnglish.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			ring, err := Open(c.mnemonic, true)
			require.Nil(t, ring)
			require.ErrorIs(t, err, c.want)
			require.EqualError(t, err, c.text)
		})
	}
}

// TestMnemonicChecksums checks that one in 2^(words/3) mnemonics of each length has a valid
// checksum.
func TestMnemonicChecksums(t *testing.T) {
	list := strings.Fields(englishWords)
	for n := 12; n <= 24; n += 3 {
		words := strings.Fields(strings.Repeat("zoo ", n))
		valid := 0
		for _, last := range list {
			words[n-1] = last
			if err := checkMnemonic(list, words); err == nil {
				valid++
			} else {
				require.ErrorIs(t, err, ErrMnemonicSum)
			}
		}
		require.Equal(t, len(list)>>(n/3), valid, n)
	}
}

func TestOneKeyForEverythingWithoutHD(t *testing.T) {
	ring, err := Open("bob passphrase", false)
	require.NoError(t, err)
	require.Equal(t, bob(t), ring.Node())
	at, err := ring.At(Path{1, 2, 3})
	require.NoError(t, err)
	require.Equal(t, bob(t), at)
	at.Wipe()
	require.Equal(t, bob(t), ring.Node(), "what At gave was the caller's own")
	_, err = Open("", false)
	require.ErrorIs(t, err, ErrEmptyPassphrase)
	_, err = Open(strings.Replace(bobWIF, "J", "K", 1), false)
	require.ErrorIs(t, err, ErrChecksum)
}

func TestRingWipe(t *testing.T) {
	ring, err := Open(mnemonic, true)
	require.NoError(t, err)
	derived, err := ring.At(Path{7})
	require.NoError(t, err)
	pub := ring.Node().PublicKey()
	ring.Wipe()
	require.True(t, ring.root.scalar.open().IsZero())
	require.Zero(t, *ring.root.chain.open())
	require.True(t, ring.node.scalar.open().Key.IsZero())
	require.Equal(t, pub, ring.Node().PublicKey())
	require.False(t, derived.scalar.open().Key.IsZero())
}

func TestRingShowsNothing(t *testing.T) {
	ring, err := Open(mnemonic, true)
	require.NoError(t, err)
	node, root := ring.node.Secret(), ring.root.scalar.open().Bytes()
	secrets := [][]byte{node[:], root[:], ring.root.chain.open()[:]}
	showsNothing(t, secrets, ring, *ring, struct{ hidden Ring }{*ring}, struct{ hidden *Ring }{ring},
		ring.root, *ring.root, struct{ hidden extended }{*ring.root})
	out, err := json.Marshal(map[string]any{"pointer": ring, "value": *ring})
	require.NoError(t, err)
	require.JSONEq(t, `{"pointer":"[private key]","value":"[private key]"}`, string(out))
}

func FuzzOpenHD(f *testing.F) {
	for _, seed := range []string{"", mnemonic, mnemonic + " ", strings.Repeat("abandon ", 11) + "about", bobWIF, "zoo\x00zoo", strings.Repeat("あ ", 12)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ring, err := Open(text, true)
		if err != nil {
			require.Nil(t, ring)
			return
		}
		again, err := Open(strings.Join(strings.Fields(text), " "), true)
		require.NoError(t, err)
		require.Equal(t, ring.Node().PublicKey(), again.Node().PublicKey())
	})
}
