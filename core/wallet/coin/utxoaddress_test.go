package coin

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeyAddress(t *testing.T) {
	entry := func(members string) *Entry {
		e, err := ParseEntry([]byte(`{"coin":` + members + `,"protocol":{"type":"UTXO"}}`))
		require.NoError(t, err)
		return e
	}
	btc, kmd := entry(`"BTC","pubtype":0,"p2shtype":5`), entry(`"KMD","pubtype":60,"p2shtype":85`)
	zec := entry(`"ZEC","taddr":28,"pubtype":184,"p2shtype":189`)
	const onKMD, onBTC = "RKxTdfmtxtfLDKZBgx6SvNkBtNu9jRYnLh", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
	for _, c := range []struct {
		name  string
		to    *Entry
		given string
		want  string
		err   error
	}{
		{"to itself", kmd, onKMD, onKMD, nil},
		{"to Bitcoin", btc, onKMD, onBTC, nil},
		{"and back", kmd, onBTC, onKMD, nil},
		{"a script", kmd, "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "", ErrAddressScript},
		{"a wrong checksum", btc, onKMD[:33] + "j", "", ErrAddressBase58},
		{"no address", btc, "", "", ErrAddressBase58},
		{"something long", btc, strings.Repeat("1", 1<<20), "", ErrAddressBase58},
		{"another checksum", entry(`"GRS","pubtype":36`), onKMD, "", errors.ErrUnsupported},
		{"no prefix", entry(`"X"`), onKMD, "", ErrNoUTXO},
		{"an invalid prefix", entry(`"X","pubtype":300`), onKMD, "", ErrNoUTXO},
	} {
		t.Run(c.name, func(t *testing.T) {
			have, err := c.to.KeyAddress(c.given)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.want, have)
		})
	}
	zcash, err := zec.KeyAddress(onKMD)
	require.NoError(t, err)
	require.Equal(t, "t1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs", zcash)
	back, err := kmd.KeyAddress(zcash)
	require.NoError(t, err)
	require.Equal(t, onKMD, back)
}
