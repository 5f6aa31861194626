package key

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha512"
	_ "embed" // the word list
	"errors"
	"fmt"
	"slices"
	"strings"
)

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

// seedFromMnemonic is the seed of a BIP 39 mnemonic of English words. Spaces around
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
	if n < 12 || n > 24 || n%3 != 0 {
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
