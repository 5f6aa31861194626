package config

import (
	"encoding/json"
	"slices"
	"strings"

	"obverse/core/chain/params"
)

// Config is everything a user can set. Its keys are those of Komodo DeFi
// Framework's MM2.json, so that such a file works as it is, with one object for
// interface A and one for the token chain. Start from Default.
type Config struct {
	GUI               string          // free text, shown in statistics
	NetID             uint16          // network of the node
	RPCIP             string          // address that interface B listens on
	RPCPort           int             // 0 means any free port
	RPCLocalOnly      bool            // only public methods answer other hosts
	RPCCORS           string          // as in the file, see Config.CallOrigin
	RPCPassword       Secret          // userpass of interface B
	AllowWeakPassword bool            // lifts the policy of CheckPassword
	HTTPS             bool            // refused: TLS is a proxy's work
	EnableHD          bool            // the passphrase is a mnemonic, each coin has keys of its own
	Passphrase        Secret          // as key.Open takes it; "" means no key
	DBDir             string          // data folder when no other is named
	Coins             json.RawMessage // a JSON string, the path of the list, or the list; may be nil
	CoinList          json.RawMessage // no key: the list itself once the platform has read it; nil: the built-in one alone
	RestoreCoins      bool            // activate at start what was active
	LightningIP       string          // address that Lightning nodes can connect to; "": none
	WalletPage        bool            // natively, serve the wallet page on the port of interface B
	StrictParams      bool            // interface B refuses unknown parameters
	MaxRequestBytes   int64           // larger request bodies are answered 413
	BehindProxy       bool            // nobody counts as a program on this machine
	AllowedHosts      []string        // Host headers accepted beside loopback and the listening address
	LogLevel          string          // least level that is logged, one of LogLevels
	LogFile           string          // natively, where log lines go; "": standard error
	Events            Events
	NFT               NFT
	Daemon            Daemon
	Chain             Chain
}

// Events is the `event_streaming_configuration` object: who else may read the
// event stream.
type Events struct {
	WorkerPath  string // in a page: the script of the worker that is sent the events
	AllowOrigin string // as in the file, see Config.EventOrigin
}

// NFT is the `nft` object: what the URLs of NFTs may lead to.
type NFT struct {
	PrivateHosts []string // names and addresses, without ports, beside the public internet
	IPFSGateways []string // what is put before ipfs paths, in the order in which they are tried; nil: the default ones
}

// Daemon is the `daemon` object: interface A.
type Daemon struct {
	RPCIP       string // address to listen on
	RPCPort     int    // 0 means any free port
	RPCUser     string // user of the Basic credential
	RPCPassword Secret // its password; unset: the platform makes one at each start
	PubKey      string // komodod's -pubkey: when set, it has to be the passphrase's
	KomodoConf  bool   // natively, write .komodo/NAME/NAME.conf in the home folder at each start
}

// Chain is the `chain` object: komodod's ac_* flags and how blocks are made.
type Chain struct {
	Options         params.Options // ac_* and regtest
	Engine          string         // who makes blocks: "solo"
	BlockInterval   float64        // seconds between blocks at least; 0 does not wait
	DataCarrierSize int            // bytes of an OP_RETURN script that are relayed
}

// LogLevels are the values of `log_level`, the quietest first.
func LogLevels() []string { return []string{"error", "warn", "info", "debug"} }

// Default is a node on loopback with the token chain OBVERSE and no secrets.
func Default() Config {
	return Config{
		GUI:             "obverse",
		NetID:           8762,
		RPCIP:           "127.0.0.1",
		RPCPort:         7783,
		RPCLocalOnly:    true,
		RestoreCoins:    true,
		WalletPage:      true,
		MaxRequestBytes: 8 << 20,
		LogLevel:        "info",
		Events:          Events{WorkerPath: "event_streaming_worker.js"},
		Daemon:          Daemon{RPCIP: "127.0.0.1", RPCPort: 7771, RPCUser: "obverse"},
		Chain:           Chain{Options: defaultChain(), Engine: "solo", BlockInterval: 1, DataCarrierSize: 208},
	}
}

func defaultChain() params.Options {
	o := params.Defaults()
	o.Name, o.Supply, o.Reward = "OBVERSE", 100_000, []uint64{100_000_000}
	o.CC, o.Sapling, o.NK = 2, 1, []uint64{200, 9}
	return o
}

// EventOrigin is the web origin whose pages may read events: the one of the event
// settings, else the one that may call. "*" is none: any site that its owner visits
// could read the events of a node on the same machine.
func (c *Config) EventOrigin() string {
	if o := c.Events.AllowOrigin; o != "" && o != anyOrigin {
		return o
	}
	return c.CallOrigin()
}

// CallOrigin is the one web origin whose pages may call; "" means none. "*" is none: any
// site that its owner visits could try passwords on a node on the same machine.
func (c *Config) CallOrigin() string {
	if c.RPCCORS == anyOrigin {
		return ""
	}
	return c.RPCCORS
}

// CoinsPath is the path of the coins file, "" when the config has the list itself or
// names none.
func (c *Config) CoinsPath() (path string) {
	if json.Unmarshal(c.Coins, &path) != nil {
		return ""
	}
	return path
}

// maxNetID is the largest netid of which Komodo DeFi Framework derives ports below 65536.
const maxNetID = 14428

// anyOrigin is Komodo DeFi Framework's default for the event stream, and what many set
// for calls.
const anyOrigin = "*"

// setting is one key of the config: where its value goes, and what is allowed.
type setting struct {
	key     string // dotted
	target  any    // pointer into the Config
	allowed string // completes "must be …"
	ok      bool   // the value there now is allowed
}

// settings lists every key except the chain's options, which params knows.
func (c *Config) settings() []setting {
	d, ch, e := &c.Daemon, &c.Chain, &c.Events
	const (
		yesNo  = "true or false"
		port   = "0 (any free port) or a port from 1024 to 65535"
		ip     = "an IP address to listen on, like 127.0.0.1"
		origin = "one origin like https://wallet.example, or empty"
	)
	return []setting{
		{"gui", &c.GUI, "a text", true},
		{"netid", &c.NetID, "a whole number from 0 to 14428, the last one whose ports exist", c.NetID <= maxNetID},
		{"rpcip", &c.RPCIP, ip, isIP(c.RPCIP)},
		{"rpcport", &c.RPCPort, port, isPort(c.RPCPort)},
		{"rpc_local_only", &c.RPCLocalOnly, yesNo, true},
		{"rpccors", &c.RPCCORS, origin, c.RPCCORS == "" || c.RPCCORS == anyOrigin || isOrigin(c.RPCCORS)},
		{"rpc_password", &c.RPCPassword, "a text that is not empty", c.RPCPassword.IsSet()},
		{"allow_weak_password", &c.AllowWeakPassword, yesNo, true},
		{"https", &c.HTTPS, "false: this node speaks plain HTTP, put a proxy with TLS in front of it", !c.HTTPS},
		{"enable_hd", &c.EnableHD, yesNo, true},
		{"passphrase", &c.Passphrase, "a text: a passphrase, a WIF, or 0x and 64 hexadecimal digits", true},
		{"dbdir", &c.DBDir, "a folder", true},
		{"coins", &c.Coins, "the path of a coins file or a list of coins", isPathOrList(c.Coins)},
		{"restore_coins", &c.RestoreCoins, yesNo, true},
		{"lightning_ip", &c.LightningIP, "an IP address on which Lightning nodes can connect, like 0.0.0.0, or empty for none",
			c.LightningIP == "" || isIP(c.LightningIP)},
		{"wallet_page", &c.WalletPage, yesNo, true},
		{"strict_params", &c.StrictParams, yesNo, true},
		{"max_request_bytes", &c.MaxRequestBytes, "a whole number from 1024 to 1073741824", c.MaxRequestBytes >= 1<<10 && c.MaxRequestBytes <= 1<<30},
		{"behind_proxy", &c.BehindProxy, yesNo, true},
		{"allowed_hosts", &c.AllowedHosts, `a list of host names without ports, like ["node.local"]`, true},
		{"log_level", &c.LogLevel, "one of " + strings.Join(LogLevels(), ", "), slices.Contains(LogLevels(), c.LogLevel)},
		{"log_file", &c.LogFile, "the path of a file, or empty for standard error", true},
		{"event_streaming_configuration.worker_path", &e.WorkerPath, "a path", true},
		{"event_streaming_configuration.access_control_allow_origin", &e.AllowOrigin, origin,
			e.AllowOrigin == "" || e.AllowOrigin == anyOrigin || isOrigin(e.AllowOrigin)},
		{"nft.private_hosts", &c.NFT.PrivateHosts, `a list of host names and addresses without ports, like ["127.0.0.1"]`, areHosts(c.NFT.PrivateHosts)},
		{"nft.ipfs_gateways", &c.NFT.IPFSGateways, `a list of URLs of http or https, like ["https://ipfs.io/ipfs/"]`, areURLs(c.NFT.IPFSGateways)},
		{"daemon.rpcip", &d.RPCIP, ip, isIP(d.RPCIP)},
		{"daemon.rpcport", &d.RPCPort, port, isPort(d.RPCPort)},
		{"daemon.rpcuser", &d.RPCUser, "a text without colon or spaces that is not empty", isUser(d.RPCUser)},
		{"daemon.rpcpassword", &d.RPCPassword, "a text, or empty for a cookie", true},
		{"daemon.pubkey", &d.PubKey, "66 hexadecimal digits, the compressed public key of the passphrase", d.PubKey == "" || isPubKey(d.PubKey)},
		{"daemon.komodo_conf", &d.KomodoConf, yesNo, true},
		{"chain.engine", &ch.Engine, `"solo"`, ch.Engine == "solo"},
		{"chain.blockinterval", &ch.BlockInterval, "a number of seconds from 0 to 3600", ch.BlockInterval >= 0 && ch.BlockInterval <= 3600},
		{"chain.datacarriersize", &ch.DataCarrierSize, "a whole number of bytes from 0 to 10000", ch.DataCarrierSize >= 0 && ch.DataCarrierSize <= 10000},
	}
}
