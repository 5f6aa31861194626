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
	// ErrPassword means that the password is wrong or the file was altered. The two cannot be
	// distinguished.
	ErrPassword = errors.New("wrong password, or the wallet file was altered")
	// ErrPhrase says that a phrase is empty or too long.
	ErrPhrase = fmt.Errorf("invalid phrase: want 1 to %d bytes", maxPhrase)
)

// Encrypt makes the file of a phrase. It works for about half a second; ctx can end it in
// the middle.
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

// Decrypt returns the phrase. Errors are ErrPassword and the context's.
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

// keys are the two that come from a password.
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
		panic(err) // the size is right
	}
	return block
}

// tag authenticates ciphertext and IV.
func (k keys) tag(f *File) []byte {
	mac := hmac.New(sha256.New, k.hmac)
	mac.Write(f.ciphertext)
	mac.Write(f.iv)
	return mac.Sum(nil)
}

// padded returns a text with the padding of PKCS #7.
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

// KDF derives two keys of 32 bytes from a password, one for each salt.
type KDF func(ctx context.Context, password []byte, salts [2][]byte, p Params) (keys [2][]byte, err error)

var _ KDF = Argon2id

const large = 16 << 10 // KiB

// Argon2id derives keys where it is called. It looks at ctx between the two.
func Argon2id(ctx context.Context, password []byte, salts [2][]byte, p Params) (keys [2][]byte, err error) {
	for i, salt := range salts {
		if err := ctx.Err(); err != nil {
			clear(keys[0])
			return keys, err
		}
		keys[i] = argon2.IDKey(password, salt, p.Passes, p.Memory, p.Lanes, keySize)
		if p.Memory >= large {
			runtime.GC() // the next run has the memory of this one: a page never gets smaller
		}
	}
	return keys, nil
}
