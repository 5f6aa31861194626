package key

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestGenerate(t *testing.T) {
	secret := bytes.Repeat([]byte{0x12}, 32)
	p, err := Generate(bytes.NewReader(secret))
	require.NoError(t, err)
	require.Equal(t, [32]byte(secret), p.Secret())
	require.Equal(t, "036360e856310ce5d294e8be33fc807077dc56ac80d95d9cd4ddbd21325eff73f7", hexOf(p), "as in BOLT 8's vectors")

	none := bytes.Repeat([]byte{0}, 32)
	tooLarge := fromHexText(t, orderHex)
	p, err = Generate(io.MultiReader(bytes.NewReader(none), bytes.NewReader(tooLarge), bytes.NewReader(secret)))
	require.NoError(t, err)
	require.Equal(t, [32]byte(secret), p.Secret(), "what is no key is passed over")

	broken := errors.New("no entropy")
	_, err = Generate(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	_, err = Generate(bytes.NewReader(secret[1:]))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func hexOf(p *Private) string {
	public := p.PublicKey()
	return hex.EncodeToString(public[:])
}

// The expected ids were computed by another implementation of BIP 32, from the 32 bytes
// of the secret as seed.
func TestLightningNode(t *testing.T) {
	for passphrase, want := range map[string]string{
		"bob passphrase": "038eeac9235d93f9e4c84e89e296d6ca9bae89d563408f05bfdc450e91000f5fb1",
		"best seed":      "034f742db07f354f329f526f44c19d017ddc050ce8e42f7ba5be1b4662fa93e395",
	} {
		node, err := FromPassphrase(passphrase)
		require.NoError(t, err)
		first, err := node.LightningNode()
		require.NoError(t, err)
		require.Equal(t, want, hexOf(first))
		again, err := node.LightningNode()
		require.NoError(t, err)
		require.Equal(t, first.Secret(), again.Secret(), "stable")
		require.NotEqual(t, node.PublicKey(), first.PublicKey(), "and no key that holds coins")
		secret := node.Secret()
		require.NotZero(t, secret, "the node's own key is left alone")
	}
}
