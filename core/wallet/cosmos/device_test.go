package cosmos

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/hardware"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

// onDevice is the first address of an emulated device.
const onDevice = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4"

// deviceBench returns a node without a passphrase, and a device with the app Cosmos open.
func deviceBench(t *testing.T, kv store.KV) (*bench, *ledgertest.Device) {
	t.Helper()
	b := openBench(t, kv)
	b.gaiad.Give(onDevice, "uatom", "1000000")
	d := ledgertest.New(t, "usb-1")
	d.OpenApp("Cosmos")
	b.Providers = key.Providers{(*key.Ring)(nil), hardware.Cosmos{Ledger: &ledger.Client{Port: ledger.Over(ledgertest.NewBus(d))}}}
	return b, d
}

func byDevice(p Params) Params {
	p.Policy = key.HardwareWallet{}
	return p
}

func requireDevice(t *testing.T, want device.Fault, err error) {
	t.Helper()
	require.True(t, device.Is(err, want), "%v", err)
	var creation *account.CreationError
	require.NotErrorAs(t, err, &creation)
}

func TestByDevice(t *testing.T) {
	b, d := deviceBench(t, bunttest.Memory(t))
	got, err := b.Activate(t.Context(), byDevice(atom()))
	require.NoError(t, err)
	require.Equal(t, onDevice, got.Owner.Address)
	require.Equal(t, "1", got.Balance.Spendable.String())
	require.Empty(t, d.Screens(), "a key takes no confirmation")

	platform := get[*Platform](t, b, "ATOM")
	made := sendTen(t, platform, coin.WithdrawRequest{Memo: "by device"})
	require.Equal(t, []string{onDevice}, made.From)
	require.Len(t, d.Screens(), 1)
	screen := strings.Join(d.Screens()[0], "\n")
	for _, text := range []string{onDevice, atomAddress, "cosmos-sdk/MsgSend", `memo: "by device"`, `chain_id: "cosmoshub-4"`} {
		require.Contains(t, screen, text, "addresses are shown as text")
	}
	_, err = platform.Broadcast(t.Context(), made.Raw)
	require.NoError(t, err)
	sendTen(t, platform, coin.WithdrawRequest{Send: true})
	require.Len(t, b.gaiad.Sent(), 2)

	signed, err := platform.SignMessage(t.Context(), "hello")
	require.NoError(t, err)
	valid, err := platform.VerifyMessage(t.Context(), coin.MessageProof{Message: "hello", Signature: signed.Signature, Address: onDevice})
	require.NoError(t, err)
	require.True(t, valid)
	d.Unplug()
	_, err = platform.SpendingCost(t.Context())
	require.NoError(t, err, "an estimate does not use the device")
}

// TestTransfersWaitForTheDevice checks that the number of transfers that wait for a
// confirmation on the device is limited.
func TestTransfersWaitForTheDevice(t *testing.T) {
	b, d := deviceBench(t, bunttest.Memory(t))
	_, err := b.Activate(t.Context(), byDevice(atom()))
	require.NoError(t, err)
	d.Use(ledgertest.Ignore)
	amount, err := number.ParseRational("0.00001")
	require.NoError(t, err)
	const tries = 20
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, tries)
	platform := get[*Platform](t, b, "ATOM")
	for range tries {
		go func() {
			_, err := platform.Withdraw(ctx, coin.WithdrawRequest{To: atomAddress, Amount: amount, Send: true})
			ended <- err
		}()
	}
	require.ErrorIs(t, <-ended, coin.ErrTurn)
	cancel()
	for range tries - 1 {
		require.Error(t, <-ended)
	}
	require.Empty(t, b.gaiad.Sent())
}

// TestPathsOfTheAppCosmos checks that the keys of the app Cosmos, which are of coin type 118,
// are used for all coins.
func TestPathsOfTheAppCosmos(t *testing.T) {
	b, d := deviceBench(t, bunttest.Memory(t))
	entries, _, err := coin.ParseList([]byte(`[{"coin":"IRIS","mm2":1,"avg_blocktime":7,"derivation_path":"m/44'/566'","protocol":{"type":"TENDERMINT",
		"protocol_data":{"decimals":6,"denom":"uiris","account_prefix":"iaa","chain_id":"irishub-1","gas_price":0.5}}}]`))
	require.NoError(t, err)
	b.Registry.Replace(entries)
	p := byDevice(iris())
	p.Path = account.AddressPath{Account: 1, Address: 3}
	got, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	public := d.PublicKey(key.Path{44 + key.Hardened, 118 + key.Hardened, 1 + key.Hardened, 0, 3})
	require.Equal(t, &public, got.Owner.PublicKey)
	require.True(t, strings.HasPrefix(got.Owner.Address, "iaa1"))

	p.Ticker, p.Nodes, p.Path = "ATOM", at(atomURL), account.AddressPath{Chain: key.Internal}
	_, err = b.Activate(t.Context(), p)
	requireDevice(t, device.Unsupported, err)
	require.ErrorContains(t, err, "m/44'/118'/0'/1/0, want m/44'/118'/account'/0/address")
}

// TestChainsThatTheAppDoesNotKnow checks that an app which does not know the chain's prefix
// still returns the key.
func TestChainsThatTheAppDoesNotKnow(t *testing.T) {
	b, d := deviceBench(t, bunttest.Memory(t))
	d.Set(func(s *ledgertest.Settings) { s.Prefixes = []string{"cosmos"} })
	got, err := b.Activate(t.Context(), byDevice(iris()))
	require.NoError(t, err)
	b.iris.Give(got.Owner.Address, "uiris", "1000000")
	sendTen(t, get[*Platform](t, b, "IRIS"), coin.WithdrawRequest{To: irisAddress})
	require.Len(t, d.Screens(), 1)
}

// After a restart, the device is used only for signing, and must be the same.
func TestRestoreByDevice(t *testing.T) {
	kv := bunttest.Memory(t)
	b, _ := deviceBench(t, kv)
	_, err := b.Activate(t.Context(), byDevice(atom()))
	require.NoError(t, err)
	again, d := deviceBench(t, kv)
	d.Unplug()
	require.NoError(t, again.Restore(t.Context(), again.Active.Saved()[0]))
	platform := get[*Platform](t, again, "ATOM")
	require.Equal(t, onDevice, platform.Address())
	require.Empty(t, d.Requests())
	d.Plug()
	d.OpenApp("Cosmos")
	sendTen(t, platform, coin.WithdrawRequest{})

	other, _ := deviceBench(t, kv)
	otherDevice := ledgertest.NewWith(t, "usb-2", strings.Repeat("zoo ", 11)+"wrong")
	otherDevice.OpenApp("Cosmos")
	other.Providers[1] = hardware.Cosmos{Ledger: &ledger.Client{Port: ledger.Over(ledgertest.NewBus(otherDevice))}}
	require.NoError(t, other.Restore(t.Context(), other.Active.Saved()[0]))
	_, err = get[*Platform](t, other, "ATOM").SignMessage(t.Context(), "hello")
	requireDevice(t, device.Unexpected, err)
	require.Empty(t, otherDevice.Screens())
}

func TestDeviceThatRefuses(t *testing.T) {
	b, d := deviceBench(t, bunttest.Memory(t))
	d.OpenApp("Ethereum")
	_, err := b.Activate(t.Context(), byDevice(atom()))
	requireDevice(t, device.WrongApp, err)
	require.Empty(t, b.active())
	d.OpenApp("Cosmos")
	_, err = b.Activate(t.Context(), byDevice(atom()))
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ATOM")

	requests := len(d.Requests())
	_, err = platform.Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(3)})
	require.ErrorAs(t, err, new(*coin.ShortageError))
	_, err = platform.SignMessage(t.Context(), strings.Repeat("x", 20_000))
	requireDevice(t, device.Unsupported, err)
	require.Len(t, d.Requests(), requests, "unsupported requests do not reach the device")

	d.Use(ledgertest.Reject)
	_, err = platform.SignMessage(t.Context(), "hello")
	requireDevice(t, device.Rejected, err)
	require.ErrorIs(t, err, coin.ErrSigning)
	require.Empty(t, b.gaiad.Sent())
}
