package ledger_test

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

func parse(t *testing.T, text string) address.Address {
	t.Helper()
	a, err := address.Parse(text)
	require.NoError(t, err)
	return a
}

// payment returns a transaction of EIP-1559 with data.
func payment(t *testing.T, data []byte) wire.Transaction {
	return wire.Transaction{ChainID: 1, Nonce: 9, MaxFee: big.NewInt(30e9), Tip: big.NewInt(1e9), Gas: 90_000,
		To: parse(t, "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"), Value: big.NewInt(1e18), Data: data}
}

func signEthereum(ctx context.Context, c *ledger.Client, d *ledgertest.Device, t wire.Transaction) (s key.Signature, err error) {
	err = c.Ethereum(ctx, "", func(a *ledger.Ethereum) (err error) {
		s, err = a.SignTransaction(ctx, ethereumPath, d.PublicKey(ethereumPath), t)
		return err
	})
	return s, err
}

// requireSender checks that a transaction was signed by the account.
func requireSender(t *testing.T, d *ledgertest.Device, sent wire.Transaction, s key.Signature) {
	t.Helper()
	want, err := address.FromKey(d.PublicKey(ethereumPath))
	require.NoError(t, err)
	got, err := wire.Decode(sent.Signed(s.Recoverable()))
	require.NoError(t, err)
	require.Equal(t, want, got.From)
	require.Equal(t, sent.Nonce, got.Nonce)
	require.Equal(t, new(big.Int).SetUint64(sent.ChainID), got.ChainID)
}

func TestSignTransaction(t *testing.T) {
	d, client := open(t, "Ethereum")
	for _, chain := range []uint64{1, 110, 31337, 11297108109, 1 << 52} {
		for _, tip := range []*big.Int{nil, big.NewInt(1e9)} {
			sent := payment(t, nil)
			sent.ChainID, sent.Tip = chain, tip
			s, err := signEthereum(t.Context(), client, d, sent)
			require.NoError(t, err)
			requireSender(t, d, sent, s)
		}
	}
	require.Equal(t, []string{"Network: 1", "Max fees: 2700000000000000", "Amount: 1000000000000000000",
		"To: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}, d.Screens()[0])
}

// TestOnePriceOfEachLength checks that a transaction with a single price is never split where
// it would be valid for any chain.
func TestOnePriceOfEachLength(t *testing.T) {
	d, client := open(t, "Ethereum")
	d.Set(func(s *ledgertest.Settings) { s.BlindSigning = true })
	for n := 160; n < 240; n++ { // both sides of the first split
		sent := payment(t, make([]byte, n))
		sent.Tip = nil
		s, err := signEthereum(t.Context(), client, d, sent)
		require.NoError(t, err, n)
		requireSender(t, d, sent, s)
	}
}

// TestBlindSigning checks that contract data is rejected before the device is asked, with an
// error that names the setting.
func TestBlindSigning(t *testing.T) {
	d, client := open(t, "Ethereum")
	const off = "signing: device cannot show this in words: switch Blind signing on in the settings of app Ethereum"
	_, err := signEthereum(t.Context(), client, d, payment(t, []byte{1, 2, 3, 4}))
	requireFault(t, device.SettingOff, off, err)
	typed := func() (s key.Signature, err error) {
		err = client.Ethereum(t.Context(), "", func(a *ledger.Ethereum) (err error) {
			s, err = a.SignTyped(t.Context(), ethereumPath, d.PublicKey(ethereumPath), [32]byte{1}, [32]byte{2})
			return err
		})
		return s, err
	}
	_, err = typed()
	requireFault(t, device.SettingOff, off, err)
	require.Equal(t, []byte{6}, instructions(d), "the app is asked for its settings alone")

	d.Set(func(s *ledgertest.Settings) { s.BlindSigning = true })
	sent := payment(t, []byte{1, 2, 3, 4})
	s, err := signEthereum(t.Context(), client, d, sent)
	require.NoError(t, err)
	requireSender(t, d, sent, s)
	_, err = typed()
	require.NoError(t, err)

	d.Tamper(func(command, answer []byte) []byte { // switched off meanwhile
		if command[1] == 4 {
			d.Set(func(s *ledgertest.Settings) { s.BlindSigning = false })
			return []byte{0x6a, 0x80}
		}
		return answer
	})
	_, err = signEthereum(t.Context(), client, d, sent)
	requireFault(t, device.Unsupported, "signing: app Ethereum 1.22.1 cannot show or sign this", err)
}

// tokens holds descriptions by contract.
type tokens struct {
	all map[address.Address][]byte
	err error
}

func (t tokens) Token(_ context.Context, _ uint64, contract address.Address) ([]byte, error) {
	return t.all[contract], t.err
}

// TestTokens checks that a token's transfer is shown in words, and needs no blind signing, if
// the device accepts the token's description.
func TestTokens(t *testing.T) {
	d, client := open(t, "Ethereum")
	usdc := parse(t, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")
	to := payment(t, nil).To
	data := slices.Concat([]byte{0xa9, 0x05, 0x9c, 0xbb}, make([]byte, 12), to[:], big.NewInt(2500000).FillBytes(make([]byte, 32)))
	sent := payment(t, data)
	sent.To, sent.Value = usdc, new(big.Int)
	_, err := signEthereum(t.Context(), client, d, sent)
	require.True(t, device.Is(err, device.SettingOff), "no source describes tokens")

	description := d.Describe(1, usdc, "USDC", 6)
	client.Tokens = tokens{all: map[address.Address][]byte{usdc: description}}
	s, err := signEthereum(t.Context(), client, d, sent)
	require.NoError(t, err)
	requireSender(t, d, sent, s)
	require.Equal(t, []string{"Network: 1", "Max fees: 2700000000000000", "Amount: 2500000 (6 decimals) USDC",
		"To: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}, d.Screens()[0])

	other := payment(t, append(data, 0))
	other.To = usdc
	_, err = signEthereum(t.Context(), client, d, other)
	require.True(t, device.Is(err, device.SettingOff), "the app has no words for longer calls")

	d.OpenApp("Ethereum") // reopening the app clears its state
	description[len(description)-1] ^= 1
	_, err = signEthereum(t.Context(), client, d, sent)
	requireFault(t, device.Unsupported, "describing the token: device refused it: its signature is not Ledger's", err)
	client.Tokens = tokens{all: map[address.Address][]byte{usdc: make([]byte, 256)}}
	_, err = signEthereum(t.Context(), client, d, sent)
	require.True(t, device.Is(err, device.SettingOff), "a description too long for a command is not sent")
	failure := errors.New("list is unreachable")
	client.Tokens = tokens{err: failure}
	_, err = signEthereum(t.Context(), client, d, sent)
	require.ErrorIs(t, err, failure)
}

func TestSignText(t *testing.T) {
	d, client := open(t, "Ethereum")
	sign := func(text string) (s key.Signature, err error) {
		err = client.Ethereum(t.Context(), "", func(a *ledger.Ethereum) (err error) {
			s, err = a.SignText(t.Context(), ethereumPath, d.PublicKey(ethereumPath), text)
			return err
		})
		return s, err
	}
	want, err := address.FromKey(d.PublicKey(ethereumPath))
	require.NoError(t, err)
	s, err := sign("hello")
	require.NoError(t, err)
	signer, err := wire.Signer(address.Keccak([]byte("\x19Ethereum Signed Message:\n5hello")), big.NewInt(int64(s.Recovery)), s.R[:], s.S[:])
	require.NoError(t, err)
	require.Equal(t, want, signer)
	long := strings.Repeat("é", 16000)
	_, err = sign(long)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"Message: hello"}, {"Message: " + long}}, d.Screens())

	_, err = sign("")
	requireFault(t, device.Unsupported, "device cannot show this text: it has 0 bytes, want 1 to 32766", err)
	_, err = sign(strings.Repeat("x", 32767))
	requireFault(t, device.Unsupported, "device cannot show this text: it has 32767 bytes, want 1 to 32766", err)
	d.Use(ledgertest.Reject)
	_, err = sign("no")
	requireFault(t, device.Rejected, "signing: rejected on the device", err)
}

func TestConfirmEthereumAddress(t *testing.T) {
	d, client := open(t, "Ethereum")
	require.NoError(t, client.Ethereum(t.Context(), "", func(a *ledger.Ethereum) error {
		require.Equal(t, "1.22.1", a.Version().String())
		require.False(t, a.BlindSigning())
		return a.Confirm(t.Context(), ethereumPath, 137, d.PublicKey(ethereumPath))
	}))
	require.Equal(t, [][]string{{"Address: 0x9858EfFD232B4033E47d90003D41EC34EcaEda94", "Network: 137"}}, d.Screens(), "BIP 39's first phrase has it")
}

func TestEthereumFaults(t *testing.T) {
	for name, c := range map[string]struct {
		begin func(*ledgertest.Device)
		fault device.Fault
		text  string
	}{
		"another app": {func(d *ledgertest.Device) { d.OpenApp("Cosmos") }, device.WrongApp, "app Cosmos is open on the device: close it and open app Ethereum"},
		"an old app": {func(d *ledgertest.Device) {
			d.Set(func(s *ledgertest.Settings) { s.Versions["Ethereum"] = [3]byte{1, 8, 8} })
		}, device.TooOld, "app Ethereum is too old: version is 1.8.8, want 1.9.0 or newer: update it with Ledger Live"},
		"rejected":        {func(d *ledgertest.Device) { d.Use(ledgertest.Reject) }, device.Rejected, "signing: rejected on the device"},
		"rejected of old": {at(4, 0x69, 0x82), device.Rejected, "signing: rejected on the device"},
		"an unknown type": {at(4, 0x65, 0x01), device.TooOld, "signing: app Ethereum 1.22.1 does not know transactions of this type: update it with Ledger Live"},
		"no memory":       {at(4, 0x6a, 0x84), device.Unsupported, "signing: request is too long for the device"},
		"no settings":     {at(6, 0x6d, 0x00), device.WrongApp, "getting the app's settings: app Ethereum is not open on the device: open it"},
		"odd settings":    {at(6, 1, 0x90, 0x00), device.InvalidAnswer, "getting the app's settings: invalid answer of 1 bytes, want 4"},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t, "Ethereum")
			c.begin(d)
			_, err := signEthereum(t.Context(), client, d, payment(t, nil))
			requireFault(t, c.fault, c.text, err)
		})
	}
	d, client := open(t, "Ethereum")
	for _, path := range []key.Path{nil, make(key.Path, 11)} {
		require.True(t, device.Is(client.Ethereum(t.Context(), "", func(a *ledger.Ethereum) error {
			_, err := a.SignTransaction(t.Context(), path, d.PublicKey(ethereumPath), payment(t, nil))
			return err
		}), device.Unsupported))
	}
	require.Equal(t, []byte{6}, instructions(d))
}

// at makes an app answer an instruction with the given bytes.
func at(instruction byte, answer ...byte) func(*ledgertest.Device) {
	return func(d *ledgertest.Device) {
		d.Tamper(func(command, right []byte) []byte {
			if command[0] != 0xb0 && command[1] == instruction {
				return answer
			}
			return right
		})
	}
}
