package cosmos

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/wire"
)

// ethereumEntry is a coin whose chain is a recorded one, derived as its path says.
func ethereumEntry(t *testing.T, b *bench, path string) {
	t.Helper()
	user, problems, err := coin.ParseList([]byte(`[{"coin":"INJ","mm2":1,"avg_blocktime":7,"derivation_path":"` + path + `","protocol":{"type":"TENDERMINT",
		"protocol_data":{"decimals":6,"denom":"uatom","account_prefix":"cosmos","chain_id":"cosmoshub-4"}}}]`))
	require.NoError(t, err)
	require.Empty(t, problems)
	b.Registry = coin.NewRegistry(user)
}

// packed is an account of a kind, with a key of a kind.
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

// An address that the chain would not give is not shown: what is sent to it is lost.
func TestChainsWithEthereumKeys(t *testing.T) {
	own, err := address.Parse(atomAddress)
	require.NoError(t, err)
	list := func(all ...wire.Any) *wire.AccountsResponse { return &wire.AccountsResponse{Accounts: all} }
	for _, c := range []struct {
		name   string
		path   string
		own    *wire.Any // nil: the account is new
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
			if c.own == nil {
				is = nodetest.But(wire.PathAccount, saysTo(`{"jsonrpc":"2.0","id":"ID","result":{"response":{"code":22,"log":"not found","codespace":"sdk"}}}`), is)
			} else {
				is = nodetest.But(wire.PathAccount, value(&wire.AccountResponse{Account: *c.own}), is)
			}
			if c.others != nil {
				is = nodetest.But(wire.PathAccounts, value(c.others), is)
			}
			b.net.Set(atomURL, is)
			external, err := key.NewExternalKey(key.AccountID, own.Bytes())
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

// A chain that changes its kind of keys later is refused when something is sent, and after
// a restart.
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

// What the chain says of an account that no list of kinds has.
func TestAccountsOfOtherKinds(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), atom())
	require.NoError(t, err)
	send := func(kept wire.Any) error {
		b.net.Set(atomURL, nodetest.But(wire.PathAccount, value(&wire.AccountResponse{Account: kept}), nodetest.Well(b.gaiad)))
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
