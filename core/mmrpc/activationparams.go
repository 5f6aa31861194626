package mmrpc

import (
	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// This file has what the activations of all families take and give.

// tokensRequest is the spec's TokensRequest.
type tokensRequest struct {
	Ticker        string  `json:"ticker" doc:"of the token, as ATOM-IBC_IRIS"`
	Confirmations *uint64 `json:"required_confirmations" doc:"as of the platform; the coins file's, or else the platform's, when absent"`
}

// ethTokensRequest is a tokensRequest that may be of a custom token.
type ethTokensRequest struct {
	tokensRequest
	Protocol tokenProtocol `json:"protocol" rpc:"optional" doc:"of a token that the coins file does not have; it is active under ticker, and kept"`
}

func ethTokenRequests(list []ethTokensRequest) (tokens []account.TokenRequest) {
	for _, t := range list {
		tokens = append(tokens, account.TokenRequest{Ticker: t.Ticker, Confirmations: t.Confirmations, Protocol: t.Protocol.raw})
	}
	return tokens
}

func tokenRequests(list []tokensRequest) (tokens []account.TokenRequest) {
	for _, t := range list {
		tokens = append(tokens, account.TokenRequest{Ticker: t.Ticker, Confirmations: t.Confirmations})
	}
	return tokens
}

// coinNode is the spec's CoinNode.
type coinNode struct {
	URL          string `json:"url" doc:"of JSON-RPC, http or https, for EVM networks also ws or wss; a user and a password in it are sent as a header"`
	APIURL       string `json:"api_url" default:"" doc:"kept; a browser wallet that does not know the chain receives it"`
	GRPCURL      string `json:"grpc_url" default:"" doc:"kept, and not used"`
	WSURL        string `json:"ws_url" default:"" doc:"of the websocket, ws or wss; url with /websocket behind it when absent"`
	GatewayProxy bool   `json:"gateway_proxy" default:"false" doc:"requests are signed with the node's identity, for a gateway of Komodo DeFi Framework"`
	KomodoProxy  bool   `json:"komodo_proxy" default:"false" doc:"another name of gateway_proxy"`
}

func (n coinNode) node() nodepool.Node {
	return nodepool.Node{URL: n.URL, APIURL: n.APIURL, GRPCURL: n.GRPCURL, WSURL: n.WSURL, GatewayProxy: n.GatewayProxy || n.KomodoProxy}.Trimmed()
}

// customNetwork is an EVM network that the coins file does not have.
type customNetwork struct {
	ChainID uint64 `json:"chain_id" doc:"as test_coin_nodes reports it; a node with another one is left out"`
	Name    string `json:"name" default:"" doc:"for people"`
}

// entry makes the entry of the network's coin; nil: the request names no network.
func (n *customNetwork) entry(ticker string) func(*coin.Registry) (*coin.Entry, error) {
	if n == nil {
		return nil
	}
	return func(r *coin.Registry) (*coin.Entry, error) {
		return r.CustomNetwork(ticker, text.Clip(n.Name, 100), n.ChainID)
	}
}

// pathToAddress names an address of an HD wallet.
type pathToAddress struct {
	Account hdIndex   `json:"account_id" default:"0" doc:"number of the account"`
	Chain   pathChain `json:"chain" default:"External" doc:"External for addresses that are shown to others, or Internal"`
	Address hdIndex   `json:"address_id" default:"0" doc:"number of the address"`
}

// pathChain is the fourth number of a path, by its name.
type pathChain string

// Values implements rpc.Enum.
func (pathChain) Values() []string { return []string{"External", "Internal"} }

func (p pathToAddress) address() account.AddressPath {
	return account.AddressPath{Account: uint32(p.Account), Chain: p.Chain.chain(), Address: uint32(p.Address)}
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

// balanceInfo is the spec's balance info.
type balanceInfo struct {
	Spendable   string `json:"spendable" doc:"what can be sent, a decimal number"`
	Unspendable string `json:"unspendable" doc:"what is held but cannot be sent now, a decimal number"`
}

func infoOf(b coin.Balance) balanceInfo {
	return balanceInfo{b.Spendable.String(), b.Unspendable.String()}
}

// failedToken is a token of a request that is not active.
type failedToken struct {
	Ticker string `json:"ticker" doc:"as in the request"`
	Error  string `json:"error" doc:"what the chain says of the token, or does not say"`
}

func viewFailed(list []account.FailedToken) (all []failedToken) {
	for _, t := range list {
		all = append(all, failedToken{t.Ticker, wireText(t.Err)})
	}
	return all
}

type tokenActivation struct {
	Policy        PrivKeyPolicy `json:"priv_key_policy" rpc:"optional" doc:"a token has its platform's; another one than ContextPrivKey has to be that"`
	Confirmations *uint64       `json:"required_confirmations" doc:"confirmations that a transaction needs before others rely on it; the coins file's, or else the platform's, when absent"`
}

func (a tokenActivation) request(ticker string) account.TokenRequest {
	return account.TokenRequest{Ticker: ticker, Confirmations: a.Confirmations, Policy: a.Policy.ofPlatform()}
}

type enabledToken struct {
	Balances map[string]balanceInfo `json:"balances" doc:"by address"`
	Platform string                 `json:"platform_coin" doc:"ticker"`
}

func viewToken(done account.TokenActivated) enabledToken {
	return enabledToken{map[string]balanceInfo{done.Address: infoOf(done.Balance)}, done.Platform}
}
