package key

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"
)

// showsNothing prints each value in every way that fmt and encoding/json support, and searches
// the output for the secrets, including the form in which the curve library holds them.
func showsNothing(t *testing.T, secrets [][]byte, values ...any) {
	t.Helper()
	var forms []string
	for _, secret := range secrets {
		var scalar btcec.ModNScalar
		scalar.SetByteSlice(secret)
		limbs := fmt.Sprintf("%v", struct{ hidden any }{struct{ hidden btcec.ModNScalar }{scalar}})
		forms = append(forms, fmt.Sprintf("%x", secret[:6]), fmt.Sprintf("%X", secret[:6]), fmt.Sprint(secret[:4])[1:10],
			string(secret), strings.Fields(strings.Trim(limbs, "{[ ]}"))[1])
	}
	check := func(text, how string) {
		t.Helper()
		for _, form := range forms {
			require.NotContains(t, text, form, how)
		}
	}
	for _, verb := range "vTtbcdoOqxXUeEfFgGspw" {
		for _, flag := range []string{"", "+", "#", " ", "0"} {
			for _, value := range values {
				check(fmt.Sprintf("%"+flag+string(verb), value), flag+string(verb))
			}
		}
	}
	for _, value := range values {
		out, err := json.Marshal(map[string]any{"value": value})
		require.NoError(t, err)
		check(string(out), "json")
	}
}

func TestPrivateShowsNothing(t *testing.T) {
	p := bob(t)
	secret := p.Secret()
	showsNothing(t, [][]byte{secret[:]}, p, *p, struct{ hidden Private }{*p}, struct{ hidden *Private }{p}, []*Private{p},
		struct{ Exported Private }{*p}, map[string]Private{"": *p})
	require.NotContains(t, fmt.Sprint(p), bobWIF)
	require.Equal(t, redacted, p.String())
	require.Equal(t, redacted, p.GoString())
	require.Equal(t, redacted, fmt.Sprintf("%x", p))
	out, err := json.Marshal(map[string]any{"pointer": p, "value": *p})
	require.NoError(t, err)
	require.JSONEq(t, `{"pointer":"[private key]","value":"[private key]"}`, string(out))
	text, err := p.MarshalText()
	require.NoError(t, err)
	require.Equal(t, redacted, string(text))
}

// TestSealed checks that showsNothing would find a secret that is hidden behind a single
// pointer.
func TestSealed(t *testing.T) {
	secret := bob(t).Secret()
	type careless struct{ secret *[32]byte }
	wrongVerb := "%t"
	//lint:ignore SA5009 the test needs the wrong verb
	text := fmt.Sprintf(wrongVerb, struct{ hidden careless }{careless{&secret}})
	require.Contains(t, text, fmt.Sprint(secret[:4])[1:10])
	showsNothing(t, [][]byte{secret[:]}, seal(&secret), struct{ hidden sealed[[32]byte] }{seal(&secret)})
	require.Equal(t, secret, *seal(&secret).open())
}

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
	require.Equal(t, [32]byte(secret), p.Secret(), "invalid keys are skipped")

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

// TestLightningNode uses ids that another implementation of BIP 32 computed, with the 32 bytes
// of the secret as the seed.
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
