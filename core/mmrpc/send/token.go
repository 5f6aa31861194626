package send

import (
	"context"
	"errors"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/text"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
	"obverse/core/wallet/signer/device"
)

// Tokens is the area of the methods that call the contracts of tokens and NFTs.
type Tokens struct {
	Active   *coin.Active
	Registry *coin.Registry
}

// Methods implements Area.
func (t Tokens) Methods() []rpc.Method {
	call := wire.Kinds(mmerr.NoSuchCoin, mmerr.TokenCallNotSupported, mmerr.InvalidParam, mmerr.Web3RPCError, mmerr.ContractCallRefused)
	return []rpc.Method{
		rpc.Handle("get_token_info", rpc.Doc{Reads: true,
			Summary:  "Read the symbol and the decimals of a token from its contract",
			Detail:   "The token need not be active or in the coins file, but its platform must be active. Pass the protocol to enable_erc20 to activate the token.",
			Category: wire.CategoryEth,
		}, t.info).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.UnsupportedTokenProtocol, mmerr.RetrieveInfoError, mmerr.NoContractInfo)...),
		rpc.Handle("find_tokens", rpc.Doc{Reads: true,
			Summary: "Find ERC-20 tokens of the coin's own address among given contracts",
			Detail: "The tokens need not be active or in the coins file. units is the balance in the token's smallest unit; a contract that does not " +
				"respond as a token is listed in failed.",
			Category: wire.CategoryEth,
		}, t.find).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.UnsupportedTokenProtocol, mmerr.RetrieveInfoError)...),
		rpc.Handle("get_token_allowance", rpc.Doc{Reads: true,
			Summary: "Return the allowance of a spender for an ERC-20 token of the coin's own address", Category: wire.CategoryEth,
		}, t.allowance).Raises(call...),
		rpc.Handle("approve_token", rpc.Doc{
			Summary:  "Approve a spender for an amount of an ERC-20 token of the coin's own address",
			Detail:   "The method sends the transaction and returns its hash. The amount replaces the previous allowance; 0 revokes it.",
			Category: wire.CategoryEth,
		}, t.approve).Raises(call...).Raises(wire.Kinds(mmerr.TransactionError, mmerr.TransactionRefused)...).Raises(wire.KeyKinds()...),
		rpc.Handle("withdraw_nft", rpc.Doc{
			Summary: "Create and sign a transaction that sends NFTs",
			Detail: "The chain's coin must be active, and its own address must hold the NFT according to the contract. Send the transaction with send_raw_transaction or " +
				"broadcast; an EIP-1193 wallet requires broadcast.",
			Category: wire.CategoryNFTs,
		}, t.withdrawNFT).Raises(wire.Kinds(mmerr.CoinWithoutNFTs, mmerr.NotNFTOwner, mmerr.NotEnoughNFTAmount)...).Raises(wire.WithdrawKinds()...),
		rpc.Handle("get_swap_gas_fee_policy", rpc.Doc{Reads: true,
			Summary: "Return the gas price policy for swaps of a coin", Category: wire.CategoryEth,
		}, t.policy).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.GasPolicyNotSupported)...),
		rpc.Handle("set_swap_gas_fee_policy", rpc.Doc{
			Summary: "Set the gas price policy for swaps of a coin until it is disabled", Category: wire.CategoryEth,
		}, t.setPolicy).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.GasPolicyNotSupported)...),
	}
}

type tokenInfoParams struct {
	Protocol wire.TokenProtocol `json:"protocol"`
}

type tokenInfo struct {
	Config string       `json:"config_ticker,omitempty" doc:"ticker of the contract in the coins file; absent if it is not there"`
	Type   string       `json:"type" doc:"ERC20"`
	Info   tokenDetails `json:"info"`
}

type tokenDetails struct {
	Symbol   string `json:"symbol" doc:"symbol that the contract reports; not unique, since anyone can choose any symbol"`
	Decimals uint8  `json:"decimals"`
}

func (t Tokens) info(ctx context.Context, p tokenInfoParams) (tokenInfo, error) {
	token, err := p.Protocol.Token()
	if err != nil {
		return tokenInfo{}, t.notToken(err)
	}
	platform, err := t.network(token.Platform)
	if err != nil {
		return tokenInfo{}, err
	}
	info, err := platform.TokenInfo(ctx, token.ContractAddress)
	var invalid *coin.InvalidError
	switch {
	case errors.As(err, &invalid):
		return tokenInfo{}, wire.ContractParam(token.ContractAddress, invalid.Reason)
	case errors.Is(err, coin.ErrContract):
		return tokenInfo{}, mmerr.NoContractInfo.From(err, wire.Text(err), "Error retrieving token info "+wire.Text(err))
	case err != nil:
		return tokenInfo{}, mmerr.RetrieveInfoError.From(err, wire.Text(err), "Error retrieving token info "+wire.Text(err))
	}
	result := tokenInfo{Type: string(coin.TypeERC20), Info: tokenDetails{info.Symbol, info.Decimals}}
	result.Config, _ = t.Registry.ByContract(token)
	return result, nil
}

// network returns the active coin of an EVM network.
func (t Tokens) network(ticker string) (*evm.Platform, error) {
	active, err := t.Active.Get(ticker)
	if err != nil {
		return nil, wire.NoSuchCoin(err, ticker)
	}
	platform, is := active.(*evm.Platform)
	if !is {
		return nil, mmerr.UnsupportedTokenProtocol.New(mmerr.TokenProtocol{Protocol: ticker}, "Custom tokens are not supported for "+wire.Clip(ticker)+" protocol yet!")
	}
	return platform, nil
}

// notToken returns the error for a protocol that is not that of a contract.
func (t Tokens) notToken(err error) error {
	var other *coin.UnexpectedError
	if errors.As(err, &other) {
		name := string(other.Protocol.Type)
		return mmerr.UnsupportedTokenProtocol.From(err, mmerr.TokenProtocol{Protocol: name}, "Custom tokens are not supported for "+name+" protocol yet!")
	}
	return &rpc.ParamError{Path: "protocol", Want: wire.WantProtocol, Got: rpc.KindObject, Err: err}
}

type allowanceParams struct {
	Coin    string `json:"coin" doc:"ticker of an active token"`
	Spender string `json:"spender" doc:"address"`
}

// token returns an active token.
func (t Tokens) token(ticker string) (*evm.Token, error) {
	active, err := t.Active.Get(ticker)
	if err != nil {
		return nil, wire.NoSuchCoin(err, ticker)
	}
	token, is := active.(*evm.Token)
	if !is {
		return nil, mmerr.TokenCallNotSupported.New(mmerr.Coin{Coin: ticker}, "Coin not supported "+wire.Clip(ticker))
	}
	return token, nil
}

func (t Tokens) allowance(ctx context.Context, p allowanceParams) (string, error) {
	token, err := t.token(p.Coin)
	if err != nil {
		return "", err
	}
	amount, err := token.Allowance(ctx, p.Spender)
	if err != nil {
		return "", tokenCallFailure(err)
	}
	return amount.String(), nil
}

type approveParams struct {
	allowanceParams
	Amount coinAmount `json:"amount" doc:"amount in whole coins, a decimal number"`
}

func (t Tokens) approve(ctx context.Context, p approveParams) (string, error) {
	if !p.Amount.given { // null, which would revoke the allowance
		return "", &rpc.ParamError{Path: "amount", Want: wantAmount, Err: rpc.ErrMissing}
	}
	token, err := t.token(p.Coin)
	if err != nil {
		return "", err
	}
	hash, err := token.Approve(ctx, p.Spender, p.Amount.Rational)
	if err != nil {
		return "", tokenCallFailure(err)
	}
	return text.Hex(hash[:]), nil
}

func tokenCallFailure(err error) error {
	var invalid *coin.InvalidError
	var wallet *key.WalletError
	var refused *key.NotAllowedError
	var revert *coin.RefusedError
	text := wire.Text(err)
	switch {
	case errors.As(err, &wallet), errors.As(err, &refused), errors.Is(err, key.ErrUnsupported), device.Is(err, device.Faults()...):
		return wire.KeyFailure(err)
	case errors.As(err, &invalid) && invalid.Field != coin.FieldFee:
		return mmerr.InvalidParam.From(err, text, "Invalid param: "+text)
	case errors.As(err, &revert):
		return wire.SendingFailure(err)
	case errors.Is(err, coin.ErrContract):
		return mmerr.ContractCallRefused.From(err, text, "Web3 RPC error "+text)
	case errors.Is(err, coin.ErrTransport):
		return mmerr.Web3RPCError.From(err, text, "Web3 RPC error "+text)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return mmerr.TransactionError.From(err, text, "Transaction error "+text)
}

// gased is a coin with gas fees for swaps.
type gased interface {
	GasPolicy() evm.GasPolicy
	SetGasPolicy(evm.GasPolicy)
}

type gasPolicyParams struct {
	Coin string `json:"coin" doc:"ticker of an active coin of an EVM network"`
}

func (t Tokens) gased(ticker string) (gased, error) {
	active, err := t.Active.Get(ticker)
	if err != nil {
		return nil, wire.NoSuchCoin(err, ticker)
	}
	gasCoin, is := active.(gased)
	if !is {
		return nil, mmerr.GasPolicyNotSupported.New(ticker, "gas fee policy is not supported for coin "+wire.Clip(ticker))
	}
	return gasCoin, nil
}

func (t Tokens) policy(_ context.Context, p gasPolicyParams) (wire.GasPolicy, error) {
	of, err := t.gased(p.Coin)
	if err != nil {
		return "", err
	}
	return wire.GasPolicy(of.GasPolicy()), nil
}

type setGasPolicyParams struct {
	gasPolicyParams
	Policy wire.GasPolicy `json:"swap_gas_fee_policy" default:"Legacy" doc:"Legacy: the gas price of the nodes; the others are the levels of get_eth_estimated_fee_per_gas"`
}

func (t Tokens) setPolicy(_ context.Context, p setGasPolicyParams) (wire.GasPolicy, error) {
	of, err := t.gased(p.Coin)
	if err != nil {
		return "", err
	}
	of.SetGasPolicy(evm.GasPolicy(p.Policy))
	return p.Policy, nil
}
