package activate

import (
	"context"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos"
)

const categoryCosmos = "Tendermint"

// Cosmos is the area of the methods that activate coins of Cosmos chains.
type Cosmos struct {
	Activator *cosmos.Activator
	Tasks     *task.Manager
}

// Methods implements Area.
func (t Cosmos) Methods() []rpc.Method {
	return append([]rpc.Method{
		rpc.Handle("enable_tendermint_with_assets", rpc.Doc{Whole: true,
			Summary: "Activate a chain of the Cosmos family with IBC assets",
			Detail: "If the method fails, nothing is activated. It skips a token whose balance the chain does not return, and lists it in failed_tokens. It excludes a node that does not respond or is on another chain, as " +
				"long as another one responds. After a restart, the node activates the same coins again in the background; " +
				"until the user enables a coin again, this method replaces its nodes and parameters.",
			Category: categoryCosmos,
		}, t.enable).Raises(cosmosKinds()...),
		rpc.Handle("enable_tendermint_token", rpc.Doc{Whole: true,
			Summary: "Activate an IBC asset on an active chain", Category: categoryCosmos,
		}, t.enableToken).Raises(wire.Kinds(mmerr.TokenIsAlreadyActivated, mmerr.TokenConfigIsNotFound, mmerr.TokenProtocolParseError,
			mmerr.UnexpectedTokenProtocol, mmerr.PlatformCoinIsNotActivated, mmerr.UnsupportedPlatformCoin, mmerr.CouldNotFetchBalance)...),
	}, cosmosTask().Methods(t.Tasks, rpc.Handle(cosmosTask().Name+"::init", rpc.Doc{
		Summary:  "Start to activate a chain of the Cosmos family with IBC assets",
		Detail:   "See enable_tendermint_with_assets. For clients that display the requests of a hardware wallet or a browser wallet.",
		Category: categoryCosmos,
	}, t.begin).Raises(cosmosKinds()...))...)
}

func cosmosKinds() []rpc.ErrorKind {
	return append(wire.Kinds(mmerr.PlatformIsAlreadyActivated, mmerr.PlatformConfigIsNotFound, mmerr.CoinProtocolParseError,
		mmerr.UnexpectedPlatformProtocol, mmerr.PlatformCoinCreationError, mmerr.UnexpectedDerivationMethod, mmerr.TokenConfigIsNotFound,
		mmerr.TokenProtocolParseError, mmerr.UnexpectedTokenProtocol, mmerr.ActivationTransport), wire.KeyKinds()...)
}

// cosmosTask returns the kind of tasks that activate Cosmos chains.
func cosmosTask() wire.TaskKind {
	return activationTask("task::enable_tendermint", categoryCosmos, "the activation of a chain of the Cosmos family", "enable_tendermint_with_assets")
}

type enableCosmosParams struct {
	Ticker        string          `json:"ticker" doc:"ticker of the chain's coin, such as ATOM, IRIS or OSMOSIS"`
	MM2           MM2             `json:"mm2" rpc:"optional" doc:"whether the coin is expected to work; required if the coins file does not contain it"`
	Tokens        []tokensRequest `json:"tokens_params" doc:"tokens to activate with the coin; may be empty"`
	Nodes         []coinNode      `json:"nodes" doc:"nodes of the chain, one or more"`
	TxHistory     bool            `json:"tx_history" default:"false" doc:"load past transactions in the background, for my_tx_history"`
	Confirmations uint64          `json:"required_confirmations" default:"3" doc:"confirmations that a transaction needs before others rely on it"`
	Notarization  bool            `json:"requires_notarization" default:"false" doc:"wait for a notarisation; stored but unused, since these chains have no notarisations"`
	Balances      bool            `json:"get_balances" default:"true" doc:"include balances; without them, the method returns sooner"`
	Path          pathToAddress   `json:"path_to_address" default:"{}" doc:"address of an HD wallet that becomes the coin's own"`
	PolicyParams
}

type enabledCosmos struct {
	Ticker   string                      `json:"ticker" doc:"as in the request"`
	Address  string                      `json:"address" doc:"the coin's own address, also used for its tokens"`
	Block    uint64                      `json:"current_block" doc:"height of the newest block"`
	Balance  *wire.BalanceInfo           `json:"balance,omitempty" doc:"with get_balances"`
	Balances map[string]wire.BalanceInfo `json:"tokens_balances,omitzero" doc:"by ticker, with get_balances"`
	Tickers  []string                    `json:"tokens_tickers,omitzero" doc:"the tokens, without get_balances"`
	Failed   []failedToken               `json:"failed_tokens,omitempty" doc:"tokens that were not activated because the chain does not return their balances; absent if all are active"`
}

func (t Cosmos) enable(ctx context.Context, p enableCosmosParams) (enabledCosmos, error) {
	request, err := t.request(p)
	if err != nil {
		return enabledCosmos{}, err
	}
	return t.activate(ctx, request)
}

// begin starts enable as a task.
func (t Cosmos) begin(ctx context.Context, p enableCosmosParams) (wire.StartedTask, error) {
	request, err := t.request(p)
	if err != nil {
		return wire.StartedTask{}, err
	}
	return begin(ctx, cosmosTask(), t.Tasks, t.Activator.Config, request.Request, func(ctx context.Context) (any, error) { return t.activate(ctx, request) })
}

// request converts the parameters to those of the activator.
func (t Cosmos) request(p enableCosmosParams) (cosmos.Params, error) {
	policy, err := p.choice()
	if err == nil {
		err = p.Path.possible(policy, t.Activator.HD)
	}
	request := cosmos.Params{
		Request: account.Request{Ticker: p.Ticker, Policy: policy, Path: p.Path.address(), Tokens: tokenRequests(p.Tokens), Balances: p.Balances,
			Expected: func(entry *coin.Entry) error { return CheckMM2(p.Ticker, p.MM2, entry) }},
		Options: cosmos.Options{History: p.TxHistory, Confirmations: p.Confirmations, Notarization: p.Notarization},
	}
	for _, n := range p.Nodes {
		request.Nodes = append(request.Nodes, n.node())
	}
	return request, err
}

func (t Cosmos) activate(ctx context.Context, p cosmos.Params) (enabledCosmos, error) {
	done, err := t.Activator.Activate(ctx, p)
	if err != nil {
		return enabledCosmos{}, ActivationFailure(p.Ticker, err)
	}
	result := enabledCosmos{Ticker: p.Ticker, Address: done.Owner.Address, Block: done.Height, Failed: viewFailed(done.Failed)}
	if !p.Balances {
		result.Tickers = []string{}
		for _, token := range done.Tokens {
			result.Tickers = append(result.Tickers, token.Ticker)
		}
		return result, nil
	}
	balance := wire.InfoOf(done.Balance)
	result.Balance, result.Balances = &balance, map[string]wire.BalanceInfo{}
	for _, token := range done.Tokens {
		result.Balances[token.Ticker] = wire.InfoOf(token.Balance)
	}
	return result, nil
}

type enableCosmosTokenParams struct {
	Ticker     string          `json:"ticker" doc:"ticker of the token, such as ATOM-IBC_IRIS"`
	Activation tokenActivation `json:"activation_params" default:"{}" doc:"parameters of the activation"`
}

func (t Cosmos) enableToken(ctx context.Context, p enableCosmosTokenParams) (enabledToken, error) {
	done, err := t.Activator.ActivateToken(ctx, p.Activation.request(p.Ticker))
	if err != nil {
		return enabledToken{}, tokenActivationFailure(p.Ticker, err)
	}
	return viewToken(done), nil
}
