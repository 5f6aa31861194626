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
			Summary: "Activate a chain of the Cosmos family, with IBC assets on it",
			Detail: "When it fails, nothing is activated. A token whose balance the chain refuses to say is left out, and named in failed_tokens. A node that does not answer, or that is on another chain, is left out as " +
				"long as another one answers. What was active is activated again, in the background, when the node is started the next time; " +
				"until the user has enabled it again in that run, this method replaces its nodes and parameters.",
			Category: categoryCosmos,
		}, t.enable).Raises(cosmosKinds()...),
		rpc.Handle("enable_tendermint_token", rpc.Doc{Whole: true,
			Summary: "Activate an IBC asset on a chain that is active", Category: categoryCosmos,
		}, t.enableToken).Raises(wire.Kinds(mmerr.TokenIsAlreadyActivated, mmerr.TokenConfigIsNotFound, mmerr.TokenProtocolParseError,
			mmerr.UnexpectedTokenProtocol, mmerr.PlatformCoinIsNotActivated, mmerr.UnsupportedPlatformCoin, mmerr.CouldNotFetchBalance)...),
	}, cosmosTask().Methods(t.Tasks, rpc.Handle(cosmosTask().Name+"::init", rpc.Doc{
		Summary:  "Begin to activate a chain of the Cosmos family, with IBC assets on it",
		Detail:   "As enable_tendermint_with_assets, for callers that show what a hardware wallet or a browser's wallet waits for.",
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
	Ticker        string          `json:"ticker" doc:"of the chain's coin, as ATOM, IRIS or OSMOSIS"`
	MM2           MM2             `json:"mm2" rpc:"optional" doc:"whether the coin is expected to work; needed if the coins file does not say it"`
	Tokens        []tokensRequest `json:"tokens_params" doc:"tokens to activate with it; may be empty"`
	Nodes         []coinNode      `json:"nodes" doc:"nodes of the chain, one or more"`
	TxHistory     bool            `json:"tx_history" default:"false" doc:"load the transactions of the past in the background, for my_tx_history"`
	Confirmations uint64          `json:"required_confirmations" default:"3" doc:"confirmations that a transaction needs before others rely on it"`
	Notarization  bool            `json:"requires_notarization" default:"false" doc:"wait for a notarisation too; these chains have none, so it is only kept"`
	Balances      bool            `json:"get_balances" default:"true" doc:"include balances; without them the answer comes sooner"`
	Path          pathToAddress   `json:"path_to_address" default:"{}" doc:"which address of an HD wallet is the coin's own"`
	PolicyParams
}

type enabledCosmos struct {
	Ticker   string                      `json:"ticker" doc:"as in the request"`
	Address  string                      `json:"address" doc:"the coin's own address, which is that of its tokens too"`
	Block    uint64                      `json:"current_block" doc:"height of the newest block"`
	Balance  *wire.BalanceInfo           `json:"balance,omitempty" doc:"with get_balances"`
	Balances map[string]wire.BalanceInfo `json:"tokens_balances,omitzero" doc:"by ticker, with get_balances"`
	Tickers  []string                    `json:"tokens_tickers,omitzero" doc:"the tokens, without get_balances"`
	Failed   []failedToken               `json:"failed_tokens,omitempty" doc:"tokens of the request that are not active, since the chain does not say what they have; absent: all are"`
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
	Ticker     string          `json:"ticker" doc:"of the token, as ATOM-IBC_IRIS"`
	Activation tokenActivation `json:"activation_params" default:"{}" doc:"how to activate it"`
}

func (t Cosmos) enableToken(ctx context.Context, p enableCosmosTokenParams) (enabledToken, error) {
	done, err := t.Activator.ActivateToken(ctx, p.Activation.request(p.Ticker))
	if err != nil {
		return enabledToken{}, tokenActivationFailure(p.Ticker, err)
	}
	return viewToken(done), nil
}
