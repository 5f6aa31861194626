package config

import (
	"encoding/json"

	"obverse/core/chain/params"
)

// Config is everything a user can set. It has the keys of Komodo DeFi Framework's MM2.json, so
// that such a file can be used unchanged, with additional objects for the daemon API and the
// token chain. Start from Default.
//
// The tags of a field describe its key, in this order:
//
//	key      its name; an object of keys is a struct
//	default  its value at first, as a command line would have it; without: zero
//	unset    what holds while it has no value, for the reference alone
//	is       the kind of value, one of those in kind.go; without: every value of the type
//	range    the least and the largest number: "0 to 9"
//	must     what the value has to be, if the kind does not say it; RANGE stands for range
//	new      "always" or "set" (if it has a value): it stands in a config that is written
//	reload   "yes": takes effect while the node runs
//	komodod  komodod's option for it
//	in       the platforms where it has an effect: native, edge, page; without: all
//	doc      what it is for
//
// A Secret is hidden wherever values are shown, comes from a variable of the environment
// too, and is drawn when a config is written.
type Config struct {
	GUI               string          `key:"gui" default:"obverse" new:"always" doc:"name of the user interface, as in KDF"`
	NetID             uint16          `key:"netid" default:"8762" range:"0 to 14428" must:"a whole number from RANGE" new:"always" in:"native" doc:"id of KDF's network, which determines the port of nodes whose version the node queries"`
	RPCIP             string          `key:"rpcip" default:"127.0.0.1" is:"IP address" new:"always" in:"native" doc:"address that the node API listens on"`
	RPCPort           int             `key:"rpcport" default:"7783" is:"port" new:"always" in:"native" doc:"port of the node API"`
	RPCLocalOnly      bool            `key:"rpc_local_only" default:"true" in:"native, edge" doc:"callers on other machines, if rpcip admits them, may only call public methods of the node API, and rpc.discover with the password; the daemon API at /daemon and, at the edge, /backup are refused. At the edge the default is false"`
	RPCCORS           string          `key:"rpccors" is:"origin" in:"native, edge" doc:"the one web origin whose pages may call the node, in addition to the wallet page that the node serves; * means none, with a warning"`
	RPCPassword       Secret          `key:"rpc_password" is:"secret" new:"always" doc:"userpass of the node API"`
	AllowWeakPassword bool            `key:"allow_weak_password" default:"false" doc:"allows passwords that break the rules for passwords"`
	HTTPS             bool            `key:"https" default:"false" is:"false" in:"native" doc:"true is refused, since TLS is left to a proxy"`
	EnableHD          bool            `key:"enable_hd" default:"false" doc:"the passphrase must be an English BIP 39 phrase, from which each coin gets its own keys"`
	Passphrase        Secret          `key:"passphrase" must:"a text: a passphrase, a WIF, or 0x and 64 hexadecimal digits" new:"always" unset:"no key" doc:"the key of the node, to which block 1 ties the store. Without a passphrase the node answers queries and makes no blocks. With wallet_name it may be a wallet file, as an object"`
	EncryptedPhrase   json.RawMessage // passphrase in the form of a wallet file
	WalletName        string          `key:"wallet_name" unset:"no wallet" is:"wallet name or none" new:"set" in:"native, page" doc:"opens the recovery phrase that is stored under this name, encrypted with wallet_password. If there is no such wallet, it is created with the phrase in passphrase or, without one, with a new phrase. Each wallet has its own store"`
	WalletPassword    Secret          `key:"wallet_password" must:"a text" unset:"no wallet" in:"native, page" doc:"password of the wallet that wallet_name names"`
	WordCount         int             `key:"word_count" default:"12" is:"word count" in:"native, page" doc:"number of words in a new recovery phrase"`
	AllowRegistration bool            `key:"allow_registrations" default:"true" in:"native, page" doc:"creates a wallet if no wallet has the name in wallet_name; false: such a start is refused"`
	DBDir             string          `key:"dbdir" unset:"$HOME/.obverse" is:"path" must:"a folder" new:"set" in:"native" doc:"data folder; --datadir and OBVERSE_DATADIR take precedence"`
	RequireStore      bool            `key:"require_store" default:"false" new:"set" in:"native" doc:"refuses to start without a store, unless --new-chain begins a new chain. It is true in configs that Obverse writes into a data folder"`
	Coins             json.RawMessage `key:"coins" unset:"built in" is:"coins" new:"set" reload:"yes" doc:"path of a coins file, or the list itself. Its entries take precedence over the built-in ones; an invalid entry is left out with a warning. Without this key a native node reads the file that MM_COINS_PATH names, else the file coins in the folder of the config"`
	CoinList          json.RawMessage // the list itself, after the platform has read it; nil if only the built-in list is used
	RestoreCoins      bool            `key:"restore_coins" default:"true" new:"always" doc:"activates the coins at start that were active before"`
	LightningIP       string          `key:"lightning_ip" is:"IP address or none" must:"an IP address on which Lightning nodes can connect, like 0.0.0.0, or empty for none" in:"native" doc:"address on which other Lightning nodes can connect; the port is the coin's listening_port"`
	TrezorEmulator    string          `key:"trezor_emulator" is:"host and port or none" in:"native" doc:"address of an emulator of Trezor's devices that accepts reports over UDP. The policy HardwareWallet uses it instead of the devices that Trezor Suite reaches; for tests"`
	LedgerEmulator    string          `key:"ledger_emulator" is:"host and port or none" in:"native" doc:"address of an emulator of Ledger's devices that speaks Speculos' protocol. The policy HardwareWallet uses it instead of the devices on USB; for tests"`
	WalletPage        bool            `key:"wallet_page" default:"true" in:"native" doc:"serves the wallet page at / of the node API's port"`
	StrictParams      bool            `key:"strict_params" default:"false" doc:"the node API refuses unknown parameters; otherwise it ignores and counts them. Methods that have no parameters in KDF always ignore them"`
	MaxRequestBytes   int64           `key:"max_request_bytes" default:"8388608" range:"1024 to 1073741824" doc:"largest request body in bytes; a larger one is answered 413"`
	BehindProxy       bool            `key:"behind_proxy" default:"false" in:"native" doc:"every caller counts as remote; needed for a proxy or relay on this machine that adds no header"`
	AllowedHosts      []string        `key:"allowed_hosts" is:"hosts" must:"a list of host names without ports, like [\"node.local\"]" in:"native" doc:"names by which clients may call this machine, in addition to loopback and the listening address"`
	LogLevel          string          `key:"log_level" default:"info" is:"log level" reload:"yes" doc:"lowest level that is logged; at info there is a line for each request, without parameters"`
	LogFile           string          `key:"log_file" unset:"standard error" is:"path" must:"the path of a file, or empty for standard error" reload:"yes" in:"native" doc:"file for the log (mode 0600); a line that cannot be written to it goes to standard error"`
	Events            Events          `key:"event_streaming_configuration"`
	NFT               NFT             `key:"nft"`
	Prices            Prices          `key:"prices"`
	WalletConnect     WalletConnect   `key:"walletconnect"`
	Daemon            Daemon          `key:"daemon"`
	Chain             Chain           `key:"chain"`
	Validator         Validator       `key:"validator"`
}

// Events holds the settings of the event stream.
type Events struct {
	WorkerPath  string `key:"worker_path" default:"event_streaming_worker.js" must:"a path" in:"page" doc:"script of the worker that receives the events"`
	AllowOrigin string `key:"access_control_allow_origin" unset:"that of rpccors" is:"origin" in:"native, edge" doc:"the one web origin whose pages may read events; * means none"`
}

// NFT holds the settings for requests to the URLs of NFTs.
type NFT struct {
	PrivateHosts []string `key:"private_hosts" is:"hosts" doc:"hosts outside the public internet from which URLs of NFTs may be fetched, for tests and services of your own"`
	IPFSGateways []string `key:"ipfs_gateways" unset:"https://ipfs.io/ipfs/ and two more" is:"URLs" doc:"the addresses put before ipfs:// paths, in the order in which they are tried"`
}

// Prices holds the settings of the price service. The service is not called before a client
// calls get_prices.
type Prices struct {
	Service string `key:"service" default:"coingecko" is:"price service" doc:"service that the node queries for prices of coins when a client calls get_prices or get_prices_at. The requests contain coins, but no addresses. off: no requests are sent and every price is unknown"`
	URL     string `key:"url" unset:"that of the service" is:"price URL or none" doc:"URL of the price service: https://api.coingecko.com/api/v3 or, with service komodo, the URL of its list of tickers"`
}

// WalletConnect holds the settings of the WalletConnect relay.
type WalletConnect struct {
	RelayURL  string `key:"relay_url" default:"wss://relay.walletconnect.org" is:"relay" doc:"relay over which the node reaches WalletConnect 2.0 wallets"`
	AppURL    string `key:"app_url" unset:"the page's origin; http://localhost elsewhere" is:"app URL" doc:"web page that wallets display as the origin of requests"`
	ProjectID string `key:"project_id" unset:"no sessions" is:"project id" doc:"id of your project at the relay, from the relay's operator (cloud.reown.com); the policy SessionWallet and the methods wc_* need one"`
}

// Daemon holds the settings of the daemon API.
type Daemon struct {
	RPCIP       string `key:"rpcip" default:"127.0.0.1" is:"IP address" new:"always" komodod:"rpcbind" in:"native" doc:"address that the daemon API listens on"`
	RPCPort     int    `key:"rpcport" default:"7771" is:"port" new:"always" komodod:"rpcport" in:"native" doc:"port of the daemon API"`
	RPCUser     string `key:"rpcuser" default:"obverse" is:"user" new:"always" komodod:"rpcuser" in:"native, edge" doc:"user of the Basic credential"`
	RPCPassword Secret `key:"rpcpassword" must:"a text, or empty for a cookie" new:"always" unset:"a cookie" komodod:"rpcpassword" in:"native, edge" doc:"password of the Basic credential. Without a password, each start writes .cookie into the data folder (user __cookie__, mode 0600), which daemon.curl and obverse call use; the file is removed when the node stops"`
	PubKey      string `key:"pubkey" is:"public key" komodod:"pubkey" doc:"must be the public key of the passphrase"`
	KomodoConf  bool   `key:"komodo_conf" default:"false" new:"set" in:"native" doc:"writes ~/.komodo/NAME/NAME.conf (mode 0600) at each start, for clients of komodod"`
}

// Chain holds the settings of the token chain: komodod's options, and those of block
// production.
type Chain struct {
	Options           params.Options // ac_* and regtest
	Engine            string         `key:"engine" default:"solo" is:"engine" new:"always" doc:"block production of a node that obverse serve starts; obverse validator ignores this key"`
	BlockInterval     float64        `key:"blockinterval" default:"1" range:"0 to 3600" must:"a number of seconds from RANGE" new:"always" doc:"minimum number of seconds between blocks; a block is made only when transactions wait"`
	RelayFee          int64          `key:"relayfee" default:"100" range:"0 to 1000000" must:"a whole number of satoshis from RANGE" doc:"minimum fee of a transaction in satoshis for 1000 bytes; not under regtest"`
	LimitFreeRelay    int            `key:"limitfreerelay" default:"15" range:"0 to 100000" must:"a whole number from RANGE" komodod:"limitfreerelay" doc:"number of thousand bytes a minute that may pay a lower fee; only for transactions that spend coins of the node's key, or that other validators have accepted"`
	AllowUnheldTokens bool           `key:"allow_unheld_tokens" default:"false" doc:"tokencreate builds a non-fungible token even if the data begins with 00 or f2, as komodod does; no key holds such a token"`
	DataCarrierSize   int            `key:"datacarriersize" default:"208" range:"0 to 10000" must:"a whole number of bytes from RANGE" new:"always" komodod:"datacarriersize" doc:"largest OP_RETURN script that is relayed, in bytes"`
}

// Validator holds the settings of a node that is one of several validators.
type Validator struct {
	Listen   string   `key:"listen" unset:"127.0.0.1:26656" is:"host and port or none" new:"set" in:"native" doc:"address that the nodes of other validators connect to (obverse validator)"`
	External string   `key:"external_address" unset:"that of listen" is:"host and port or none" new:"set" in:"native" doc:"address by which the other nodes reach this node, if it differs from listen"`
	Peers    []string `key:"peers" is:"peers" new:"set" in:"native" doc:"nodes to which this node stays connected"`
	RPC      string   `key:"rpc" unset:"none" is:"host and port or none" new:"set" in:"native" doc:"address of CometBFT's own interface, for CometBFT's tools and for nodes that join with a snapshot. Like the node's other ports it refuses web pages, and requests for other hosts than its address and the names in allowed_hosts. With abci, it is the interface of the CometBFT that you run"`
	Signer   string   `key:"signer" unset:"the key in cometbft/config/priv_validator_key.json" is:"host and port or none" new:"set" in:"native" doc:"address on which a remote signer of the validator's key connects"`
	ABCI     string   `key:"abci" unset:"CometBFT runs in the node" is:"host and port or none" new:"set" in:"native" doc:"address on which a CometBFT that you run connects to the node"`
	// A node that starts from a snapshot trusts one header of the chain.
	TrustHeight  int64    `key:"trust_height" range:"0 to 9000000000000000000" new:"set" in:"native" doc:"height, as CometBFT counts it, of a header that you trust; a new node joins with a snapshot of a later height. 0: a new node replays all blocks"`
	TrustHash    string   `key:"trust_hash" is:"header hash" new:"set" in:"native" doc:"hash of the header at trust_height"`
	TrustServers []string `key:"trust_servers" is:"URLs" must:"a list of URLs of http or https, like [\"http://198.51.100.4:26657\"]" new:"set" in:"native" doc:"at least two nodes with validator.rpc whose headers a new node compares"`
}

// LogLevels returns the values of log_level, the quietest first.
func LogLevels() []string { return []string{"error", "warn", "info", "debug"} }

// PriceServices returns the values of prices.service.
func PriceServices() []string { return []string{"coingecko", "komodo", "off"} }

// Default returns the config of a node that listens on the loopback interface, with the token
// chain OBVERSE and without secrets.
func Default() Config {
	var c Config
	for _, k := range settings() {
		if k.Default != "" && decode(quote(k.Default), c.at(k).Addr().Interface()) != nil {
			panic("config: the default of " + k.Name + " is not an allowed value")
		}
	}
	c.Chain.Options = defaultChain()
	return c
}

func defaultChain() params.Options {
	o := params.Defaults()
	o.Name, o.Supply, o.Reward = "OBVERSE", 100_000, []uint64{100_000_000}
	o.CC, o.Sapling, o.NK = 2, 1, []uint64{200, 9}
	return o
}

// EventOrigin returns the web origin whose pages may read events: the origin in the event
// settings or, without one, the origin that may call methods. "*" means no origin, since
// otherwise any site could read the events of a node on the user's machine.
func (c *Config) EventOrigin() string {
	if o := c.Events.AllowOrigin; o != "" && o != anyOrigin {
		return o
	}
	return c.CallOrigin()
}

// CallOrigin returns the web origin whose pages may call methods, or "" for no origin. "*"
// means no origin, since otherwise any site could try passwords on a node on the user's
// machine.
func (c *Config) CallOrigin() string {
	if c.RPCCORS == anyOrigin {
		return ""
	}
	return c.RPCCORS
}

// CoinsPath returns the path of the coins file. It returns "" if the config contains the list
// itself or has no path.
func (c *Config) CoinsPath() (path string) {
	if json.Unmarshal(c.Coins, &path) != nil {
		return ""
	}
	return path
}

// anyOrigin is Komodo DeFi Framework's default for the event stream. Many users also set it for
// calls.
const anyOrigin = "*"
