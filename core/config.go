package core

import (
	"encoding/json"

	"obverse/core/chain/params"
)

// Config is everything a user can set. Its keys are those of Komodo DeFi
// Framework's MM2.json, so that such a file works as it is, with one object for
// interface A and one for the token chain. Start from DefaultConfig.
type Config struct {
	GUI               string          // free text, shown in statistics
	NetID             uint16          // network of the node
	RPCIP             string          // address that interface B listens on
	RPCPort           int             // 0 means any free port
	RPCLocalOnly      bool            // only public methods answer other hosts
	RPCCORS           string          // the one origin whose pages may call; "" means none
	RPCPassword       Secret          // userpass of interface B
	AllowWeakPassword bool            // lifts the policy of CheckPassword
	HTTPS             bool            // refused: TLS is a proxy's work
	EnableHD          bool            // refused: it would give another key
	Passphrase        Secret          // passphrase, WIF or 0x and the secret; "" means no key
	DBDir             string          // data folder when no other is named
	Coins             json.RawMessage // a JSON string, the path of the list, or the list; may be nil
	RestoreCoins      bool            // activate at start what was active
	StrictParams      bool            // interface B refuses unknown parameters
	MaxRequestBytes   int64           // larger request bodies are answered 413
	AllowedHosts      []string        // Host headers accepted beside loopback and the listening address
	Daemon            DaemonConfig
	Chain             ChainConfig
}

// DaemonConfig is the `daemon` object: interface A.
type DaemonConfig struct {
	RPCIP       string // address to listen on
	RPCPort     int    // 0 means any free port
	RPCUser     string // user of the Basic credential
	RPCPassword Secret // its password; unset means RPCPassword, see DaemonPassword
	PubKey      string // komodod's -pubkey: when set, it has to be the passphrase's
}

// ChainConfig is the `chain` object: komodod's ac_* flags and how blocks are made.
type ChainConfig struct {
	Options         params.Options // ac_* and regtest
	Engine          string         // who makes blocks: "solo"
	BlockInterval   float64        // seconds between blocks at least; 0 does not wait
	DataCarrierSize int            // bytes of an OP_RETURN script that are relayed
}

// DefaultConfig is a node on loopback with the token chain OBVERSE and no secrets.
func DefaultConfig() Config {
	return Config{
		GUI:             "obverse",
		NetID:           8762,
		RPCIP:           "127.0.0.1",
		RPCPort:         7783,
		RPCLocalOnly:    true,
		RestoreCoins:    true,
		MaxRequestBytes: 8 << 20,
		Daemon:          DaemonConfig{RPCIP: "127.0.0.1", RPCPort: 7771, RPCUser: "obverse"},
		Chain:           ChainConfig{Options: defaultChain(), Engine: "solo", BlockInterval: 1, DataCarrierSize: 208},
	}
}

func defaultChain() params.Options {
	o := params.Defaults()
	o.Name, o.Supply, o.Reward = "OBVERSE", 100_000, []uint64{100_000_000}
	o.CC, o.Sapling, o.NK = 2, 1, []uint64{200, 9}
	return o
}

// DaemonPassword is the password of interface A. An MM2.json has no `daemon`
// object; interface A then asks for the password that the file does have.
func (c *Config) DaemonPassword() Secret {
	if c.Daemon.RPCPassword.IsSet() {
		return c.Daemon.RPCPassword
	}
	return c.RPCPassword
}

// setting is one key of the config: where its value goes, and what is allowed.
type setting struct {
	key     string // dotted
	target  any    // pointer into the Config
	allowed string // completes "must be …"
	ok      bool   // the value there now is allowed
}

// settings lists every key except the chain's options, which params knows.
func (c *Config) settings() []setting {
	d, ch := &c.Daemon, &c.Chain
	const (
		yesNo = "true or false"
		port  = "0 (any free port) or a port from 1024 to 65535"
		ip    = "an IP address to listen on, like 127.0.0.1"
	)
	return []setting{
		{"gui", &c.GUI, "a text", true},
		{"netid", &c.NetID, "a whole number from 0 to 65535", true},
		{"rpcip", &c.RPCIP, ip, isIP(c.RPCIP)},
		{"rpcport", &c.RPCPort, port, isPort(c.RPCPort)},
		{"rpc_local_only", &c.RPCLocalOnly, yesNo, true},
		{"rpccors", &c.RPCCORS, "one origin like https://wallet.example, or empty", c.RPCCORS == "" || isOrigin(c.RPCCORS)},
		{"rpc_password", &c.RPCPassword, "a text that is not empty", c.RPCPassword.IsSet()},
		{"allow_weak_password", &c.AllowWeakPassword, yesNo, true},
		{"https", &c.HTTPS, "false: this node speaks plain HTTP, put a proxy with TLS in front of it", !c.HTTPS},
		{"enable_hd", &c.EnableHD, "false: HD keys are not offered here, and the passphrase would give another key", !c.EnableHD},
		{"passphrase", &c.Passphrase, "a text: a passphrase, a WIF, or 0x and 64 hexadecimal digits", true},
		{"dbdir", &c.DBDir, "a folder", true},
		{"coins", &c.Coins, "the path of a coins file or a list of coins", isPathOrList(c.Coins)},
		{"restore_coins", &c.RestoreCoins, yesNo, true},
		{"strict_params", &c.StrictParams, yesNo, true},
		{"max_request_bytes", &c.MaxRequestBytes, "a whole number from 1024 to 1073741824", c.MaxRequestBytes >= 1<<10 && c.MaxRequestBytes <= 1<<30},
		{"allowed_hosts", &c.AllowedHosts, `a list of host names without ports, like ["node.local"]`, true},
		{"daemon.rpcip", &d.RPCIP, ip, isIP(d.RPCIP)},
		{"daemon.rpcport", &d.RPCPort, port, isPort(d.RPCPort)},
		{"daemon.rpcuser", &d.RPCUser, "a text without colon or spaces that is not empty", isUser(d.RPCUser)},
		{"daemon.rpcpassword", &d.RPCPassword, "a text that is not empty", c.DaemonPassword().IsSet()},
		{"daemon.pubkey", &d.PubKey, "66 hexadecimal digits, the compressed public key of the passphrase", d.PubKey == "" || isPubKey(d.PubKey)},
		{"chain.engine", &ch.Engine, `"solo"`, ch.Engine == "solo"},
		{"chain.blockinterval", &ch.BlockInterval, "a number of seconds from 0 to 3600", ch.BlockInterval >= 0 && ch.BlockInterval <= 3600},
		{"chain.datacarriersize", &ch.DataCarrierSize, "a whole number of bytes from 0 to 10000", ch.DataCarrierSize >= 0 && ch.DataCarrierSize <= 10000},
	}
}
