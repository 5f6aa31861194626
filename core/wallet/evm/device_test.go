package evm

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/hardware"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

// onDevice is the first address of an emulated device.
const onDevice = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"

// deviceBench returns a node without a passphrase, and a device with the app Ethereum open.
func deviceBench(t *testing.T, kv store.KV) (*bench, *ledgertest.Device) {
	t.Helper()
	b := openBench(t, kv)
	b.eth.Give(onDevice, "2500000000000000001").GiveToken(sixAt, onDevice, "12345678")
	d := ledgertest.New(t, "usb-1")
	d.OpenApp("Ethereum")
	b.Providers = key.Providers{(*key.Ring)(nil), hardware.EVM{Ledger: &ledger.Client{Port: ledger.Over(ledgertest.NewBus(d))}}}
	return b, d
}

func byDevice(p Params) Params {
	p.Policy = key.HardwareWallet{}
	return p
}

func deviceEth(t *testing.T, tokens ...string) (*bench, *ledgertest.Device, *Platform) {
	t.Helper()
	b, d := deviceBench(t, bunttest.Memory(t))
	_, err := b.Activate(t.Context(), byDevice(eth(tokens...)))
	require.NoError(t, err)
	return b, d, get[*Platform](t, b, "ETH")
}

func TestByDevice(t *testing.T) {
	b, d := deviceBench(t, bunttest.Memory(t))
	got, err := b.Activate(t.Context(), byDevice(eth("SIX-ERC20")))
	require.NoError(t, err)
	path := key.Path{44 + key.Hardened, 60 + key.Hardened, key.Hardened, 0, 0}
	public := d.PublicKey(path)
	require.Equal(t, account.Owner{Address: onDevice, PublicKey: &public, Path: path}, got.Owner)
	require.Equal(t, "2.500000000000000001", got.Balance.Spendable.String())
	require.Empty(t, d.Screens(), "a key takes no confirmation")

	platform := get[*Platform](t, b, "ETH")
	made, err := platform.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: number.Int(1)})
	require.NoError(t, err)
	require.Equal(t, []string{onDevice}, made.From)
	require.Zero(t, b.eth.Sent())
	require.Len(t, d.Screens(), 1)
	require.Contains(t, d.Screens()[0], "To: "+payee)
	require.Contains(t, d.Screens()[0], "Amount: 1000000000000000000")
	_, err = platform.Broadcast(t.Context(), made.Raw)
	require.NoError(t, err)
	b.eth.Mine()
	confirmed, err := platform.Await(t.Context(), made.Raw, 1)
	require.NoError(t, err)
	require.EqualValues(t, 101, confirmed.Height)

	sent, err := platform.Withdraw(t.Context(), sendOne())
	require.NoError(t, err)
	require.NotEqual(t, made.Hash, sent.Hash)
	require.Equal(t, 2, b.eth.Sent(), "the node sends the signed transactions")
	signed, err := platform.SignMessage(t.Context(), "hello")
	require.NoError(t, err)
	require.Equal(t, []string{"Message: hello"}, d.Screens()[2])
	valid, err := platform.VerifyMessage(t.Context(), coin.MessageProof{Message: "hello", Signature: signed.Signature, Address: onDevice})
	require.NoError(t, err)
	require.True(t, valid)
	d.Unplug()
	_, err = platform.SpendingCost(t.Context())
	require.NoError(t, err, "an estimate does not use the device")
}

// Networks without EIP-1559 have legacy transactions.
func TestByDeviceAtOnePrice(t *testing.T) {
	b, d, platform := deviceEth(t)
	b.eth.Price(nil, big.NewInt(1_000_000_000))
	sent, err := platform.Withdraw(t.Context(), sendOne())
	require.NoError(t, err)
	require.Nil(t, sent.Fee.MaxTip)
	require.Len(t, d.Screens(), 1)
}

func TestTokensByDevice(t *testing.T) {
	b, d, _ := deviceEth(t, "SIX-ERC20")
	token := get[*Token](t, b, "SIX-ERC20")
	_, err := token.Withdraw(t.Context(), sendOne())
	requireDevice(t, device.SettingOff, err)
	require.Empty(t, d.Screens(), "its user is not asked")
	d.Set(func(s *ledgertest.Settings) { s.BlindSigning = true })
	sent, err := token.Withdraw(t.Context(), sendOne())
	require.NoError(t, err)
	require.Equal(t, "1", sent.Total.String())
	require.Contains(t, d.Screens()[0], "Blind signing")
}

func requireDevice(t *testing.T, want device.Fault, err error) {
	t.Helper()
	require.True(t, device.Is(err, want), "%v", err)
	var creation *account.CreationError
	require.NotErrorAs(t, err, &creation)
}

// Another address of the device is another account.
func TestAddressesOfADevice(t *testing.T) {
	b, d := deviceBench(t, bunttest.Memory(t))
	p := byDevice(eth())
	p.Path = account.AddressPath{Account: 2, Address: 7}
	got, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	path := key.Path{44 + key.Hardened, 60 + key.Hardened, 2 + key.Hardened, 0, 7}
	require.Equal(t, path, got.Owner.Path)
	want, _, err := tx.AddressOf(publicAccount{d.PublicKey(path)})
	require.NoError(t, err)
	require.Equal(t, want.String(), got.Owner.Address)

	noPath := eth()
	noPath.Ticker = "OLD"
	_, err = b.Activate(t.Context(), byDevice(noPath))
	require.ErrorIs(t, err, account.ErrNoPath)
}

// publicAccount is an account with a known public key.
type publicAccount struct{ public [33]byte }

func (publicAccount) Policy() key.PolicyName { return key.NameHardwareWallet }
func (publicAccount) Close()                 {}
func (s publicAccount) PublicKey() [33]byte  { return s.public }

// After a restart, the device is used only for signing, and must be the same.
func TestRestoreByDevice(t *testing.T) {
	kv := bunttest.Memory(t)
	b, _ := deviceBench(t, kv)
	_, err := b.Activate(t.Context(), byDevice(eth("SIX-ERC20")))
	require.NoError(t, err)
	again, d := deviceBench(t, kv)
	d.Unplug()
	for _, s := range again.Active.Saved() {
		require.NoError(t, again.Restore(t.Context(), s))
	}
	require.Equal(t, onDevice, get[*Token](t, again, "SIX-ERC20").Address())
	platform := get[*Platform](t, again, "ETH")
	_, err = platform.Balance(t.Context())
	require.NoError(t, err)
	require.Empty(t, d.Requests())
	_, err = platform.Withdraw(t.Context(), sendOne())
	requireDevice(t, device.NotFound, err)
	d.Plug()
	d.OpenApp("Ethereum")
	_, err = platform.Withdraw(t.Context(), sendOne())
	require.NoError(t, err)

	other, _ := deviceBench(t, kv)
	otherDevice := ledgertest.NewWith(t, "usb-2", strings.Repeat("zoo ", 11)+"wrong")
	otherDevice.OpenApp("Ethereum")
	other.Providers[1] = hardware.EVM{Ledger: &ledger.Client{Port: ledger.Over(ledgertest.NewBus(otherDevice))}}
	for _, s := range other.Active.Saved() {
		require.NoError(t, other.Restore(t.Context(), s))
	}
	_, err = get[*Platform](t, other, "ETH").Withdraw(t.Context(), sendOne())
	requireDevice(t, device.Unexpected, err)
	require.Empty(t, otherDevice.Screens())
}

func TestDeviceThatRefuses(t *testing.T) {
	b, d := deviceBench(t, bunttest.Memory(t))
	d.Lock()
	_, err := b.Activate(t.Context(), byDevice(eth()))
	requireDevice(t, device.Locked, err)
	require.Empty(t, b.active())
	d.Unlock()
	d.OpenApp("Cosmos")
	_, err = b.Activate(t.Context(), byDevice(eth()))
	requireDevice(t, device.WrongApp, err)
	d.OpenApp("Ethereum")
	_, err = b.Activate(t.Context(), byDevice(eth()))
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ETH")

	requests := len(d.Requests())
	_, err = platform.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: number.Int(3), Send: true})
	require.ErrorAs(t, err, new(*coin.ShortageError))
	_, err = platform.SignMessage(t.Context(), strings.Repeat("x", 40_000))
	requireDevice(t, device.Unsupported, err)
	require.Len(t, d.Requests(), requests, "unsupported requests do not reach the device")

	d.Use(ledgertest.Reject)
	_, err = platform.Withdraw(t.Context(), sendOne())
	requireDevice(t, device.Rejected, err)
	_, err = platform.SignMessage(t.Context(), "hello")
	requireDevice(t, device.Rejected, err)
	require.Zero(t, b.eth.Sent())
}
