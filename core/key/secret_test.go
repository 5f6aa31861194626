package key

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"
)

// showsNothing prints each value in every way that fmt and encoding/json have and
// looks for the secrets, also in the form in which the curve library holds them.
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
	check := func(shown, how string) {
		t.Helper()
		for _, form := range forms {
			require.NotContains(t, shown, form, how)
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
		struct{ Shown Private }{*p}, map[string]Private{"": *p})
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

// The helper above finds what one pointer fails to hide.
func TestSealed(t *testing.T) {
	secret := bob(t).Secret()
	type careless struct{ secret *[32]byte }
	wrongVerb := "%t"
	//lint:ignore SA5009 the test needs the wrong verb
	shown := fmt.Sprintf(wrongVerb, struct{ hidden careless }{careless{&secret}})
	require.Contains(t, shown, fmt.Sprint(secret[:4])[1:10])
	showsNothing(t, [][]byte{secret[:]}, seal(&secret), struct{ hidden sealed[[32]byte] }{seal(&secret)})
	require.Equal(t, secret, *seal(&secret).open())
}
