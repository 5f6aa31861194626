package activate

import (
	"encoding/json"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/net/nodepool"
	"obverse/core/rpc"
	"obverse/core/text"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// This file contains parameters and results that the activations of all families share.

// tokensRequest is a token in the request of a platform's activation.
type tokensRequest struct {
	Ticker        string  `json:"ticker" doc:"ticker of the token, such as ATOM-IBC_IRIS"`
	Confirmations *uint64 `json:"required_confirmations" doc:"as of the platform; the coins file's, or else the platform's, when absent"`
}

// ethTokensRequest is a tokensRequest that can also describe a custom token.
type ethTokensRequest struct {
	tokensRequest
	Protocol wire.TokenProtocol `json:"protocol" rpc:"optional" doc:"protocol of a token that is not in the coins file; the node stores it under ticker"`
}

func ethTokenRequests(list []ethTokensRequest) (tokens []account.TokenRequest) {
	for _, t := range list {
		tokens = append(tokens, account.TokenRequest{Ticker: t.Ticker, Confirmations: t.Confirmations, Protocol: t.Protocol.Raw})
	}
	return tokens
}

func tokenRequests(list []tokensRequest) (tokens []account.TokenRequest) {
	for _, t := range list {
		tokens = append(tokens, account.TokenRequest{Ticker: t.Ticker, Confirmations: t.Confirmations})
	}
	return tokens
}

// coinNode is a node in a request.
type coinNode struct {
	URL          string `json:"url" doc:"of JSON-RPC, http or https, for EVM networks also ws or wss; a user and a password in it are sent as a header"`
	APIURL       string `json:"api_url" default:"" doc:"kept; a browser wallet that does not know the chain receives it"`
	GRPCURL      string `json:"grpc_url" default:"" doc:"stored, but not used"`
	WSURL        string `json:"ws_url" default:"" doc:"of the websocket, ws or wss; url with /websocket behind it when absent"`
	GatewayProxy bool   `json:"gateway_proxy" default:"false" doc:"requests are signed with the node's identity, for a gateway of Komodo DeFi Framework"`
	KomodoProxy  bool   `json:"komodo_proxy" default:"false" doc:"same as gateway_proxy"`
}

func (n coinNode) node() nodepool.Node {
	return nodepool.Node{URL: n.URL, APIURL: n.APIURL, GRPCURL: n.GRPCURL, WSURL: n.WSURL, GatewayProxy: n.GatewayProxy || n.KomodoProxy}.Trimmed()
}

// customNetwork is an EVM network that is not in the coins file.
type customNetwork struct {
	ChainID uint64 `json:"chain_id" doc:"as test_coin_nodes reports it; a node with another one is left out"`
	Name    string `json:"name" default:"" doc:"for people"`
}

// entry returns a function that creates the entry of the network's coin, or nil if the request
// does not define a network.
func (n *customNetwork) entry(ticker string) func(*coin.Registry) (*coin.Entry, error) {
	if n == nil {
		return nil
	}
	return func(r *coin.Registry) (*coin.Entry, error) {
		return r.CustomNetwork(ticker, text.Clip(n.Name, 100), n.ChainID)
	}
}

// pathToAddress identifies an address of an HD wallet.
type pathToAddress struct {
	Account wire.HDIndex   `json:"account_id" default:"0" doc:"index of the account"`
	Chain   wire.PathChain `json:"chain" default:"External" doc:"External for addresses that are shown to others, or Internal"`
	Address wire.HDIndex   `json:"address_id" default:"0" doc:"number of the address"`
}

func (p pathToAddress) address() account.AddressPath {
	return account.AddressPath{Account: uint32(p.Account), Chain: p.Chain.Chain(), Address: uint32(p.Address)}
}

// possible returns an error for an address that cannot be derived from the node's own key.
// Without an HD wallet, this key is used for all paths, so the address would be that of another
// path.
func (p pathToAddress) possible(policy key.Policy, hd bool) error {
	if hd || policy.Name() != key.NameContextPrivKey || p == (pathToAddress{Chain: "External"}) {
		return nil
	}
	return mmerr.UnexpectedDerivationMethod.New("ExpectedHDWallet", "Unexpected derivation method: Expected 'HDWallet' derivationMethod "+
		"(path_to_address names another address than the first, and the node has one key for all: start it with enable_hd)")
}

// failedToken is a token in a request that could not be activated.
type failedToken struct {
	Ticker string `json:"ticker" doc:"as in the request"`
	Error  string `json:"error" doc:"what the chain says of the token, or does not say"`
}

func viewFailed(list []account.FailedToken) (all []failedToken) {
	for _, t := range list {
		all = append(all, failedToken{t.Ticker, wire.Text(t.Err)})
	}
	return all
}

type tokenActivation struct {
	Policy        PrivKeyPolicy `json:"priv_key_policy" rpc:"optional" doc:"a token has its platform's; another one than ContextPrivKey has to be that"`
	Confirmations *uint64       `json:"required_confirmations" doc:"confirmations that a transaction needs before others rely on it; the coins file's, or else the platform's, when absent"`
}

func (a tokenActivation) request(ticker string) account.TokenRequest {
	return account.TokenRequest{Ticker: ticker, Confirmations: a.Confirmations, Policy: a.Policy.platformPolicy()}
}

type enabledToken struct {
	Balances map[string]wire.BalanceInfo `json:"balances" doc:"by address"`
	Platform string                      `json:"platform_coin" doc:"ticker"`
}

func viewToken(done account.TokenActivated) enabledToken {
	return enabledToken{map[string]wire.BalanceInfo{done.Address: wire.InfoOf(done.Balance)}, done.Platform}
}

// addressCount is the minimum number of known addresses.
type addressCount uint32

// UnmarshalParam implements rpc.Unmarshaler.
func (c *addressCount) UnmarshalParam(raw json.RawMessage) error {
	return wire.BoundedParam((*uint32)(c), raw, 0, hd.MaxAddresses)
}

// JSONSchema implements rpc.Described.
func (addressCount) JSONSchema() *rpc.Schema { return wire.BoundedSchema(0, hd.MaxAddresses) }

// scanPolicy determines when an activation searches for used addresses.
type scanPolicy string

// Values implements rpc.Enum.
func (scanPolicy) Values() []string {
	return []string{string(hd.DoNotScan), string(hd.ScanIfNewWallet), string(hd.Scan)}
}

// accountsParams are the parameters of activations for HD wallets.
type accountsParams struct {
	Policy       scanPolicy    `json:"scan_policy" default:"scan_if_new_wallet" doc:"when to look for used addresses of an HD wallet: scan, before each activation; scan_if_new_wallet, before the first"`
	MinAddresses addressCount  `json:"min_addresses_number" rpc:"optional" doc:"how many addresses of an HD wallet's account are known afterwards, at least"`
	Gap          wire.GapLimit `json:"gap_limit" rpc:"optional" doc:"how many unused addresses in a row end a scan; 20 when absent"`
}

// options returns the parameters as options. It returns nil for older methods, which do not
// support accounts.
func (p accountsParams) options() *hd.Options {
	if p.Policy == "" {
		return nil
	}
	return &hd.Options{Policy: hd.Policy(p.Policy), MinAddresses: uint32(p.MinAddresses), Gap: uint32(p.Gap)}
}
