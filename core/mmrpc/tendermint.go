package mmrpc

import (
	"context"
	"errors"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/tendermint"
	"obverse/core/wallet/tendermint/node"
)

const categoryTendermint = "Tendermint"

// Tendermint is the area of the methods that activate coins of the Cosmos family.
type Tendermint struct {
	Activator *tendermint.Activator
}

// Methods implements Area.
func (t Tendermint) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("enable_tendermint_with_assets", rpc.Doc{
			Summary: "Activate a chain of the Cosmos family, with IBC assets on it",
			Detail: "All or nothing: when it fails, nothing is activated. A node that does not answer, or that is on another chain, is left out as " +
				"long as another one answers. What was active is activated again, in the background, when the node is started the next time; " +
				"until the user has enabled it again in that run, this method replaces its nodes and parameters.",
			Category: categoryTendermint,
		}, t.enable).Raises(kinds(mmerr.PlatformIsAlreadyActivated, mmerr.PlatformConfigIsNotFound, mmerr.CoinProtocolParseError,
			mmerr.UnexpectedPlatformProtocol, mmerr.PlatformCoinCreationError, mmerr.UnexpectedDerivationMethod, mmerr.TokenConfigIsNotFound,
			mmerr.TokenProtocolParseError, mmerr.UnexpectedTokenProtocol, mmerr.ActivationTransport)...).Raises(keyKinds()...),
		rpc.Handle("enable_tendermint_token", rpc.Doc{
			Summary: "Activate an IBC asset on a chain that is active", Category: categoryTendermint,
		}, t.enableToken).Raises(kinds(mmerr.TokenIsAlreadyActivated, mmerr.TokenConfigIsNotFound, mmerr.TokenProtocolParseError,
			mmerr.UnexpectedTokenProtocol, mmerr.PlatformCoinIsNotActivated, mmerr.UnsupportedPlatformCoin, mmerr.CouldNotFetchBalance)...),
	}
}

type enableTendermintParams struct {
	Ticker        string          `json:"ticker" doc:"of the chain's coin, as ATOM, IRIS or OSMOSIS"`
	MM2           MM2             `json:"mm2" rpc:"optional" doc:"whether the coin is expected to work; needed if the coins file does not say it"`
	Tokens        []tokensRequest `json:"tokens_params" doc:"tokens to activate with it; may be empty"`
	Nodes         []coinNode      `json:"nodes" doc:"nodes of the chain, one or more"`
	TxHistory     bool            `json:"tx_history" default:"false" doc:"load the transactions of the past in the background, for my_tx_history"`
	Confirmations uint64          `json:"required_confirmations" default:"3" doc:"confirmations that a transaction needs before others rely on it"`
	Notarization  bool            `json:"requires_notarization" default:"false" doc:"wait for a notarisation too; these chains have none, so it is only kept"`
	Balances      bool            `json:"get_balances" default:"true" doc:"tell balances; without them the answer comes sooner"`
	Path          pathToAddress   `json:"path_to_address" default:"{}" doc:"which address of an HD wallet is the coin's own"`
	PolicyParams
}

// tokensRequest is the spec's TokensRequest.
type tokensRequest struct {
	Ticker        string  `json:"ticker" doc:"of the token, as ATOM-IBC_IRIS"`
	Confirmations *uint64 `json:"required_confirmations" doc:"as of the platform; the coins file's, or else the platform's, when absent"`
}

// coinNode is the spec's CoinNode.
type coinNode struct {
	URL          string `json:"url" doc:"of JSON-RPC, http or https; a user and a password in it are sent as a header"`
	APIURL       string `json:"api_url" default:"" doc:"kept; a browser wallet that does not know the chain is told of it"`
	GRPCURL      string `json:"grpc_url" default:"" doc:"kept, and not used"`
	WSURL        string `json:"ws_url" default:"" doc:"of the websocket, ws or wss; url with /websocket behind it when absent"`
	GatewayProxy bool   `json:"gateway_proxy" default:"false" doc:"requests are signed with the node's identity, for a gateway of Komodo DeFi Framework"`
	KomodoProxy  bool   `json:"komodo_proxy" default:"false" doc:"another name of gateway_proxy"`
}

// pathToAddress names an address of an HD wallet.
type pathToAddress struct {
	Account uint32    `json:"account_id" default:"0" doc:"number of the account"`
	Chain   pathChain `json:"chain" default:"External" doc:"External for addresses that are shown to others, or Internal"`
	Address uint32    `json:"address_id" default:"0" doc:"number of the address"`
}

// pathChain is the fourth number of a path, by its name.
type pathChain string

// Values implements rpc.Enum.
func (pathChain) Values() []string { return []string{"External", "Internal"} }

func (p pathToAddress) address() tendermint.AddressPath {
	chain := key.External
	if p.Chain == "Internal" {
		chain = key.Internal
	}
	return tendermint.AddressPath{Account: p.Account, Chain: chain, Address: p.Address}
}

// possible refuses an address that the node's own key cannot be derived for, since it is
// one for all: it would be that of another path.
func (p pathToAddress) possible(policy key.Policy, hd bool) error {
	if hd || policy.Name() != key.NameContextPrivKey || p == (pathToAddress{Chain: "External"}) {
		return nil
	}
	return mmerr.UnexpectedDerivationMethod.New("ExpectedHDWallet", "Unexpected derivation method: Expected 'HDWallet' derivationMethod "+
		"(path_to_address names another address than the first, and the node has one key for all: start it with enable_hd)")
}

type enabledTendermint struct {
	Ticker   string                 `json:"ticker" doc:"as in the request"`
	Address  string                 `json:"address" doc:"the coin's own address, which is that of its tokens too"`
	Block    uint64                 `json:"current_block" doc:"height of the newest block"`
	Balance  *balanceInfo           `json:"balance,omitempty" doc:"with get_balances"`
	Balances map[string]balanceInfo `json:"tokens_balances,omitzero" doc:"by ticker, with get_balances"`
	Tickers  []string               `json:"tokens_tickers,omitzero" doc:"the tokens, without get_balances"`
}

// balanceInfo is the spec's balance info.
type balanceInfo struct {
	Spendable   string `json:"spendable" doc:"what can be sent, a decimal number"`
	Unspendable string `json:"unspendable" doc:"what is held but cannot be sent now, a decimal number"`
}

func infoOf(b coin.Balance) balanceInfo {
	return balanceInfo{b.Spendable.String(), b.Unspendable.String()}
}

func (t Tendermint) enable(ctx context.Context, p enableTendermintParams) (enabledTendermint, error) {
	policy, err := p.choice()
	if err == nil {
		err = p.Path.possible(policy, t.Activator.HD)
	}
	if err != nil {
		return enabledTendermint{}, err
	}
	request := tendermint.Params{
		Ticker: p.Ticker, Policy: policy, Path: p.Path.address(), History: p.TxHistory,
		Confirmations: p.Confirmations, Notarization: p.Notarization, Balances: p.Balances,
		Expected: func(entry *coin.Entry) error { return CheckMM2(p.Ticker, p.MM2, entry) },
	}
	for _, n := range p.Nodes {
		request.Nodes = append(request.Nodes, node.Node{URL: n.URL, APIURL: n.APIURL, GRPCURL: n.GRPCURL, WSURL: n.WSURL,
			GatewayProxy: n.GatewayProxy || n.KomodoProxy})
	}
	for _, token := range p.Tokens {
		request.Tokens = append(request.Tokens, tendermint.TokenParams{Ticker: token.Ticker, Confirmations: token.Confirmations})
	}
	done, err := t.Activator.Activate(ctx, request)
	if err != nil {
		return enabledTendermint{}, tendermintFailure(p.Ticker, err)
	}
	result := enabledTendermint{Ticker: p.Ticker, Address: done.Address, Block: done.Height}
	if !p.Balances {
		result.Tickers = []string{}
		for _, token := range done.Tokens {
			result.Tickers = append(result.Tickers, token.Ticker)
		}
		return result, nil
	}
	balance := infoOf(done.Balance)
	result.Balance, result.Balances = &balance, map[string]balanceInfo{}
	for _, token := range done.Tokens {
		result.Balances[token.Ticker] = infoOf(token.Balance)
	}
	return result, nil
}

func tendermintFailure(ticker string, err error) error {
	var token *tendermint.TokenError
	var creation *tendermint.CreationError
	switch {
	case errors.As(err, &token):
		return TokenFailure(token.Ticker, err)
	case errors.As(err, &creation):
		return CreationFailure(ticker, creation.Err)
	}
	return KeyError(PlatformFailure(ticker, err))
}

type enableTendermintTokenParams struct {
	Ticker     string          `json:"ticker" doc:"of the token, as ATOM-IBC_IRIS"`
	Activation tokenActivation `json:"activation_params" default:"{}" doc:"how to activate it"`
}

type tokenActivation struct {
	Policy        PrivKeyPolicy `json:"priv_key_policy" rpc:"optional" doc:"a token has its platform's; another one than ContextPrivKey has to be that"`
	Confirmations *uint64       `json:"required_confirmations" doc:"confirmations that a transaction needs before others rely on it; the coins file's, or else the platform's, when absent"`
}

type enabledToken struct {
	Balances map[string]balanceInfo `json:"balances" doc:"by address"`
	Platform string                 `json:"platform_coin" doc:"ticker"`
}

func (t Tendermint) enableToken(ctx context.Context, p enableTendermintTokenParams) (enabledToken, error) {
	done, err := t.Activator.ActivateToken(ctx, tendermint.TokenParams{Ticker: p.Ticker, Confirmations: p.Activation.Confirmations, Policy: p.Activation.Policy.ofPlatform()})
	var platform *tendermint.PlatformKindError
	switch {
	case errors.As(err, &platform):
		return enabledToken{}, mmerr.UnsupportedPlatformCoin.From(err,
			mmerr.PlatformToken{Platform: platform.Platform, Token: p.Ticker}, platform.Error())
	case errors.Is(err, coin.ErrTransport):
		text := "Transport: " + err.Error()
		return enabledToken{}, mmerr.CouldNotFetchBalance.From(err, text, text)
	case err != nil:
		return enabledToken{}, TokenFailure(p.Ticker, err)
	}
	return enabledToken{map[string]balanceInfo{done.Address: infoOf(done.Balance)}, done.Platform}, nil
}
