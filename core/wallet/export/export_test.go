package export_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/export"
)

func exporter(t *testing.T, passphrase string, hd bool) export.Exporter {
	ring, err := key.Open(passphrase, hd)
	require.NoError(t, err)
	return export.Exporter{Ring: ring, Registry: coin.NewRegistry(nil)}
}

// TestRecordedKeys uses keys that Komodo DeFi Framework exported from a public test wallet.
func TestRecordedKeys(t *testing.T) {
	for ticker, want := range map[string]export.Key{
		"ATOM": {Private: "bb1495023671d607e30c52b085706c87db3e9133d3826d9337b80f094af3d147", Public: "0339d31bbc2b130371ff830b1af26de3eb3b1152a4f90abd0cf0b4d3bc974a93b4",
			Address: "cosmos1hkg6p4lqnxardx2878clge6vjhfknf6s57ac92"},
		"ETH": {Private: "0x37a37c2db4d5fb22cb93c593dde0ef2fecd3fc862dae9d1ff9ea9eb984968fa9", Address: "0xAEeF0f62Ff189D1e4B1b62E7efF453b15d32886f"},
	} {
		secret := want.Private
		if secret[:2] != "0x" {
			secret = "0x" + secret
		}
		got, err := exporter(t, secret, false).Single(ticker)
		require.NoError(t, err)
		require.Equal(t, want.Private, got.Private)
		require.Equal(t, want.Address, got.Address)
		if want.Public != "" {
			require.Equal(t, want.Public, got.Public)
		}
		require.Nil(t, got.Path)
	}
}

const phrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

// TestRange uses addresses of a widely used test phrase.
func TestRange(t *testing.T) {
	e := exporter(t, phrase, true)
	eth, err := e.Range("ETH", 0, 0, 2)
	require.NoError(t, err)
	require.Len(t, eth, 3)
	require.Equal(t, "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", eth[0].Address)
	require.Equal(t, "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0", eth[1].Address)
	require.Equal(t, "m/44'/60'/0'/0/2", eth[2].Path.String())
	require.Len(t, eth[0].Public, 2+128)

	atom, err := e.Range("ATOM", 0, 0, 0)
	require.NoError(t, err)
	require.Equal(t, "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4", atom[0].Address)
	token, err := e.Range("ATOM-IBC_IRIS", 0, 0, 0)
	require.NoError(t, err)
	require.Equal(t, "iaa1", token[0].Address[:4], "a token has the keys of its platform")

	again, err := exporter(t, eth[1].Private, false).Single("ETH")
	require.NoError(t, err)
	require.Equal(t, eth[1].Address, again.Address, "an exported key imports as the same key")
}

func TestRefusals(t *testing.T) {
	_, err := exporter(t, "one key for all", false).Range("ETH", 0, 0, 0)
	require.ErrorIs(t, err, export.ErrNotHD)
	_, err = export.Exporter{Registry: coin.NewRegistry(nil)}.Single("ETH")
	require.ErrorIs(t, err, key.ErrNoPassphrase)
	var unknown *coin.UnknownError
	_, err = exporter(t, phrase, true).Single("NO-SUCH-COIN")
	require.ErrorAs(t, err, &unknown)
	_, err = exporter(t, phrase, true).Range("KMD", 0, 0, 0)
	require.Error(t, err)
}

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		ticker  string
		account uint32
		hd      bool
		want    string
		err     error
	}{
		{"ETH", 0, true, "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", nil},
		{"USDC-ERC20", 0, true, "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", nil},
		{"ATOM", 0, true, "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4", nil},
		{"ETH", 1, true, "0x78839F6054d7ed13918bAe0473BA31b1Ca9D7265", nil},
		{"ETH", 1, false, "", export.ErrNotHD},
		{"NFT_ETH", 0, true, "", export.ErrUnsupported},
	} {
		address, err := exporter(t, phrase, c.hd).Address(c.ticker, c.account)
		require.ErrorIs(t, err, c.err, c.ticker)
		require.Equal(t, c.want, address, c.ticker)
	}
}
