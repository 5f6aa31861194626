package walletfile

import (
	"bytes"
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
	blockSize  = 16 // block size of AES, and size of the IV
	tagSize    = 32
	maxPhrase  = 4 << 10
	maxFile    = 64 << 10
)

// ErrFormat reports a corrupt file, or a file in another format.
var ErrFormat = errors.New("invalid wallet file")

// Params are the cost parameters of the key derivation.
type Params struct {
	Memory uint32 // in KiB
	Passes uint32
	Lanes  uint8
}

// DefaultParams are the parameters of Komodo DeFi Framework.
var DefaultParams = Params{Memory: 64 << 10, Passes: 2, Lanes: 1}

// Limits of the parameters in files. Above them, a file could make the node run out of memory
// or compute for hours.
const (
	maxMemory = 1 << 20 // 1 GiB
	maxPasses = 64
	maxLanes  = 64
	// maxWork limits memory × passes to eight times the work of DefaultParams, which takes
	// several seconds.
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

// File is an encrypted recovery phrase.
type File struct {
	params            Params
	saltAES, saltHMAC []byte
	iv                []byte
	ciphertext        []byte
	tag               []byte
}

// The format on disk, with the fields in the order of Komodo DeFi Framework.
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

// The encodings are strict, so that every byte string has a single encoding.
var (
	encoding = base64.StdEncoding.Strict()
	salts    = base64.RawStdEncoding.Strict()
)

// MarshalJSON returns the form that is stored, and returned by get_mnemonic.
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

// Parse parses a file. Its errors wrap ErrFormat and name the invalid field.
func Parse(text []byte) (*File, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some editors write a byte order mark before JSON
	if len(text) > maxFile {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrFormat, len(text), maxFile)
	}
	r := reader{}
	file := r.object(append([]byte{}, text...), "content")
	argon2 := r.object(r.object(file["key_derivation_details"], "key_derivation_details")["Argon2"], "Argon2")
	params := r.object(argon2["params"], "params")
	read(&r, file, "version", version)
	read(&r, file, "encryption_algorithm", cipherName)
	read(&r, params, "algorithm", kdfName)
	read(&r, params, "version", kdfVersion)
	read(&r, params, "output_len", keySize)
	f := &File{
		params:     Params{Memory: read[uint32](&r, params, "m_cost"), Passes: read[uint32](&r, params, "t_cost"), Lanes: read[uint8](&r, params, "p_cost")},
		saltAES:    r.bytes(argon2, "salt_aes", salts, saltSize),
		saltHMAC:   r.bytes(argon2, "salt_hmac", salts, saltSize),
		iv:         r.bytes(file, "iv", encoding, blockSize),
		ciphertext: r.bytes(file, "ciphertext", encoding, 0),
		tag:        r.bytes(file, "tag", encoding, tagSize),
	}
	r.check(f.params.check())
	if n := len(f.ciphertext); n == 0 || n%blockSize != 0 {
		r.check(fmt.Errorf("ciphertext has %d bytes, want a multiple of %d", n, blockSize))
	}
	if errors.Is(r.err, ErrFormat) {
		return nil, r.err
	}
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, r.err)
	}
	return f, nil
}

// reader decodes fields and keeps its first error. It decodes objects as maps, since
// encoding/json matches the fields of a struct case-insensitively.
type reader struct{ err error }

func (r *reader) check(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) object(raw []byte, name string) (fields map[string]json.RawMessage) {
	if raw == nil {
		r.check(fmt.Errorf("missing field %q", name))
	} else if json.Unmarshal(raw, &fields) != nil || fields == nil {
		r.check(fmt.Errorf("%s must be a JSON object", name))
	}
	return fields
}

// read decodes a required field. If wanted values are given, the field must be one of them.
func read[T comparable](r *reader, fields map[string]json.RawMessage, name string, want ...T) (value T) {
	raw, found := fields[name]
	if !found {
		r.check(fmt.Errorf("missing field %q", name))
		return value
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		r.check(fmt.Errorf("%s: %w", name, err))
	}
	if len(want) > 0 && value != want[0] {
		r.check(fmt.Errorf("unsupported %s %v, want %v", name, value, want[0]))
	}
	return value
}

// bytes decodes a base64 field with the given size. A size of 0 means any size.
func (r *reader) bytes(fields map[string]json.RawMessage, name string, encoding *base64.Encoding, size int) []byte {
	b, err := encoding.DecodeString(read[string](r, fields, name))
	if err != nil {
		r.check(fmt.Errorf("%s: %w", name, err))
	}
	if size > 0 && len(b) != size {
		r.check(fmt.Errorf("%s has %d bytes, want %d", name, len(b), size))
	}
	return b
}
