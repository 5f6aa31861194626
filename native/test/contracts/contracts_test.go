package contracts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// An artefact must match the source next to it and the versions in package.json.
func TestArtefacts(t *testing.T) {
	text, err := os.ReadFile("package.json")
	require.NoError(t, err)
	var npm struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	require.NoError(t, json.Unmarshal(text, &npm))
	for _, name := range []string{Token20, Token721, Token1155} {
		a, err := Read(name)
		require.NoError(t, err)
		source, err := os.ReadFile(a.Source)
		require.NoError(t, err)
		sum := sha256.Sum256(source)
		require.Equal(t, hex.EncodeToString(sum[:]), a.SHA256, "%s was changed: run `npm ci && npm run build`", a.Source)
		require.Equal(t, npm.Dependencies["@openzeppelin/contracts"], a.OpenZeppelin)
		require.Contains(t, a.Compiler, npm.Dependencies["solc"])
		code, err := Code(name, 1, 2)
		require.NoError(t, err)
		require.Greater(t, len(code), 1000)
		require.Equal(t, []byte{1, 2}, code[len(code)-2:])
	}
	_, err = Code("Nothing")
	require.ErrorIs(t, err, os.ErrNotExist)
}
