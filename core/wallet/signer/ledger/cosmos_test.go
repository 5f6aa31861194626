package ledger_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

// TestSignAmino checks that the whole signed document was shown.
func TestSignAmino(t *testing.T) {
	d, client := open(t, "Cosmos")
	long := document(strings.Repeat("m", 2000))
	s, err := signCosmos(t.Context(), client, d, long)
	require.NoError(t, err)
	requireSigned(t, d, long, s)
	require.Equal(t, [][]string{{`chain_id: "cosmoshub-4"`, `account_number: "7"`, `sequence: "3"`,
		`fee: {"amount":[{"amount":"4000","denom":"uatom"}],"gas":"200000"}`, `msgs: []`, `memo: "` + strings.Repeat("m", 2000) + `"`}}, d.Screens())
}

// TestPrefixes checks that a device has the same key for all prefixes, and that newer apps
// support only some of them.
func TestPrefixes(t *testing.T) {
	d, client := open(t, "Cosmos")
	d.Set(func(s *ledgertest.Settings) { s.Prefixes = []string{"cosmos", "osmo"} })
	public := d.PublicKey(cosmosPath)
	for prefix, known := range map[string]bool{"cosmos": true, "osmo": true, "iaa": false} {
		require.NoError(t, client.Cosmos(t.Context(), "", func(a *ledger.Cosmos) error {
			got, err := a.Key(t.Context(), cosmosPath, prefix)
			require.NoError(t, err)
			require.Equal(t, public, got)
			s, err := a.SignAmino(t.Context(), cosmosPath, prefix, public, document(prefix))
			require.NoError(t, err)
			requireSigned(t, d, document(prefix), s)
			if err = a.Confirm(t.Context(), cosmosPath, prefix, public); known {
				require.NoError(t, err)
			} else {
				requireFault(t, device.Unsupported, "confirming the address: app Cosmos 2.38.13 cannot show addresses of this chain", err)
			}
			return nil
		}))
	}
}

// TestSignNamesThePrefix checks that a request to sign has the prefix if the app accepts and
// supports it.
func TestSignNamesThePrefix(t *testing.T) {
	for name, c := range map[string]struct {
		version [3]byte
		prefix  string
		named   bool
	}{
		"an old app":        {[3]byte{2, 34, 9}, "cosmos", false},
		"a newer app":       {[3]byte{2, 35, 0}, "cosmos", true},
		"an unknown prefix": {[3]byte{2, 38, 13}, "iaa", false},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t, "Cosmos")
			d.Set(func(s *ledgertest.Settings) { s.Versions["Cosmos"], s.Prefixes = c.version, []string{"cosmos"} })
			require.NoError(t, client.Cosmos(t.Context(), "", func(a *ledger.Cosmos) error {
				_, err := a.SignAmino(t.Context(), cosmosPath, c.prefix, d.PublicKey(cosmosPath), document(""))
				return err
			}))
			for _, apdu := range d.Requests() {
				if apdu[1] == 2 && apdu[2] == 0 {
					require.Equal(t, c.named, bytes.HasSuffix(apdu, []byte("\x06cosmos")))
				}
			}
		})
	}
}

// TestUnshowableDocuments checks that documents that the device cannot show are rejected before
// the device is asked.
func TestUnshowableDocuments(t *testing.T) {
	const amino = "device cannot show this transaction: want amino JSON (SIGN_MODE_LEGACY_AMINO_JSON), not SIGN_MODE_DIRECT"
	direct := []byte("\x0a\x90\x01\x0a\x8d\x01\x0a\x1c/cosmos.bank.v1beta1.MsgSend")
	good := string(document(""))
	for name, c := range map[string]struct{ document, text string }{
		"protocol buffers of SIGN_MODE_DIRECT": {string(direct), amino},
		"nothing":                              {"", amino},
		"a list":                               {"[]", amino},
		"half of a document":                   {good[:50], amino},
		"two documents":                        {good + good, amino},
		"a space":                              {strings.Replace(good, `:"7"`, `: "7"`, 1), "device cannot show this transaction: want sorted keys and no spaces"},
		"a line's end":                         {good + "\n", "device cannot show this transaction: want sorted keys and no spaces"},
		"keys in another order":                {strings.Replace(strings.Replace(good, `"account_number":"7",`, "", 1), `"sequence"`, `"account_number":"7","sequence"`, 1), "device cannot show this transaction: want sorted keys and no spaces"},
		"a key twice":                          {strings.Replace(good, `"memo":""`, `"memo":"","memo":""`, 1), "device cannot show this transaction: want sorted keys and no spaces"},
		"no memo":                              {strings.Replace(good, `"memo":"",`, "", 1), "device cannot show this transaction: memo is missing"},
		"too long":                             {string(document(strings.Repeat("x", 16384))), "transaction is too long for the device: it has 16534 bytes, want at most 16384"},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t, "Cosmos")
			_, err := signCosmos(t.Context(), client, d, []byte(c.document))
			requireFault(t, device.Unsupported, c.text, err)
			require.Empty(t, instructions(d), "the app is not asked")
		})
	}
}

func TestCosmosPaths(t *testing.T) {
	const h = key.Hardened
	for name, path := range map[string]key.Path{
		"IRIS's own":       {44 + h, 566 + h, h, 0, 0},
		"Ethereum's":       {44 + h, 60 + h, h, 0, 0},
		"change":           {44 + h, 118 + h, h, 1, 0},
		"too short":        {44 + h, 118 + h, h, 0},
		"account open":     {44 + h, 118 + h, 0, 0, 0},
		"address hardened": {44 + h, 118 + h, h, 0, h},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t, "Cosmos")
			err := client.Cosmos(t.Context(), "", func(a *ledger.Cosmos) error {
				_, err := a.Key(t.Context(), path, "cosmos")
				return err
			})
			requireFault(t, device.Unsupported, "app Cosmos has no keys at "+path.String()+", want m/44'/118'/account'/0/address", err)
			require.Empty(t, instructions(d))
		})
	}
	d, client := open(t, "Cosmos")
	far := key.Path{44 + h, 118 + h, h, 0, 101}
	keyOf := func(a *ledger.Cosmos) error { _, err := a.Key(t.Context(), far, "cosmos"); return err }
	err := client.Cosmos(t.Context(), "", keyOf)
	requireFault(t, device.SettingOff, "getting the public key: app Cosmos takes accounts and addresses above 100 in expert mode only: switch Expert mode on in the app", err)
	d.Set(func(s *ledgertest.Settings) { s.Expert = true })
	require.NoError(t, client.Cosmos(t.Context(), "", keyOf))
}

func TestConfirmCosmosAddress(t *testing.T) {
	d, client := open(t, "Cosmos")
	confirm := func(public [33]byte) error {
		return client.Cosmos(t.Context(), "", func(a *ledger.Cosmos) error {
			require.Equal(t, "2.38.13", a.Version().String())
			return a.Confirm(t.Context(), cosmosPath, "osmo", public)
		})
	}
	require.NoError(t, confirm(d.PublicKey(cosmosPath)))
	require.Equal(t, [][]string{{"Address: osmo19rl4cm2hmr8afy4kldpxz3fka4jguq0a5m7df8", "Path: m/44'/118'/0'/0/0"}}, d.Screens())
	require.True(t, device.Is(confirm(d.PublicKey(ethereumPath)), device.Unexpected))
	d.Use(ledgertest.Reject)
	requireFault(t, device.Rejected, "confirming the address: rejected on the device", confirm(d.PublicKey(cosmosPath)))
}

// TestAppRefuses checks that the app's own reasons for a refusal are kept.
func TestAppRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		answer []byte
		fault  device.Fault
		text   string
	}{
		"with a reason": {[]byte("Unexpected field\x00\x69\x84"), device.Unsupported, "signing: app Cosmos 2.38.13 cannot show this transaction: Unexpected field"},
		"with an endless reason": {append(bytes.Repeat([]byte("x\n"), 400), 0x69, 0x84), device.Unsupported,
			"signing: app Cosmos 2.38.13 cannot show this transaction: " + strings.Repeat("x", 50)},
		"for its length":   {[]byte{0x69, 0x88}, device.Unsupported, "signing: transaction is too long for the device"},
		"in expert mode":   {[]byte{0x69, 0x8d}, device.SettingOff, "signing: app Cosmos requires expert mode for this chain: switch Expert mode on in the app"},
		"as older apps do": {[]byte{0x69, 0x85}, device.Rejected, "signing: rejected on the device"},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t, "Cosmos")
			d.Tamper(func(command, answer []byte) []byte {
				if command[0] == 0x55 && command[1] == 2 && command[2] == 2 {
					return c.answer
				}
				return answer
			})
			_, err := signCosmos(t.Context(), client, d, document(""))
			requireFault(t, c.fault, c.text, err)
		})
	}
}
