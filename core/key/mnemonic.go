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

// Errors of FromPassphrase and ParseWIF. The texts come from Komodo DeFi Framework, including
// capital letters, since its users search for them. No text contains the input, which may be
// nearly equal to the secret.
var (
	ErrEmptyPassphrase = errors.New("Passphrase cannot be an empty string")
	ErrChecksum        = errors.New("Provided WIF passphrase has invalid checksum!")
	ErrUncompressed    = errors.New("We only support compressed keys at the moment")
	ErrRawSecret       = errors.New("Error parsing passphrase: 0x must be followed by 64 hexadecimal digits")
	ErrInvalidSecret   = errors.New("Invalid private key: Invalid Secret")
	ErrNotWIF          = errors.New("not a WIF: base58 text of 37 or 38 bytes is expected")
)

// FromPassphrase derives the key of a node that is not an HD wallet. A text in the form of a
// WIF is decoded as one, a text that begins with 0x is the secret in hexadecimal, and every
// other text, including a BIP 39 phrase, is hashed.
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

// fromText derives a key from the hash of a text, which it clamps like Curve25519. Originally,
// the same passphrase was also used for Nxt accounts, and every existing key depends on this
// rule.
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

// Errors of a BIP 39 mnemonic. They begin like the errors of Komodo DeFi Framework. No text
// contains a word, since most of a misspelled mnemonic is the secret.
var (
	ErrNotEnglish  = errors.New("Error parsing passphrase: a mnemonic has English words only, and this text has other characters than ASCII")
	ErrWordCount   = errors.New("Error parsing passphrase: an HD wallet needs a BIP39 mnemonic of 12, 15, 18, 21 or 24 words")
	ErrUnknownWord = errors.New("Error parsing passphrase: not in BIP39's English list, whose words are lower-case")
	ErrMnemonicSum = errors.New("Error parsing passphrase: the checksum of the mnemonic is wrong: a word is wrong or in the wrong place")
)

// Numbers of words in mnemonics.
const (
	minWords = 12
	maxWords = 24
	wordStep = 3
)

// seedFromMnemonic returns the seed of a BIP 39 mnemonic of English words. Spaces around words
// are ignored. English words are ASCII, so their NFKD form, which BIP 39 requires, is the text
// itself.
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

// checkMnemonic verifies the checksum. The checksum has one bit for every three words. It is the
// last bits of the words, which must be equal to the first bits of the hash of the other bits. The
// argument list is the sorted word list.
func checkMnemonic(list, words []string) error {
	n := len(words)
	if n < minWords || n > maxWords || n%wordStep != 0 {
		return fmt.Errorf("%w, got %d", ErrWordCount, n)
	}
	var packed [33]byte // 11 bits per word
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

// HasMnemonic reports whether a text contains a BIP 39 mnemonic, so that such a text is not
// published. The words may be separated by any characters that are not letters, such as numbers
// and commas.
func HasMnemonic(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) < minWords {
		return false
	}
	list := strings.Fields(englishWords)
	row := 0 // number of consecutive words from the list, up to the current one
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

// NewMnemonic generates a BIP 39 mnemonic with the given number of words. It returns
// ErrWordCount, or the error of random.
func NewMnemonic(random io.Reader, words int) (string, error) {
	if words < minWords || words > maxWords || words%wordStep != 0 {
		return "", fmt.Errorf("%w, got %d", ErrWordCount, words)
	}
	var bits [33]byte // the entropy, followed by the checksum
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
