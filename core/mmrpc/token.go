package mmrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/text"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
	evmaddress "obverse/core/wallet/evm/address"
	"obverse/core/wallet/signer/device"
)

// Tokens is the area of the methods that call contracts of tokens and NFTs.
type Tokens struct {
	Active   *coin.Active
	Registry *coin.Registry
}

// Methods implements Area.
func (t Tokens) Methods() []rpc.Method {
	call := kinds(mmerr.NoSuchCoin, mmerr.TokenCallNotSupported, mmerr.InvalidParam, mmerr.Web3RPCError, mmerr.ContractCallRefused)
	return []rpc.Method{
		rpc.Handle("get_token_info", rpc.Doc{Reads: true,
			Summary:  "Ask a token's contract for its symbol and its decimals",
			Detail:   "The token need be neither active nor in the coins file; its platform is active. With its protocol enable_erc20 makes it active.",
			Category: categoryEth,
		}, t.info).Raises(kinds(mmerr.NoSuchCoin, mmerr.UnsupportedTokenProtocol, mmerr.RetrieveInfoError, mmerr.NoContractInfo)...),
		rpc.Handle("find_tokens", rpc.Doc{Reads: true,
			Summary: "Find which ERC-20 contracts the own address of a network's coin has tokens of",
			Detail: "The contracts need be neither active nor in the coins file. units is the contract's own number, without decimals; a contract that does not " +
				"answer as a token is in failed.",
			Category: categoryEth,
		}, t.find).Raises(kinds(mmerr.NoSuchCoin, mmerr.UnsupportedTokenProtocol, mmerr.RetrieveInfoError)...),
		rpc.Handle("get_token_allowance", rpc.Doc{Reads: true,
			Summary: "Show how much of an ERC-20 token a spender may take from the coin's own address", Category: categoryEth,
		}, t.allowance).Raises(call...),
		rpc.Handle("approve_token", rpc.Doc{
			Summary:  "Let a spender take an amount of an ERC-20 token from the coin's own address",
			Detail:   "The transaction is sent; the result is its hash. The amount takes the place of what was approved before; 0 revokes it.",
			Category: categoryEth,
		}, t.approve).Raises(call...).Raises(kinds(mmerr.TransactionError, mmerr.TransactionRefused)...).Raises(keyKinds()...),
		rpc.Handle("withdraw_nft", rpc.Doc{
			Summary: "Make and sign a transaction that sends NFTs",
			Detail: "The chain's coin is active; its own address has the NFT, which is asked of the contract. send_raw_transaction sends the transaction, or " +
				"broadcast, which a wallet of EIP-1193 needs.",
			Category: categoryNFT,
		}, t.withdrawNFT).Raises(kinds(mmerr.CoinWithoutNFTs, mmerr.NotNFTOwner, mmerr.NotEnoughNFTAmount)...).Raises(withdrawKinds()...),
		rpc.Handle("get_swap_gas_fee_policy", rpc.Doc{Reads: true,
			Summary: "Show what swaps of a coin offer for gas", Category: categoryEth,
		}, t.policy).Raises(kinds(mmerr.NoSuchCoin, mmerr.GasPolicyNotSupported)...),
		rpc.Handle("set_swap_gas_fee_policy", rpc.Doc{
			Summary: "Set what swaps of a coin offer for gas, for as long as the coin is active", Category: categoryEth,
		}, t.setPolicy).Raises(kinds(mmerr.NoSuchCoin, mmerr.GasPolicyNotSupported)...),
	}
}

// tokenProtocol is the protocol of a token as the coins file would have it.
type tokenProtocol struct{ raw json.RawMessage }

const (
	wantProtocol = `an object with the type "ERC20" and protocol_data with platform and contract_address`
	maxProtocol  = 4 << 10 // bytes; it is kept
)

var errProtocolSize = errors.New("too large")

// UnmarshalParam implements rpc.Unmarshaler. What is in the protocol is for the activation to
// refuse, as with the coins file.
func (p *tokenProtocol) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	if _, err := object(raw, wantProtocol); err != nil {
		return err
	}
	if len(raw) > maxProtocol {
		return &rpc.ParamError{Want: wantProtocol, Got: rpc.KindObject, Err: errProtocolSize}
	}
	p.raw = raw
	return nil
}

// token reads the protocol as the coins file's are read.
func (p tokenProtocol) token() (token coin.ERC20, err error) {
	entry, err := coin.ParseEntry([]byte(`{"coin":"token","protocol":` + string(p.raw) + `}`))
	if err != nil {
		return token, err
	}
	return coin.As[coin.ERC20](entry)
}

// check refuses a protocol that no coins file could have; that it is of another kind of coins is
// for the activation to say.
func (p tokenProtocol) check(ticker string, known *coin.Registry) error {
	if p.raw == nil {
		return nil
	}
	token, err := p.token()
	var broken *coin.ParseError
	if errors.As(err, &broken) {
		return mmerr.InvalidTokenProtocol.From(err, mmerr.Ticker{Ticker: ticker, Error: broken.Reason},
			"Token "+clip(ticker)+" protocol parsing failed: "+broken.Reason+` (parameter "protocol" must be `+wantProtocol+")")
	}
	if err != nil {
		return nil
	}
	var chain uint64 // of the checksum
	if platform, err := known.Lookup(token.Platform); err == nil {
		network, _ := coin.As[coin.ETH](platform) // or none, which is for the activation to say
		chain = network.ChainID
	}
	if _, err := evmaddress.ParseOn(chain, token.ContractAddress); err != nil {
		return contractParam(token.ContractAddress, err)
	}
	return nil
}

// contractParam refuses the contract_address of a protocol.
func contractParam(text string, err error) error {
	return &rpc.ParamError{Path: "protocol.protocol_data.contract_address", Want: "the address of a contract, 0x and 40 hexadecimal digits", Got: rpc.KindString,
		Err: fmt.Errorf("%.70q: %w", text, err)}
}

// JSONSchema implements rpc.Described.
func (tokenProtocol) JSONSchema() *rpc.Schema {
	text := func(about string) *rpc.Schema { return &rpc.Schema{Type: "string", Description: about} }
	data := &rpc.Schema{Type: "object", Required: []string{"platform", "contract_address"},
		Properties: rpc.Properties{{Name: "platform", Schema: text("ticker of the network's coin")}, {Name: "contract_address", Schema: text("0x and 40 hexadecimal digits")}}}
	return &rpc.Schema{Type: "object", Required: []string{"type", "protocol_data"},
		Properties: rpc.Properties{{Name: "type", Schema: &rpc.Schema{Type: "string", Enum: []string{string(coin.TypeERC20)}}}, {Name: "protocol_data", Schema: data}}}
}

// duplicateToken gives the refusal of a custom token its kind; nil: err is something else.
func duplicateToken(err error) error {
	var data mmerr.Duplicate
	text := "Custom token error: Token with the same "
	if known, is := errors.AsType[*coin.DuplicateError](err); is {
		in := &mmerr.ConfigTicker{Ticker: known.Ticker}
		if known.Contract {
			data.Contract, text = in, text+"contract address"
		} else {
			data.Ticker, text = in, text+"ticker"
		}
		return mmerr.CustomTokenError.From(err, data, text+" already exists in coins configs, ticker in config: "+known.Ticker)
	}
	if active, is := errors.AsType[*evm.ActiveContractError](err); is {
		data.Active = &mmerr.ActiveContract{Ticker: active.Ticker, Contract: active.Contract.Plain()}
		return mmerr.CustomTokenError.From(err, data, "Custom token error: Token is already activated, ticker: "+active.Ticker+", contract address: "+active.Contract.Plain())
	}
	if errors.Is(err, coin.ErrEntry) {
		return &rpc.ParamError{Path: "ticker", Want: "1 to 64 bytes of text without spaces", Got: rpc.KindString, Err: err}
	}
	return nil
}

type tokenInfoParams struct {
	Protocol tokenProtocol `json:"protocol"`
}

type tokenInfo struct {
	Config string       `json:"config_ticker,omitempty" doc:"the ticker by which the coins file has the contract; absent if it does not"`
	Type   string       `json:"type" doc:"ERC20"`
	Info   tokenDetails `json:"info"`
}

type tokenDetails struct {
	Symbol   string `json:"symbol" doc:"the contract's own: anybody may call a token anything"`
	Decimals uint8  `json:"decimals"`
}

func (t Tokens) info(ctx context.Context, p tokenInfoParams) (tokenInfo, error) {
	token, err := p.Protocol.token()
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
		return tokenInfo{}, contractParam(token.ContractAddress, invalid.Reason)
	case errors.Is(err, coin.ErrContract):
		return tokenInfo{}, mmerr.NoContractInfo.From(err, wireText(err), "Error retrieving token info "+wireText(err))
	case err != nil:
		return tokenInfo{}, mmerr.RetrieveInfoError.From(err, wireText(err), "Error retrieving token info "+wireText(err))
	}
	shown := tokenInfo{Type: string(coin.TypeERC20), Info: tokenDetails{info.Symbol, info.Decimals}}
	shown.Config, _ = t.Registry.ByContract(token)
	return shown, nil
}

// network finds the active coin of an EVM network.
func (t Tokens) network(ticker string) (*evm.Platform, error) {
	active, err := t.Active.Get(ticker)
	if err != nil {
		return nil, noSuchCoin(err, ticker)
	}
	platform, is := active.(*evm.Platform)
	if !is {
		return nil, mmerr.UnsupportedTokenProtocol.New(mmerr.TokenProtocol{Protocol: ticker}, "Custom tokens are not supported for "+clip(ticker)+" protocol yet!")
	}
	return platform, nil
}

// notToken refuses a protocol that is of no contract.
func (t Tokens) notToken(err error) error {
	var other *coin.UnexpectedError
	if errors.As(err, &other) {
		name := string(other.Protocol.Type)
		return mmerr.UnsupportedTokenProtocol.From(err, mmerr.TokenProtocol{Protocol: name}, "Custom tokens are not supported for "+name+" protocol yet!")
	}
	return &rpc.ParamError{Path: "protocol", Want: wantProtocol, Got: rpc.KindObject, Err: err}
}

type allowanceParams struct {
	Coin    string `json:"coin" doc:"ticker of an active token"`
	Spender string `json:"spender" doc:"address"`
}

// token finds an active token.
func (t Tokens) token(ticker string) (*evm.Token, error) {
	active, err := t.Active.Get(ticker)
	if err != nil {
		return nil, noSuchCoin(err, ticker)
	}
	token, is := active.(*evm.Token)
	if !is {
		return nil, mmerr.TokenCallNotSupported.New(mmerr.Coin{Coin: ticker}, "Coin not supported "+clip(ticker))
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
	Amount coinAmount `json:"amount" doc:"how much, in whole coins, a decimal number"`
}

func (t Tokens) approve(ctx context.Context, p approveParams) (string, error) {
	if !p.Amount.given { // null, which would revoke what was approved
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
	text := wireText(err)
	switch {
	case errors.As(err, &wallet), errors.As(err, &refused), errors.Is(err, key.ErrUnsupported), device.Is(err, device.Faults()...):
		return KeyError(err)
	case errors.As(err, &invalid) && invalid.Field != coin.FieldFee:
		return mmerr.InvalidParam.From(err, text, "Invalid param: "+text)
	case errors.As(err, &revert):
		return sendingFailure(err)
	case errors.Is(err, coin.ErrContract):
		return mmerr.ContractCallRefused.From(err, text, "Web3 RPC error "+text)
	case errors.Is(err, coin.ErrTransport):
		return mmerr.Web3RPCError.From(err, text, "Web3 RPC error "+text)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return mmerr.TransactionError.From(err, text, "Transaction error "+text)
}

// gasPolicy is an evm.GasPolicy.
type gasPolicy string

// Values implements rpc.Enum.
func (gasPolicy) Values() []string {
	return []string{string(evm.GasLegacy), string(evm.GasLow), string(evm.GasMedium), string(evm.GasHigh)}
}

// saved is the policy, "" if it is the one that coins have anyway.
func (p gasPolicy) saved() evm.GasPolicy {
	if evm.GasPolicy(p) == evm.GasLegacy {
		return ""
	}
	return evm.GasPolicy(p)
}

// gased is a coin that swaps pay gas for.
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
		return nil, noSuchCoin(err, ticker)
	}
	of, is := active.(gased)
	if !is {
		return nil, mmerr.GasPolicyNotSupported.New(ticker, "gas fee policy is not supported for coin "+clip(ticker))
	}
	return of, nil
}

func (t Tokens) policy(_ context.Context, p gasPolicyParams) (gasPolicy, error) {
	of, err := t.gased(p.Coin)
	if err != nil {
		return "", err
	}
	return gasPolicy(of.GasPolicy()), nil
}

type setGasPolicyParams struct {
	gasPolicyParams
	Policy gasPolicy `json:"swap_gas_fee_policy" default:"Legacy" doc:"Legacy: the nodes' price of gas; the others are the levels of get_eth_estimated_fee_per_gas"`
}

func (t Tokens) setPolicy(_ context.Context, p setGasPolicyParams) (gasPolicy, error) {
	of, err := t.gased(p.Coin)
	if err != nil {
		return "", err
	}
	of.SetGasPolicy(evm.GasPolicy(p.Policy))
	return p.Policy, nil
}
