package key

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha512"
	_ "embed" // the word list
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Errors of FromPassphrase and ParseWIF. The texts are Komodo DeFi Framework's,
// capital letters included, since its users search for them. None repeats what
// was given, which may be nearly the secret.
var (
	ErrEmptyPassphrase = errors.New("Passphrase cannot be an empty string")
	ErrChecksum        = errors.New("Provided WIF passphrase has invalid checksum!")
	ErrUncompressed    = errors.New("We only support compressed keys at the moment")
	ErrRawSecret       = errors.New("Error parsing passphrase: 0x must be followed by 64 hexadecimal digits")
	ErrInvalidSecret   = errors.New("Invalid private key: Invalid Secret")
	ErrNotWIF          = errors.New("not a WIF: base58 text of 37 or 38 bytes is expected")
)

// FromPassphrase gives the key of a node that is not an HD wallet. In this order:
// a text that has the shape of a WIF is one; a text that begins with 0x is the
// secret in hexadecimal; every other text, BIP 39 phrases too, is hashed.
func FromPassphrase(passphrase string) (*Private, error) {
	if passphrase == "" {
		return nil, ErrEmptyPassphrase
	}
	if p, err := ParseWIF(passphrase); !errors.Is(err, ErrNotWIF) {
		return p, err
	}
	if digits, ok := strings.CutPrefix(passphrase, "0x"); ok {
		return fromHex(digits)
	}
	return fromText(passphrase)
}

func fromHex(digits string) (*Private, error) {
	secret, err := hex.DecodeString(digits)
	if err != nil || len(secret) != 32 {
		return nil, ErrRawSecret
	}
	return newPrivate([32]byte(secret))
}

// fromText clamps the hash as Curve25519 does: the rule comes from the days when
// one passphrase served Nxt accounts too, and every existing key depends on it.
func fromText(text string) (*Private, error) {
	h := sha256.Sum256([]byte(text))
	h[0] &= 248
	h[31] &= 127
	h[31] |= 64
	return newPrivate(h)
}

// englishWords is bip-0039/english.txt: 2048 words in alphabetical order.
//
//go:embed english.txt
var englishWords string

// Errors of a BIP 39 mnemonic. They begin as Komodo DeFi Framework's do. None
// repeats a word: most of a misspelt mnemonic is the secret.
var (
	ErrNotEnglish  = errors.New("Error parsing passphrase: a mnemonic has English words only, and this text has other characters than ASCII")
	ErrWordCount   = errors.New("Error parsing passphrase: an HD wallet needs a BIP39 mnemonic of 12, 15, 18, 21 or 24 words")
	ErrUnknownWord = errors.New("Error parsing passphrase: not in BIP39's English list, whose words are lower-case")
	ErrMnemonicSum = errors.New("Error parsing passphrase: the checksum of the mnemonic is wrong: a word is wrong or in the wrong place")
)

// Lengths of mnemonics, in words.
const (
	minWords = 12
	maxWords = 24
	wordStep = 3
)

// seedFromMnemonic returns the seed of a BIP 39 mnemonic of English words. Spaces around
// words do not count. The NFKD form that BIP 39 asks for is the text itself, since
// English words are ASCII.
func seedFromMnemonic(mnemonic, password string) ([]byte, error) {
	for _, c := range []byte(mnemonic) {
		if c >= 0x80 {
			return nil, ErrNotEnglish
		}
	}
	words := strings.Fields(mnemonic)
	if err := checkMnemonic(strings.Fields(englishWords), words); err != nil {
		return nil, err
	}
	seed, err := pbkdf2.Key(sha512.New, strings.Join(words, " "), []byte("mnemonic"+password), 2048, 64)
	if err != nil {
		return nil, fmt.Errorf("derive the seed: %w", err)
	}
	return seed, nil
}

// checkMnemonic compares the last bits of the words, one for every three words, with
// the first bits of the hash of the others. list is in order.
func checkMnemonic(list, words []string) error {
	n := len(words)
	if n < minWords || n > maxWords || n%wordStep != 0 {
		return fmt.Errorf("%w, got %d", ErrWordCount, n)
	}
	var packed [33]byte // 11 bits of each word
	defer clear(packed[:])
	bit := 0
	for i, word := range words {
		number, ok := slices.BinarySearch(list, word)
		if !ok {
			return fmt.Errorf("word %d of %d: %w", i+1, n, ErrUnknownWord)
		}
		for mask := 1 << 10; mask > 0; mask >>= 1 {
			if number&mask != 0 {
				packed[bit/8] |= 0x80 >> (bit % 8)
			}
			bit++
		}
	}
	entropy := n / 3 * 4
	hash := sha256.Sum256(packed[:entropy])
	if packed[entropy] != hash[0]&^(0xff>>(n/3)) {
		return ErrMnemonicSum
	}
	return nil
}

// HasMnemonic reports whether a text contains a BIP 39 mnemonic, for texts that others can
// read. Whatever is not a letter may stand between the words, as numbers and commas do.
func HasMnemonic(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) < minWords {
		return false
	}
	list := strings.Fields(englishWords)
	row := 0 // of words of the list, up to the current one
	for i, word := range words {
		row++
		if _, is := slices.BinarySearch(list, word); !is {
			row = 0
		}
		for n := minWords; n <= min(row, maxWords); n += wordStep {
			if checkMnemonic(list, words[i+1-n:i+1]) == nil {
				return true
			}
		}
	}
	return false
}

// NewMnemonic draws a BIP 39 mnemonic of so many words. The error is ErrWordCount, or why
// random gave nothing.
func NewMnemonic(random io.Reader, words int) (string, error) {
	if words < minWords || words > maxWords || words%wordStep != 0 {
		return "", fmt.Errorf("%w, got %d", ErrWordCount, words)
	}
	var bits [33]byte // the entropy, and the checksum behind it
	defer clear(bits[:])
	entropy := words / 3 * 4
	if _, err := io.ReadFull(random, bits[:entropy]); err != nil {
		return "", fmt.Errorf("cannot draw a mnemonic: %w", err)
	}
	bits[entropy] = sha256.Sum256(bits[:entropy])[0]
	list, chosen := strings.Fields(englishWords), make([]string, words)
	for i := range chosen {
		number := 0
		for bit := 11 * i; bit < 11*(i+1); bit++ {
			number = number<<1 | int(bits[bit/8]>>(7-bit%8)&1)
		}
		chosen[i] = list[number]
	}
	return strings.Join(chosen, " "), nil
}
