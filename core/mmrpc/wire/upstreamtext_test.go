package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/wire"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos"
	"obverse/core/wallet/evm"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/nft"
)

var errFull = errors.New("disk 0x1234 of user bob is full")

// TestUpstreamTexts checks texts for which users of Komodo DeFi Framework search.
func TestUpstreamTexts(t *testing.T) {
	low := mmrpctest.Rational("0.5")
	contract := func(fallback bool, err error) error {
		return &evm.PayloadError{Err: &evm.ContractError{Fallback: fallback, Err: err}}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&coin.ShortageError{Coin: "X", Available: low, Required: number.Int(2)}, "Not enough X to withdraw: available 0.5, required at least 2"},
		{&coin.ShortageError{Coin: "X", Available: low, Required: number.Int(2), ForFee: true}, "Not enough X to afford fee. Available 0.5, required at least 2"},
		{&coin.TooLowError{Amount: low, Threshold: number.Int(1)}, "The amount 0.5 is too small, required at least 1"},
		{&coin.ChannelError{Prefix: "osmo"}, "IBC channel could not be found in coins file for 'osmo' address prefix. Provide it manually by including `ibc_source_channel` in the request."},
		{&coin.ChannelError{Channel: 7, Missing: true}, "IBC channel '7' is not present on the target node."},
		{&coin.ChannelError{Channel: 7, Reason: "why"}, "IBC channel '7' is not healthy: why. Provide a healthy one manually by including `ibc_source_channel` in the request."},
		{&coin.FeePolicyError{Takes: []string{"CosmosGas"}, Got: "EthGas"}, "Expected 'CosmosGas' fee type, found EthGas"},
		{&coin.FeePolicyError{Takes: []string{"EthGas", "EthGasEip1559"}, Got: "UtxoFixed"}, "Expected 'EthGas' or 'EthGasEip1559' fee types, found UtxoFixed"},
		{&coin.GasLimitError{Limit: 5, Used: 6}, "gas_limit is 5, and the transaction uses 6"},
		{coin.ErrTip, "max_priority_fee_per_gas is more than max_fee_per_gas"},
		{coin.ErrZeroBalance, "Balance is zero"},
		{&coin.PolicyError{Ticker: "X", Has: key.NameContextPrivKey, Request: key.NameSessionWallet}, "priv_key_policy is SessionWallet, but X is activated with ContextPrivKey"},
		{&coin.PolicyError{Ticker: "X", Has: key.NameSessionWallet, Request: key.NameSessionWallet},
			"priv_key_policy names another wallet of policy SessionWallet than the one that X is activated with"},
		{&nft.NotFoundError{Token: nft.Token{Address: "0x1", ID: "5"}}, "Token: token_address 0x1, token_id 5 was not found in wallet"},
		{&nft.RemoteError{URL: "https://a", Reason: "no", Status: 502, Body: "bad"}, "Status code not in 2xx range from https://a: 502, bad"},
		{&nft.RemoteError{URL: "https://a", Reason: "https://a: no answer"}, "https://a: no answer"},
		{nft.ErrChain, "The provided string does not correspond to any of the supported blockchain types."},
		{contract(false, evm.ErrZeroAddress), "swap_contract_address can't be zero address"},
		{contract(true, evm.ErrZeroAddress), "fallback_swap_contract can't be zero address"},
		{contract(false, address.ErrForm), "swap_contract_address: an address is 0x and 40 hexadecimal digits"},
		{contract(true, address.ErrChecksum), "fallback_swap_contract: Invalid address checksum"},
		{&evm.PayloadError{Err: nodepool.URLErrors{}}, ""},
		{evm.ErrNoNodes, "Enable request for ETH coin must have at least 1 node"},
		{account.ErrNoPath, "'derivation_path' field is not found in config"},
		{&account.CreationError{Err: &coin.PathError{Err: errFull}}, "Error deserializing 'derivation_path': " + errFull.Error()},
		{coin.ErrNoBlocktime, "avg_blocktime is missing in coin configuration"},
		{coin.ErrBlocktime, "avg_blocktime must be in-between '0' and '255'."},
		{&cosmos.DecimalsError{Have: 19, Max: 18}, "'decimals' value is too high; it must be 18 or lower but the current value is 19"},
		{key.ErrAlgorithm, "Unsupported pubkey algorithm. Use one of ['ed25519', 'secp256k1']"},
		{key.ErrExternalKey, "Invalid data."},
		{&lightning.NodeIDError{Text: "x", Reason: "why"}, "Could not parse public key from str x, err why"},
		{&lightning.NodeIDError{Text: strings.Repeat("x", 200), Reason: "why"}, "Could not parse public key from str " + strings.Repeat("x", 100) + "…, err why"},
		{&lightning.AddressError{Part: lightning.PartWhole, Text: "x"}, "Could not parse node address from str x"},
		{&lightning.AddressError{Part: lightning.PartNode, Text: "x", Reason: "why"}, "Could not parse node pubkey from str x, err why"},
		{&lightning.AddressError{Part: lightning.PartSocket, Text: "x", Reason: "why"}, "Could not parse socket address from str x, err why"},
		{errFull, errFull.Error()},
	} {
		require.Equal(t, c.want, wire.Text(c.err))
		if c.want != "" {
			require.Equal(t, "behind: "+c.want+", before", wire.Text(fmt.Errorf("behind: %w, before", c.err)), "wrapped")
		}
	}
}

// TestUpstreamTextsOfJoinedErrors checks an update of several chains that fails for several
// reasons.
func TestUpstreamTextsOfJoinedErrors(t *testing.T) {
	one := &nft.RemoteError{URL: "https://a", Reason: "https://a: HTTP status 500: x", Status: 500, Body: "x"}
	two := &nft.RemoteError{URL: "https://b", Reason: "https://b: HTTP status 404: y", Status: 404, Body: "y"}
	err := errors.Join(fmt.Errorf("ETH: %w", one), nil, fmt.Errorf("BSC: %w", two), errFull)
	require.Equal(t, "ETH: Status code not in 2xx range from https://a: 500, x\nBSC: Status code not in 2xx range from https://b: 404, y\n"+errFull.Error(), wire.Text(err))
}

// TestParamOf checks the parameters that correspond to the fields in domain errors.
func TestParamOf(t *testing.T) {
	for field, want := range map[coin.Field]string{
		coin.FieldTo: "to", coin.FieldAmount: "amount", coin.FieldFee: "fee", coin.FieldMemo: "memo", coin.FieldFrom: "from",
		coin.FieldChannel: "ibc_source_channel", coin.FieldRaw: "tx_hex", coin.FieldMessage: "message", coin.FieldSignature: "signature",
		coin.FieldAddress: "address", coin.FieldPublicKey: "public_key",
	} {
		require.Equal(t, want, wire.ParamOf(field))
	}
}
