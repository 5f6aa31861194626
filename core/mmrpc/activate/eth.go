package activate

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/history"
	"obverse/core/wallet/hd"
)

// Eth is the area of the methods that activate coins of EVM networks.
type Eth struct {
	Activator *evm.Activator
	Tasks     *task.Manager
}

// Methods implements Area.
func (e Eth) Methods() []rpc.Method {
	return append(append([]rpc.Method{
		rpc.Handle("enable_eth_with_tokens", rpc.Doc{Whole: true,
			Summary: "Activate an EVM network with ERC-20 tokens and NFTs",
			Detail: "If the method fails, nothing is activated. It skips a token whose contract does not return its balance or decimals, and lists it in failed_tokens. It excludes a node that does not respond or is on another network, as " +
				"long as another one responds. After a restart, the node activates the same coins again in the background; " +
				"until the user enables a coin again, this method replaces its nodes and parameters.",
			Category: wire.CategoryEth,
		}, e.enable).Raises(ethKinds()...),
		rpc.Handle("enable_erc20", rpc.Doc{Whole: true,
			Summary: "Activate an ERC-20 token on an active network",
			Detail: "With protocol, the token need not be in the coins file: the node reads its decimals from the contract, see get_token_info. The token retains its ticker, " +
				"also after a restart, until it is disabled.",
			Category: wire.CategoryEth,
		}, e.enableToken).Raises(wire.Kinds(mmerr.TokenIsAlreadyActivated, mmerr.TokenConfigIsNotFound, mmerr.TokenProtocolParseError,
			mmerr.UnexpectedTokenProtocol, mmerr.PlatformCoinIsNotActivated, mmerr.UnsupportedPlatformCoin, mmerr.CustomTokenError,
			mmerr.CouldNotFetchBalance, mmerr.NoTokenContract, mmerr.InvalidTokenProtocol)...),
		rpc.Handle("enable", rpc.Doc{Whole: true,
			Summary: "Activate a coin of an EVM network, for older clients", Category: wire.CategoryEth, Legacy: true,
		}, e.enableOlder).Raises(append(ethKinds(), wire.Kinds(mmerr.NoSuchCoin, mmerr.Transport)...)...),
	}, ethTask().Methods(e.Tasks, rpc.Handle(ethTask().Name+"::init", rpc.Doc{
		Summary:  "Start to activate an EVM network with ERC-20 tokens and NFTs",
		Detail:   "See enable_eth_with_tokens. For clients that display the requests of a hardware wallet or a browser wallet.",
		Category: wire.CategoryEth,
	}, e.begin).Raises(ethKinds()...))...), e.tokenTasks()...)
}

func ethKinds() []rpc.ErrorKind {
	return append(wire.Kinds(mmerr.PlatformIsAlreadyActivated, mmerr.PlatformConfigIsNotFound, mmerr.CoinProtocolParseError,
		mmerr.UnexpectedPlatformProtocol, mmerr.PlatformCoinCreationError, mmerr.UnexpectedDerivationMethod, mmerr.InvalidPayload, mmerr.AtLeastOneNodeRequired,
		mmerr.TokenConfigIsNotFound, mmerr.TokenProtocolParseError, mmerr.UnexpectedTokenProtocol, mmerr.UnsupportedPlatformCoin, mmerr.CustomTokenError,
		mmerr.NoTokenContract, mmerr.ActivationTransport, mmerr.DbError), wire.KeyKinds()...)
}

// ethTask returns the kind of tasks that activate EVM networks.
func ethTask() wire.TaskKind {
	return activationTask("task::enable_eth", wire.CategoryEth, "the activation of an EVM network", "enable_eth_with_tokens")
}

type enableEthParams struct {
	Ticker        string             `json:"ticker" doc:"ticker of the network's coin, such as ETH or MATIC"`
	MM2           MM2                `json:"mm2" rpc:"optional" doc:"whether the coin is expected to work; required if the coins file does not contain it"`
	Nodes         []coinNode         `json:"nodes" default:"[]" doc:"nodes of the network, one or more"`
	Network       *customNetwork     `json:"network" doc:"parameters of a network that is not in the coins file; the node stores it under ticker"`
	RPCMode       ethRPCMode         `json:"rpc_mode" default:"Default" doc:"Metamask is allowed with the policy BrowserWallet and has no effect; Http is an older name of Default"`
	Swap          string             `json:"swap_contract_address" doc:"swap contract; validated and stored"`
	Fallback      string             `json:"fallback_swap_contract" default:"" doc:"another swap contract; validated and stored"`
	Tokens        []ethTokensRequest `json:"erc20_tokens_requests" doc:"tokens to activate with the coin; may be empty"`
	NFT           nftProvider        `json:"nft_req" rpc:"optional" doc:"also activate the network's NFTs with this indexer; their ticker is NFT_ and the network's ticker"`
	Confirmations *uint64            `json:"required_confirmations" doc:"confirmations that a transaction needs before others rely on it; by default from the coins file, or 1"`
	Balances      bool               `json:"get_balances" default:"true" doc:"include balances; without them, the method returns sooner"`
	Path          pathToAddress      `json:"path_to_address" default:"{}" doc:"address of an HD wallet that becomes the coin's own"`
	GasPolicy     wire.GasPolicy     `json:"swap_gas_fee_policy" default:"Legacy" doc:"see set_swap_gas_fee_policy"`
	History       bool               `json:"tx_history" default:"false" doc:"load the transactions of the address, see my_tx_history"`
	Indexer       historyIndexer     `json:"history_indexer" rpc:"optional" doc:"indexer for tx_history; without it, the history contains the transactions sent by this node and the token transfers in the nodes' logs"`
	accountsParams
	PolicyParams
	ethIgnored
}

// ethIgnored holds parameters of Komodo DeFi Framework that have no effect here.
type ethIgnored struct {
	SwapV2       wire.IgnoredParam `json:"swap_v2_contracts" rpc:"optional" doc:"not used: contracts of another kind of swap"`
	Watchers     bool              `json:"contract_supports_watchers" default:"false" doc:"not used: whether others may finish swaps"`
	Notarization bool              `json:"requires_notarization" default:"false" doc:"not used: these networks have none"`
	GasURL       wire.IgnoredParam `json:"gas_station_url" rpc:"optional" doc:"ignored: gas prices come from the nodes"`
	GasDecimals  wire.IgnoredParam `json:"gas_station_decimals" rpc:"optional" doc:"not used, as gas_station_url"`
	GasPolicy    wire.IgnoredParam `json:"gas_station_policy" rpc:"optional" doc:"not used, as gas_station_url"`
}

// ethRPCMode determines who communicates with the network.
type ethRPCMode string

const metamaskMode ethRPCMode = "Metamask"

// Values implements rpc.Enum.
func (ethRPCMode) Values() []string { return []string{"Default", "Http", string(metamaskMode)} }

type enabledEth struct {
	Block  uint64               `json:"current_block" doc:"height of the newest block"`
	Ticker string               `json:"ticker,omitempty" doc:"with enable_hd and the node's key: ticker as in the request"`
	Wallet *hdWallet            `json:"wallet_balance,omitempty" doc:"with ticker: all accounts, regardless of get_balances"`
	Coins  map[string]ethCoin   `json:"eth_addresses_infos,omitzero" doc:"without ticker: by address with the checksum of EIP-55"`
	Tokens map[string]ethTokens `json:"erc20_addresses_infos,omitzero" doc:"without ticker: by the same address"`
	NFTs   map[string]nftEntry  `json:"nfts_infos" doc:"with nft_req: by address of the contract, a comma, and id"`
	Failed []failedToken        `json:"failed_tokens,omitempty" doc:"tokens that were not activated because their contracts do not return the required data; absent if all are active"`
}

// hdWallet lists the accounts of an HD wallet.
type hdWallet struct {
	Type     string           `json:"wallet_type" doc:"HD"`
	Accounts []wire.HDAccount `json:"accounts"`
}

func viewHDWallet(list []hd.Account) *hdWallet {
	w := &hdWallet{Type: "HD"}
	for _, a := range list {
		w.Accounts = append(w.Accounts, wire.ViewHDAccount(a))
	}
	return w
}

// ethOwner is the owner of the activated coins.
type ethOwner struct {
	Derivation ethDerivation `json:"derivation_method"`
	PublicKey  string        `json:"pubkey" doc:"uncompressed public key in hexadecimal; empty if an external wallet does not return it"`
}

type ethDerivation struct {
	Type string `json:"type" doc:"Iguana: the node has one key, or HDWallet"`
	Data string `json:"data,omitempty" doc:"HDWallet: path of the address"`
}

type ethCoin struct {
	ethOwner
	Balances *wire.BalanceInfo `json:"balances,omitempty" doc:"with get_balances"`
}

type ethTokens struct {
	ethOwner
	Balances map[string]wire.BalanceInfo `json:"balances,omitzero" doc:"by ticker, with get_balances"`
	Tickers  []string                    `json:"tickers,omitzero" doc:"the tokens, without get_balances"`
}

func (e Eth) enable(ctx context.Context, p enableEthParams) (enabledEth, error) {
	request, err := e.request(p)
	if err != nil {
		return enabledEth{}, err
	}
	return e.activate(ctx, request)
}

// begin starts enable as a task.
func (e Eth) begin(ctx context.Context, p enableEthParams) (wire.StartedTask, error) {
	request, err := e.request(p)
	if err != nil {
		return wire.StartedTask{}, err
	}
	return begin(ctx, ethTask(), e.Tasks, e.Activator.Config, request.Request, func(ctx context.Context) (any, error) { return e.activate(ctx, request) })
}

// request converts the parameters to those of the activator.
func (e Eth) request(p enableEthParams) (request evm.Params, err error) {
	policy, err := p.choice()
	if err == nil {
		err = p.Path.possible(policy, e.Activator.HD)
	}
	if err != nil {
		return request, err
	}
	if p.RPCMode == metamaskMode && policy.Name() != key.NameBrowserWallet {
		return request, CreationFailure(p.Ticker, errMetamask)
	}
	if p.NFT.provider != nil {
		if err := p.NFT.check("nft_req.provider"); err != nil {
			return request, err
		}
	}
	request = evm.Params{
		Request: account.Request{Ticker: p.Ticker, Policy: policy, Path: p.Path.address(), Tokens: ethTokenRequests(p.Tokens), Balances: p.Balances, HD: p.accountsParams.options(),
			Expected: func(entry *coin.Entry) error { return CheckMM2(p.Ticker, p.MM2, entry) }},
		Options: evm.Options{Contracts: evm.Contracts{Swap: p.Swap, Fallback: p.Fallback}, Confirmations: p.Confirmations, Gas: p.GasPolicy.Saved(), History: p.History, Indexer: p.Indexer.of},
		NFTs:    p.NFT.provider,
	}
	request.Custom = p.Network.entry(p.Ticker)
	for _, n := range p.Nodes {
		node := n.node()
		node.APIURL, node.GRPCURL = "", "" // EVM networks do not have these URLs
		request.Nodes = append(request.Nodes, node)
	}
	return request, nil
}

func (e Eth) activate(ctx context.Context, p evm.Params) (enabledEth, error) {
	done, err := e.Activator.Activate(ctx, p)
	if err != nil {
		return enabledEth{}, ActivationFailure(p.Ticker, err)
	}
	if done.Accounts != nil {
		return enabledEth{Block: done.Height, Ticker: p.Ticker, Wallet: viewHDWallet(done.Accounts), NFTs: viewNFTs(done.NFTs), Failed: viewFailed(done.Failed)}, nil
	}
	return viewEth(done, p.Balances), nil
}

var errMetamask = errors.New(`priv_key_policy="Metamask" and rpc_mode="Metamask" should be used both`)

func viewEth(done evm.Activated, balances bool) enabledEth {
	owner := ethOwner{Derivation: ethDerivation{Type: "Iguana"}}
	if done.Owner.Path != nil {
		owner.Derivation = ethDerivation{"HDWallet", done.Owner.Path.String()}
	}
	if done.Owner.PublicKey != nil {
		if all, err := address.Uncompress(*done.Owner.PublicKey); err == nil { // cannot fail, since the key has an address
			owner.PublicKey = hex.EncodeToString(all[:])
		}
	}
	native, tokens := ethCoin{ethOwner: owner}, ethTokens{ethOwner: owner}
	if balances {
		balance := wire.InfoOf(done.Balance)
		native.Balances, tokens.Balances = &balance, map[string]wire.BalanceInfo{}
		for _, token := range done.Tokens {
			tokens.Balances[token.Ticker] = wire.InfoOf(token.Balance)
		}
	} else {
		tokens.Tickers = []string{}
		for _, token := range done.Tokens {
			tokens.Tickers = append(tokens.Tickers, token.Ticker)
		}
	}
	at := done.Owner.Address
	return enabledEth{Block: done.Height, Coins: map[string]ethCoin{at: native}, Tokens: map[string]ethTokens{at: tokens}, NFTs: viewNFTs(done.NFTs), Failed: viewFailed(done.Failed)}
}

type enableERC20Params struct {
	Ticker     string             `json:"ticker" doc:"ticker of the token, such as BAT-ERC20"`
	Activation tokenActivation    `json:"activation_params" default:"{}" doc:"parameters of the activation"`
	Protocol   wire.TokenProtocol `json:"protocol" rpc:"optional" doc:"protocol of a token that is not in the coins file; the node stores it under ticker"`
}

type enabledERC20 struct {
	enabledToken
	Contract      string `json:"token_contract_address" doc:"in lower case"`
	Confirmations uint64 `json:"required_confirmations"`
}

func (e Eth) enableToken(ctx context.Context, p enableERC20Params) (enabledERC20, error) {
	if err := p.Protocol.Check(p.Ticker, e.Activator.Registry); err != nil {
		return enabledERC20{}, err
	}
	request := p.Activation.request(p.Ticker)
	request.Protocol = p.Protocol.Raw
	done, err := e.Activator.ActivateToken(ctx, request)
	if err != nil {
		return enabledERC20{}, tokenActivationFailure(p.Ticker, err)
	}
	return enabledERC20{viewToken(done.TokenActivated), done.Contract.Plain(), done.Confirmations}, nil
}

// historyIndexer is an indexer that lists the transactions of addresses on an EVM network.
type historyIndexer struct{ of *history.Explorer }

const wantIndexer = "an object with the type Blockscout (API v2), Etherscan (its API, and others like it) or EtherscanProxy, and a url of http or https"

// UnmarshalParam implements rpc.Unmarshaler. The URL may contain a key, so errors do not
// contain it.
func (i *historyIndexer) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	members, err := wire.Object(raw, wantIndexer, "type", "url", "token_url")
	if err != nil {
		return err
	}
	var read [3]string
	for n, name := range []string{"type", "url", "token_url"} {
		switch {
		case members[name] == nil && name == "token_url":
			continue
		case members[name] == nil:
			return &rpc.ParamError{Path: name, Want: wantIndexer, Err: rpc.ErrMissing}
		}
		if read[n], err = wire.Unquote(members[name], wantIndexer); err != nil {
			return wire.Below(name, err)
		}
	}
	e := history.Explorer{Kind: history.ExplorerKind(read[0]), URL: read[1], Tokens: read[2]}
	if err := e.Check(); err != nil {
		at := "url"
		if errors.Is(err, history.ErrExplorerKind) {
			at = "type"
		}
		return &rpc.ParamError{Path: at, Want: wantIndexer, Got: "another string", Err: err}
	}
	i.of = &e
	return nil
}

// JSONSchema implements rpc.Described.
func (historyIndexer) JSONSchema() *rpc.Schema {
	kinds := &rpc.Schema{Type: "string", Enum: []string{string(history.Blockscout), string(history.Etherscan), string(history.EtherscanProxy)}}
	return &rpc.Schema{Type: "object", Description: wantIndexer, Required: []string{"type", "url"},
		Properties: rpc.Properties{{Name: "type", Schema: kinds}, {Name: "url", Schema: &rpc.Schema{Type: "string"}},
			{Name: "token_url", Schema: &rpc.Schema{Type: "string", Description: "EtherscanProxy: for tokens"}}}}
}
