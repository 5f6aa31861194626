package walletfile

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Errors of Encrypt and Decrypt.
var (
	// ErrPassword reports that the password is wrong or the file was altered. The two cannot be
	// distinguished.
	ErrPassword = errors.New("wrong password, or the wallet file was altered")
	// ErrPhrase reports that a phrase is empty or too long.
	ErrPhrase = fmt.Errorf("invalid phrase: want 1 to %d bytes", maxPhrase)
)

// Encrypt encrypts a phrase with a password. It takes about half a second, and ends early if
// ctx ends.
func Encrypt(ctx context.Context, random io.Reader, phrase string, password []byte, params Params, kdf KDF) (*File, error) {
	if len(phrase) == 0 || len(phrase) > maxPhrase {
		return nil, ErrPhrase
	}
	if err := params.check(); err != nil {
		return nil, err
	}
	var fresh [2*saltSize + blockSize]byte
	if _, err := io.ReadFull(random, fresh[:]); err != nil {
		return nil, fmt.Errorf("cannot draw salts: %w", err)
	}
	f := &File{params: params, saltAES: fresh[:saltSize], saltHMAC: fresh[saltSize : 2*saltSize], iv: fresh[2*saltSize:]}
	keys, err := f.derive(ctx, password, kdf)
	if err != nil {
		return nil, err
	}
	defer keys.wipe()
	f.ciphertext = padded(phrase)
	cipher.NewCBCEncrypter(keys.block(), f.iv).CryptBlocks(f.ciphertext, f.ciphertext)
	f.tag = keys.tag(f)
	return f, nil
}

// Decrypt returns the phrase. The error is ErrPassword or that of the context.
func (f *File) Decrypt(ctx context.Context, password []byte, kdf KDF) (phrase string, err error) {
	keys, err := f.derive(ctx, password, kdf)
	if err != nil {
		return "", err
	}
	defer keys.wipe()
	if !hmac.Equal(keys.tag(f), f.tag) {
		return "", ErrPassword
	}
	plain := make([]byte, len(f.ciphertext))
	defer clear(plain)
	cipher.NewCBCDecrypter(keys.block(), f.iv).CryptBlocks(plain, f.ciphertext)
	text, ok := unpadded(plain)
	if !ok || !utf8.Valid(text) {
		return "", ErrPassword // the format does not authenticate the salt of the first key
	}
	return string(text), nil
}

// keys holds the two keys derived from a password.
type keys struct{ aes, hmac []byte }

func (f *File) derive(ctx context.Context, password []byte, kdf KDF) (keys, error) {
	both, err := kdf(ctx, password, [2][]byte{f.saltAES, f.saltHMAC}, f.params)
	if err != nil {
		return keys{}, err
	}
	return keys{both[0], both[1]}, nil
}

func (k keys) wipe() {
	clear(k.aes)
	clear(k.hmac)
}

func (k keys) block() cipher.Block {
	block, err := aes.NewCipher(k.aes)
	if err != nil {
		panic(err) // cannot happen, since the size is valid
	}
	return block
}

// tag returns the authentication code of ciphertext and IV.
func (k keys) tag(f *File) []byte {
	mac := hmac.New(sha256.New, k.hmac)
	mac.Write(f.ciphertext)
	mac.Write(f.iv)
	return mac.Sum(nil)
}

// padded returns a text with PKCS #7 padding.
func padded(text string) []byte {
	n := blockSize - len(text)%blockSize
	return append([]byte(text), bytes.Repeat([]byte{byte(n)}, n)...)
}

func unpadded(b []byte) ([]byte, bool) {
	n := int(b[len(b)-1])
	if n < 1 || n > blockSize || !bytes.Equal(b[len(b)-n:], bytes.Repeat([]byte{byte(n)}, n)) {
		return nil, false
	}
	return b[:len(b)-n], true
}

// KDF derives two 32-byte keys from a password, using one salt for each.
type KDF func(ctx context.Context, password []byte, salts [2][]byte, p Params) (keys [2][]byte, err error)

var _ KDF = Argon2id

const large = 16 << 10 // KiB

// Argon2id derives the keys in the calling goroutine. It checks ctx before each key.
func Argon2id(ctx context.Context, password []byte, salts [2][]byte, p Params) (keys [2][]byte, err error) {
	for i, salt := range salts {
		if err := ctx.Err(); err != nil {
			clear(keys[0])
			return keys, err
		}
		keys[i] = argon2.IDKey(password, salt, p.Passes, p.Memory, p.Lanes, keySize)
		if p.Memory >= large {
			runtime.GC() // the next run reuses this memory, since the memory of a page never shrinks
		}
	}
	return keys, nil
}
