package cosmos

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

const mnemonic = "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"

func hdBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	ring, err := key.Open(mnemonic, true)
	require.NoError(t, err)
	b.Providers, b.HD = key.Providers{ring, key.WatchOnly{}}, true
	return b
}

// TestAddressesOfAnHDWallet checks the addresses that Komodo DeFi Framework derives from the
// mnemonic.
func TestAddressesOfAnHDWallet(t *testing.T) {
	for _, c := range []struct {
		path account.AddressPath
		want string
	}{
		{account.AddressPath{}, "cosmos1nv4mqaky7n7rqjhch7829kgypx5s8fh62wdtr8"},
		{account.AddressPath{Address: 1}, "cosmos134h9tv7866jcuw708w5w76lcfx7s3x2ysyalxy"},
	} {
		b := hdBench(t)
		p := atom()
		p.Path = c.path
		got, err := b.Activate(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, c.want, got.Owner.Address)
	}
	b := hdBench(t)
	_, err := b.Activate(t.Context(), params("QUICK", atomURL))
	require.EqualError(t, err, "the coin has no derivation path")
	require.ErrorAs(t, err, new(*account.CreationError))
}

func sendTen(t *testing.T, from coin.Withdrawer, request coin.WithdrawRequest) coin.Transaction {
	t.Helper()
	var err error
	request.Amount, err = number.ParseRational("0.00001")
	require.NoError(t, err)
	if request.To == "" {
		request.To = atomAddress
	}
	sent, err := from.Withdraw(t.Context(), request)
	require.NoError(t, err)
	return sent
}

// TestSendingFromAnotherAddress checks that other addresses of the wallet can send.
func TestSendingFromAnotherAddress(t *testing.T) {
	b := hdBench(t)
	const first, second = "cosmos1nv4mqaky7n7rqjhch7829kgypx5s8fh62wdtr8", "cosmos134h9tv7866jcuw708w5w76lcfx7s3x2ysyalxy"
	for _, address := range []string{first, second} {
		b.gaiad.Give(address, "uatom", "1000000")
	}
	_, err := b.Activate(t.Context(), atom())
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ATOM")
	require.Equal(t, []string{first}, sendTen(t, platform, coin.WithdrawRequest{}).From)
	require.Equal(t, []string{second}, sendTen(t, platform, coin.WithdrawRequest{From: &coin.From{Address: 1}}).From)
}

// counting is a provider that counts open accounts.
type counting struct {
	ring  *key.Ring
	open  int
	other *key.Ring // ring with the keys that are returned instead; may be nil
}

func (*counting) Policy() key.PolicyName { return key.NameSessionWallet }

func (k *counting) Account(ctx context.Context, p key.Policy, path key.Path) (key.Account, error) {
	ring := k.ring
	if k.other != nil {
		ring = k.other
	}
	account, err := ring.Account(ctx, p, path)
	k.open++
	return countedAccount{account.(key.HashSigner), account, k}, err
}

type countedAccount struct {
	key.HashSigner
	key.Account
	provider *counting
}

func (a countedAccount) Close() { a.provider.open--; a.Account.Close() }

// TestKeysAreGivenBack checks that keys are obtained for a use and closed after it, also after
// a failure.
func TestKeysAreGivenBack(t *testing.T) {
	b := newBench(t)
	k := &counting{ring: mustRing(t, passphrase)}
	b.Providers = key.Providers{k}
	p := atom()
	p.Policy = key.SessionWallet{Topic: "ab"}
	got, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, atomAddress, got.Owner.Address)
	require.Zero(t, k.open)
	platform := get[*Platform](t, b, "ATOM")
	sendTen(t, platform, coin.WithdrawRequest{})
	signed, err := platform.SignMessage(t.Context(), "hello")
	require.NoError(t, err)
	valid, err := platform.VerifyMessage(t.Context(), coin.MessageProof{Message: "hello", Signature: signed.Signature, Address: atomAddress})
	require.NoError(t, err)
	require.True(t, valid)
	_, err = platform.Withdraw(t.Context(), coin.WithdrawRequest{To: "invalid", Amount: number.Int(1)})
	require.ErrorAs(t, err, new(*coin.InvalidError))
	require.Zero(t, k.open)

	k.other = mustRing(t, "another user")
	_, err = platform.Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1)})
	require.ErrorIs(t, err, coin.ErrSigning)
	require.ErrorContains(t, err, "switched to account cosmos1")
	_, err = platform.SignMessage(t.Context(), "hello")
	require.ErrorIs(t, err, coin.ErrSigning)
	require.Zero(t, k.open)
	cost, err := platform.SpendingCost(t.Context())
	require.NoError(t, err, "an estimate needs no signature")
	require.Equal(t, "1000.000003", cost.Funds.String())
}

func watching(t *testing.T, algorithm key.Algorithm, public string) Params {
	t.Helper()
	raw, err := hex.DecodeString(public)
	require.NoError(t, err)
	external, err := key.NewExternalKey(algorithm, raw)
	require.NoError(t, err)
	p := atom()
	p.Policy = key.WithPubkey{Key: external}
	return p
}

// A watch-only address has a balance.
func TestWatchedAddress(t *testing.T) {
	b := newBench(t)
	at, err := address.Parse(atomAddress)
	require.NoError(t, err)
	got, err := b.Activate(t.Context(), watching(t, key.AccountID, hex.EncodeToString(at.Bytes())))
	require.NoError(t, err)
	require.Equal(t, atomAddress, got.Owner.Address)
	require.Equal(t, "1000.000003", got.Balance.Spendable.String())
	_, err = get[*Platform](t, b, "ATOM").Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1)})
	require.ErrorIs(t, err, key.ErrUnsupported)
}

// An external key has an address and a balance, and cannot sign.
func TestWatchedAccounts(t *testing.T) {
	b := newBench(t)
	got, err := b.Activate(t.Context(), watching(t, key.Secp256k1, "02c27a03825aad37221596664fc3c7278ffc7d70d7707defebd27e19210da90b2b"))
	require.NoError(t, err)
	require.Equal(t, atomAddress, got.Owner.Address)
	require.Equal(t, "1000.000003", got.Balance.Spendable.String())
	platform := get[*Platform](t, b, "ATOM")
	_, err = platform.Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1)})
	require.ErrorIs(t, err, key.ErrUnsupported)
	_, err = platform.SignMessage(t.Context(), "hello")
	require.ErrorIs(t, err, key.ErrUnsupported)
	cost, err := platform.SpendingCost(t.Context())
	require.NoError(t, err)
	require.Positive(t, cost.Fee.Amount.Sign())

	b = newBench(t)
	got, err = b.Activate(t.Context(), watching(t, key.Ed25519, "7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b"))
	require.NoError(t, err)
	require.Regexp(t, "^cosmos1", got.Owner.Address)
	platform = get[*Platform](t, b, "ATOM")
	_, err = platform.SpendingCost(t.Context())
	require.ErrorIs(t, err, key.ErrUnsupported)
	_, err = platform.Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1)})
	require.ErrorIs(t, err, key.ErrUnsupported)
}

func TestTheReaderSignsNothing(t *testing.T) {
	r := reader{policy: key.NameContextPrivKey}
	require.Equal(t, key.NameContextPrivKey, r.Policy())
	_, err := r.SignHash(t.Context(), [32]byte{})
	require.ErrorIs(t, err, errReader)
	_, err = tx.Draft{}.Sign(t.Context(), r, atomAddress)
	require.ErrorIs(t, err, coin.ErrSigning)
}

// ethereumEntry is a coin on a recorded chain, with a derivation path.
func ethereumEntry(t *testing.T, b *bench, path string) {
	t.Helper()
	user, problems, err := coin.ParseList([]byte(`[{"coin":"INJ","mm2":1,"avg_blocktime":7,"derivation_path":"` + path + `","protocol":{"type":"TENDERMINT",
		"protocol_data":{"decimals":6,"denom":"uatom","account_prefix":"cosmos","chain_id":"cosmoshub-4"}}}]`))
	require.NoError(t, err)
	require.Empty(t, problems)
	b.Registry = coin.NewRegistry(user)
}

// packed returns an account of a type, with a key of a type.
func packed(kind, keyKind string) wire.Any {
	base := wire.BaseAccount{Address: atomAddress, Number: 7}
	if keyKind != "" {
		base.PubKey = wire.Any{TypeURL: keyKind, Value: wire.Encode(&wire.PubKey{Key: make([]byte, 33)})}
	}
	value := wire.Encode(&base)
	if !strings.HasSuffix(kind, ".BaseAccount") {
		value = wire.Encode(&nested{base})
	}
	return wire.Any{TypeURL: kind, Value: value}
}

// nested is an account that has its BaseAccount in its first field.
type nested struct{ Base wire.BaseAccount }

func held(a wire.Any) *wire.Any { return &a }

const (
	plainAccount = "/cosmos.auth.v1beta1.BaseAccount"
	ethAccount   = "/injective.types.v1beta1.EthAccount"
	ethKey       = "/injective.crypto.v1beta1.ethsecp256k1.PubKey"
	cosmosKey    = "/cosmos.crypto.secp256k1.PubKey"
)

// An address that the chain would not derive is rejected: coins sent to it would be lost.
func TestChainsWithEthereumKeys(t *testing.T) {
	stored, err := address.Parse(atomAddress)
	require.NoError(t, err)
	list := func(all ...wire.Any) *wire.AccountsResponse { return &wire.AccountsResponse{Accounts: all} }
	for _, c := range []struct {
		name   string
		path   string
		stored *wire.Any // nil means the account is new
		others *wire.AccountsResponse
		refuse bool
	}{
		{"by the derivation path", "m/44'/60'", nil, nil, true},
		{"by the kind of the account", "m/44'/118'", held(packed(ethAccount, "")), nil, true},
		{"by another kind", "m/44'/118'", held(packed("/ethermint.types.v1.EthAccount", ethKey)), nil, true},
		{"by the kind of the key", "m/44'/118'", held(packed(plainAccount, "/cosmos.evm.crypto.v1.ethsecp256k1.PubKey")), nil, true},
		{"a new account, by the accounts of others", "m/44'/118'", nil, list(packed("/cosmos.auth.v1beta1.ModuleAccount", ""), packed(ethAccount, "")), true},
		{"a new account, by the keys of others", "m/44'/118'", nil, list(packed(plainAccount, ""), packed(plainAccount, ethKey)), true},
		{"a new account among plain ones", "m/44'/118'", nil, list(packed(plainAccount, cosmosKey), packed(plainAccount, "")), false},
		{"a chain that has both kinds", "m/44'/459'", nil, list(packed(ethAccount, ""), packed(plainAccount, cosmosKey)), false},
		{"nodes that do not list accounts", "m/44'/118'", nil, nil, false},
		{"a plain account", "m/44'/118'", held(packed(plainAccount, cosmosKey)), nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			ethereumEntry(t, b, c.path)
			is := nodetest.Well(b.gaiad)
			if c.stored == nil {
				is = nodetest.But(wire.PathAccount, saysTo(`{"jsonrpc":"2.0","id":"ID","result":{"response":{"code":22,"log":"not found","codespace":"sdk"}}}`), is)
			} else {
				is = nodetest.But(wire.PathAccount, value(&wire.AccountResponse{Account: *c.stored}), is)
			}
			if c.others != nil {
				is = nodetest.But(wire.PathAccounts, value(c.others), is)
			}
			b.net.Set(atomURL, is)
			external, err := key.NewExternalKey(key.AccountID, stored.Bytes())
			require.NoError(t, err)
			for _, policy := range []key.Policy{key.ContextPrivKey{}, key.WithPubkey{Key: external}} {
				p := params("INJ", atomURL)
				p.Policy = policy
				got, err := b.Activate(t.Context(), p)
				if c.refuse {
					require.ErrorAs(t, err, new(*account.CreationError))
					require.ErrorIs(t, err, errEthereumKeys)
					require.Empty(t, got.Owner.Address)
					require.Empty(t, b.active())
					require.Empty(t, b.Active.Saved())
					continue
				}
				require.NoError(t, err)
				require.Equal(t, atomAddress, got.Owner.Address)
				_, err = b.Active.Disable(t.Context(), "INJ", true)
				require.NoError(t, err)
			}
		})
	}
}

// A chain that changes its type of keys later is rejected when coins are sent, and after a restart.
func TestEthereumKeysLater(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), atom())
	require.NoError(t, err)
	changed := nodetest.But(wire.PathAccount, value(&wire.AccountResponse{Account: packed(ethAccount, "")}), nodetest.Well(b.gaiad))
	b.net.Set(atomURL, changed)
	_, err = get[*Platform](t, b, "ATOM").Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1)})
	require.ErrorAs(t, err, new(*coin.InvalidError))
	require.ErrorIs(t, err, errEthereumKeys)
	again := openBench(t, b.kv)
	again.net.Set(atomURL, changed)
	require.ErrorIs(t, again.Restore(t.Context(), again.Active.Saved()[0]), errEthereumKeys)
}

// TestAccountsOfOtherKinds checks accounts of unknown types.
func TestAccountsOfOtherKinds(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), atom())
	require.NoError(t, err)
	send := func(stored wire.Any) error {
		b.net.Set(atomURL, nodetest.But(wire.PathAccount, value(&wire.AccountResponse{Account: stored}), nodetest.Well(b.gaiad)))
		_, err := get[*Platform](t, b, "ATOM").Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1)})
		return err
	}
	require.NoError(t, send(packed("/cosmos.vesting.v1beta1.ClawbackVestingAccount", cosmosKey)))
	require.NoError(t, send(packed("/evmos.vesting.v1.ClawbackVestingAccount", "")))
	err = send(wire.Any{TypeURL: "/chain.v1.Account", Value: []byte{0x08, 5}})
	require.ErrorAs(t, err, new(*coin.InvalidError))
	require.NotErrorIs(t, err, coin.ErrTransport)
	require.ErrorContains(t, err, `"/chain.v1.Account" has no base account`)
}
