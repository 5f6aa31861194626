package wire

import (
	"fmt"
	"strings"

	"obverse/core/key"
	"obverse/core/text"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos"
	"obverse/core/wallet/evm"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/nft"
)

// Text returns the text of an error for a caller. The texts of domain errors, including wrapped
// ones, are replaced by those of Komodo DeFi Framework if it has such errors.
func Text(err error) string { return inUpstreamWords(err, err.Error()) }

func inUpstreamWords(err error, text string) string {
	if words := upstreamText(err); words != "" {
		return strings.ReplaceAll(text, err.Error(), words)
	}
	switch outer := err.(type) {
	case interface{ Unwrap() error }:
		if inner := outer.Unwrap(); inner != nil {
			return inUpstreamWords(inner, text)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range outer.Unwrap() {
			text = inUpstreamWords(inner, text)
		}
	}
	return text
}

// upstreamText returns the text of an error in Komodo DeFi Framework, or "" if Komodo DeFi
// Framework does not have the error. Only this function uses the names of parameters in texts.
func upstreamText(err error) string {
	switch e := err.(type) {
	case *coin.ShortageError, *coin.TooLowError, *coin.ChannelError, *coin.FeePolicyError, *coin.GasLimitError, *coin.PolicyError:
		return coinText(err)
	case *nft.NotFoundError:
		return fmt.Sprintf("Token: token_address %s, token_id %s was not found in wallet", e.Address, e.ID)
	case *nft.RemoteError:
		if e.Status != 0 {
			return fmt.Sprintf("Status code not in 2xx range from %s: %d, %s", e.URL, e.Status, e.Body)
		}
	case *evm.ContractError:
		return contractText(e)
	case *coin.PathError:
		return "Error deserializing 'derivation_path': " + e.Err.Error()
	case *cosmos.DecimalsError:
		return fmt.Sprintf("'decimals' value is too high; it must be %d or lower but the current value is %d", e.Max, e.Have)
	case *lightning.NodeIDError:
		return fmt.Sprintf("Could not parse public key from str %s, err %s", text.Clip(e.Text, 100), e.Reason)
	case *lightning.AddressError:
		return addressText(e)
	}
	for _, known := range upstreamTexts() {
		if err == known.err {
			return known.text
		}
	}
	return ""
}

type errorText struct {
	err  error
	text string
}

func upstreamTexts() []errorText {
	return []errorText{
		{coin.ErrZeroBalance, "Balance is zero"},
		{coin.ErrTip, "max_priority_fee_per_gas is more than max_fee_per_gas"},
		{nft.ErrChain, "The provided string does not correspond to any of the supported blockchain types."},
		{evm.ErrNoNodes, "Enable request for ETH coin must have at least 1 node"},
		{address.ErrChecksum, "Invalid address checksum"},
		{account.ErrNoPath, "'derivation_path' field is not found in config"},
		{coin.ErrNoBlocktime, "avg_blocktime is missing in coin configuration"},
		{coin.ErrBlocktime, "avg_blocktime must be in-between '0' and '255'."},
		{key.ErrAlgorithm, "Unsupported pubkey algorithm. Use one of ['ed25519', 'secp256k1']"},
		{key.ErrExternalKey, "Invalid data."},
	}
}

// coinText is like upstreamText, for errors of package coin.
func coinText(err error) string {
	switch e := err.(type) {
	case *coin.ShortageError:
		if e.ForFee {
			return fmt.Sprintf("Not enough %s to afford fee. Available %s, required at least %s", e.Coin, e.Available, e.Required)
		}
		return fmt.Sprintf("Not enough %s to withdraw: available %s, required at least %s", e.Coin, e.Available, e.Required)
	case *coin.TooLowError:
		return fmt.Sprintf("The amount %s is too small, required at least %s", e.Amount, e.Threshold)
	case *coin.ChannelError:
		return channelText(e)
	case *coin.FeePolicyError:
		kind := "type"
		if len(e.Takes) > 1 {
			kind = "types"
		}
		return fmt.Sprintf("Expected '%s' fee %s, found %s", strings.Join(e.Takes, "' or '"), kind, e.Got)
	case *coin.GasLimitError:
		return fmt.Sprintf("gas_limit is %d, and the transaction uses %d", e.Limit, e.Used)
	case *coin.PolicyError:
		if e.Has == e.Request {
			return fmt.Sprintf("priv_key_policy names another wallet of policy %s than the one that %s is activated with", e.Has, e.Ticker)
		}
		return fmt.Sprintf("priv_key_policy is %s, but %s is activated with %s", e.Request, e.Ticker, e.Has)
	}
	return ""
}

func channelText(e *coin.ChannelError) string {
	switch {
	case e.Prefix != "":
		return fmt.Sprintf("IBC channel could not be found in coins file for '%s' address prefix. "+
			"Provide it manually by including `ibc_source_channel` in the request.", e.Prefix)
	case e.Missing:
		return fmt.Sprintf("IBC channel '%d' is not present on the target node.", e.Channel)
	}
	return fmt.Sprintf("IBC channel '%d' is not healthy: %s. Provide a healthy one manually by including `ibc_source_channel` in the request.",
		e.Channel, e.Reason)
}

func contractText(e *evm.ContractError) string {
	name := "swap_contract_address"
	if e.Fallback {
		name = "fallback_swap_contract"
	}
	if e.Err == evm.ErrZeroAddress {
		return name + " can't be zero address"
	}
	return name + ": " + Text(e.Err)
}

func addressText(e *lightning.AddressError) string {
	part := map[lightning.Part]string{lightning.PartNode: "node pubkey", lightning.PartSocket: "socket address"}[e.Part]
	if part == "" {
		part = "node address"
	}
	text := fmt.Sprintf("Could not parse %s from str %s", part, text.Clip(e.Text, 100))
	if e.Reason != "" {
		text += ", err " + e.Reason
	}
	return text
}

// ParamOf returns the name of the parameter that corresponds to a field of a request.
func ParamOf(f coin.Field) string {
	switch f {
	case coin.FieldTo:
		return "to"
	case coin.FieldFrom:
		return "from"
	case coin.FieldChannel:
		return "ibc_source_channel"
	case coin.FieldRaw:
		return "tx_hex"
	case coin.FieldPublicKey:
		return "public_key"
	}
	return string(f) // the names of amount, fee, memo, message, signature and address are equal
}
