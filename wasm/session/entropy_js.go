package session

import (
	"fmt"
	"io"

	"obverse/wasm/jsval"
)

// Entropy reads from the crypto object of JavaScript.
type Entropy struct{ Crypto jsval.Value }

var _ io.Reader = Entropy{}

// maxRandom is the maximum number of bytes for one call of getRandomValues.
const maxRandom = 65536

// Read implements io.Reader.
func (e Entropy) Read(p []byte) (int, error) {
	p = p[:min(len(p), maxRandom)]
	filled, err := e.Crypto.Call("getRandomValues", jsval.ValueOf(make([]byte, len(p))))
	if err != nil {
		return 0, fmt.Errorf("draw random bytes: %w", err)
	}
	drawn, err := filled.Bytes()
	if err != nil {
		return 0, err
	}
	return copy(p, drawn), nil
}
