package interop_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/signer/hardware"
	devices "obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
	"obverse/native/speculos"
	"obverse/native/speculos/speculostest"
	"obverse/native/test/interop"
)

// testWalletSignsOnADevice signs transactions with an emulated Ledger, which a real chain must
// accept.
func testWalletSignsOnADevice(t *testing.T, c *interop.Chain) {
	d := ledgertest.New(t, "emulator")
	d.OpenApp("Cosmos")
	provider := hardware.Cosmos{Ledger: &devices.Client{Port: speculos.Port{Address: speculostest.Serve(t, d)}}}
	place := key.Place{Path: key.Path{44 + key.Hardened, 118 + key.Hardened, key.Hardened, 0, 0}}
	p := newWallet(t, c, c.Passphrase)
	opened, err := provider.OnChain(t.Context(), key.HardwareWallet{}, place, tx.Network{ID: c.ID, Prefix: c.Prefix})
	require.NoError(t, err)
	self, err := address.FromKey(c.Prefix, opened.(key.PublicKeyer).PublicKey())
	require.NoError(t, err)
	p.send(t, p.Chain.Native, coin.WithdrawRequest{To: self.String(), Amount: amount(t, "3")})

	p.Account, p.Address = opened, self
	for n, to := range []string{c.Other.Address, foreignAddress(t, "osmo")} {
		_, details := p.send(t, p.Chain.Native, coin.WithdrawRequest{To: to, Amount: amount(t, "0.5"), Memo: `<a> & "b" \`})
		require.Contains(t, string(details), "SIGN_MODE_LEGACY_AMINO_JSON")
		require.Len(t, d.Screens(), n+1)
	}
}
