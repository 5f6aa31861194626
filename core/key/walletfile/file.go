package walletfile

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

const (
	version    = 1
	cipherName = "AES256CBC"
	kdfName    = "argon2id"
	kdfVersion = 0x13
	keySize    = 32
	saltSize   = 16
	blockSize  = 16 // of AES, and so of the IV
	tagSize    = 32
	maxPhrase  = 4 << 10
	maxFile    = 64 << 10
)

// ErrFormat says that a file is not one of this format, or is corrupt.
var ErrFormat = errors.New("invalid wallet file")

// Params say what it costs to derive a key.
type Params struct {
	Memory uint32 // KiB
	Passes uint32
	Lanes  uint8
}

// DefaultParams are the parameters of Komodo DeFi Framework.
var DefaultParams = Params{Memory: 64 << 10, Passes: 2, Lanes: 1}

// Bounds on the parameters of files that are read: above them a file could make the node
// run out of memory, or work on it for hours.
const (
	maxMemory = 1 << 20 // 1 GiB
	maxPasses = 64
	maxLanes  = 64
	// maxWork bounds memory × passes, eight times the work of DefaultParams: some seconds.
	maxWork = 1 << 20
)

func (p Params) check() error {
	switch {
	case p.Memory < 8*uint32(p.Lanes) || p.Memory > maxMemory:
		return fmt.Errorf("%w: m_cost is %d, want 8 × p_cost to %d", ErrFormat, p.Memory, maxMemory)
	case p.Passes < 1 || p.Passes > maxPasses:
		return fmt.Errorf("%w: t_cost is %d, want 1 to %d", ErrFormat, p.Passes, maxPasses)
	case uint64(p.Memory)*uint64(p.Passes) > maxWork:
		return fmt.Errorf("%w: m_cost × t_cost is %d, want at most %d", ErrFormat, uint64(p.Memory)*uint64(p.Passes), maxWork)
	case p.Lanes < 1 || p.Lanes > maxLanes:
		return fmt.Errorf("%w: p_cost is %d, want 1 to %d", ErrFormat, p.Lanes, maxLanes)
	}
	return nil
}

// File is an encrypted phrase.
type File struct {
	params            Params
	saltAES, saltHMAC []byte
	iv                []byte
	ciphertext        []byte
	tag               []byte
}

// The form on disk, in the order in which Komodo DeFi Framework writes it.
type (
	fileJSON struct {
		Version    int         `json:"version"`
		Cipher     string      `json:"encryption_algorithm"`
		KDF        detailsJSON `json:"key_derivation_details"`
		IV         string      `json:"iv"`
		Ciphertext string      `json:"ciphertext"`
		Tag        string      `json:"tag"`
	}
	detailsJSON struct {
		Argon2 argon2JSON `json:"Argon2"`
	}
	argon2JSON struct {
		Params   paramsJSON `json:"params"`
		SaltAES  string     `json:"salt_aes"`
		SaltHMAC string     `json:"salt_hmac"`
	}
	paramsJSON struct {
		Algorithm string `json:"algorithm"`
		Version   int    `json:"version"`
		Memory    uint32 `json:"m_cost"`
		Passes    uint32 `json:"t_cost"`
		Lanes     uint8  `json:"p_cost"`
		Length    int    `json:"output_len"`
	}
)

// Strict, so that no two texts stand for the same bytes.
var (
	encoding = base64.StdEncoding.Strict()
	salts    = base64.RawStdEncoding.Strict()
)

// MarshalJSON writes the form that is stored, and that get_mnemonic returns.
func (f *File) MarshalJSON() ([]byte, error) {
	return json.Marshal(fileJSON{
		Version: version, Cipher: cipherName,
		KDF: detailsJSON{argon2JSON{
			Params:  paramsJSON{kdfName, kdfVersion, f.params.Memory, f.params.Passes, f.params.Lanes, keySize},
			SaltAES: salts.EncodeToString(f.saltAES), SaltHMAC: salts.EncodeToString(f.saltHMAC),
		}},
		IV: encoding.EncodeToString(f.iv), Ciphertext: encoding.EncodeToString(f.ciphertext), Tag: encoding.EncodeToString(f.tag),
	})
}
