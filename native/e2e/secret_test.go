package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// record keeps all that a run shows to others.
type record struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (r *record) add(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Write(p)
}

// secretForms lists the secrets in the forms in which they could slip out.
func secretForms(t testing.TB) map[string]string {
	t.Helper()
	private := signer(t)
	secret := private.Secret()
	return map[string]string{
		"passphrase":           passphrase,
		"WIF":                  private.WIF(),
		"hexadecimal secret":   hex.EncodeToString(secret[:]),
		"password of the node": rpcPassword,
		"password of daemon":   daemonPassword,
		"credential of daemon": base64.StdEncoding.EncodeToString([]byte(daemonUser + ":" + daemonPassword)),
		"credential of node":   base64.StdEncoding.EncodeToString([]byte("user:" + rpcPassword)),
	}
}

// requireClean searches the record for secrets and for signs of mistakes in the program.
func (r *record) requireClean(t testing.TB) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	require.NotEmpty(t, r.all.Bytes(), "nothing was recorded")
	for name, form := range secretForms(t) {
		require.False(t, bytes.Contains(r.all.Bytes(), []byte(form)), "what the node shows has the %s", name)
	}
	for _, sign := range []string{"WARNING: DATA RACE", "panic", "goroutine "} {
		at := bytes.Index(r.all.Bytes(), []byte(sign))
		require.Negative(t, at, "the node shows: %.2000s", r.all.Bytes()[max(0, at):])
	}
}
