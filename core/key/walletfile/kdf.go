package walletfile

import (
	"context"
	"runtime"

	"golang.org/x/crypto/argon2"
)

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
