package config

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/key"
	"obverse/core/key/wallets"
)

const (
	goodPassword = "Ent3r_Un1Qu3-X"
	bobKey       = "022cd3021a2197361fb70b862c412bc8e44cff6951fa1de45ceabfdd9b4c520420"
	mnemonic     = "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"
	mnemonicKey  = "02dc2d63edf59f25ae2ac83be1e2529c11b53c9836ba3d99031233216fb3269435"
	bobSecret    = "0xb8c774f071de08c7fd8f62b97f1a5726f6ce9f1bcf141b70b86689254ed6714e"
)

// valid returns a config with known secrets.
func valid(t *testing.T) Config {
	t.Helper()
	c := Default()
	_, err := c.Merge([]byte(`{"rpc_password":"` + goodPassword + `","passphrase":"bob passphrase","daemon":{"rpcpassword":"h1dden-Word"}}`))
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	return c
}

func TestUpstreamFileWorks(t *testing.T) {
	c := Default()
	ignored, err := c.Merge([]byte(`{
		"gui": "MM2GUI", "netid": 8762, "rpc_password": "` + goodPassword + `", "passphrase": "bob passphrase",
		"rpcport": "7784", "rpcip": "127.0.0.1", "rpc_local_only": true, "dbdir": "./DB", "coins": "coins",
		"event_streaming_configuration": {}, "metrics": 120, "wallet_password": "` + goodPassword + `",
		"allow_weak_password": null, "seednodes": ["seed.example"], "i_am_seed": false, "wallet_name": "w"}`))
	require.NoError(t, err)
	require.Equal(t, []string{"i_am_seed", "metrics", "seednodes"}, ignored.Foreign)
	require.Empty(t, ignored.Unknown)
	require.Equal(t, []string{"keys of Komodo DeFi Framework that have no effect here: i_am_seed, metrics, seednodes"}, ignored.Lines())
	require.Empty(t, c.Warnings())
	require.NoError(t, c.Validate())
	require.Equal(t, 7784, c.RPCPort)
	require.Equal(t, "./DB", c.DBDir)
	require.Equal(t, goodPassword, c.RPCPassword.Reveal())
	require.False(t, c.Daemon.RPCPassword.IsSet(), "the daemon API never takes the password of the node API")
	require.Equal(t, "OBVERSE", c.Chain.Options.Name)
}

func TestHostAndPort(t *testing.T) {
	for _, bad := range []string{"9999", "http://127.0.0.1:9999", ":9999", "127.0.0.1", "127.0.0.1:99999x", "127.0.0.1:65536", "a b:1", "a,b:1"} {
		config := valid(t)
		_, err := config.Merge([]byte(`{"ledger_emulator":"` + bad + `"}`))
		if err == nil {
			err = config.Validate()
		}
		require.ErrorContains(t, err, `must be a host and a port, like 127.0.0.1:9999, or empty for none, got "`+bad+`"`)
	}
}

func TestBadValueNamesItsKey(t *testing.T) {
	for _, c := range []struct{ document, key, says string }{
		{`{"gui":5}`, "gui", "must be a text, got 5"},
		{`{"netid":65536}`, "netid", "from 0 to 14428, got 65536"},
		{`{"netid":14429}`, "netid", "got 14429"},
		{`{"netid":-1}`, "netid", "got -1"},
		{`{"rpcip":"localhost"}`, "rpcip", `must be an IP address to listen on, like 127.0.0.1, got "localhost"`},
		{`{"rpcport":80}`, "rpcport", "from 1024 to 65535, got 80"},
		{`{"rpcport":65536}`, "rpcport", "got 65536"},
		{`{"rpcport":1.5}`, "rpcport", "got 1.5"},
		{`{"rpcport":"null"}`, "rpcport", `got "null"`},
		{`{"rpc_local_only":1}`, "rpc_local_only", "must be true or false, got 1"},
		{`{"rpccors":"https://a.example/page"}`, "rpccors", "must be one origin"},
		{`{"rpccors":"**"}`, "rpccors", "must be one origin"},
		{`{"rpccors":"http://a\r\nX: y"}`, "rpccors", "must be one origin"},
		{`{"rpc_password":""}`, "rpc_password", "must be a text that is not empty"},
		{`{"rpc_password":7}`, "rpc_password", "must be a text that is not empty"},
		{`{"rpc_password":"Sh0rt-x"}`, "rpc_password", "is too weak: Password length should be at least 8 characters long"},
		{`{"rpccors":"null"}`, "rpccors", "must be one origin"},
		{`{"rpccors":"https://Wallet.example"}`, "rpccors", "must be one origin"},
		{`{"rpccors":"file://"}`, "rpccors", "must be one origin"},
		{`{"event_streaming_configuration":true}`, "event_streaming_configuration", "must be an object"},
		{`{"event_streaming_configuration":{"worker_path":1}}`, "event_streaming_configuration.worker_path", "must be a path, got 1"},
		{`{"event_streaming_configuration":{"access_control_allow_origin":"a.example"}}`, "event_streaming_configuration.access_control_allow_origin", "must be one origin"},
		{`{"log_level":"verbose"}`, "log_level", `must be one of error, warn, info, debug, got "verbose"`},
		{`{"log_level":3}`, "log_level", "got 3"},
		{`{"https":true}`, "https", "must be false"},
		{`{"enable_hd":7}`, "enable_hd", "must be true or false"},
		{`{"enable_hd":true}`, "passphrase", "is invalid: an HD wallet needs a BIP39 mnemonic"},
		{`{"enable_hd":true,"passphrase":"` + bobSecret + `"}`, "passphrase", "is invalid: "},
		{`{"passphrase":["a"]}`, "passphrase", "must be a text"},
		{`{"passphrase":"0x12"}`, "passphrase", "is invalid: "},
		{`{"dbdir":[]}`, "dbdir", "must be a folder"},
		{`{"coins":7}`, "coins", "must be the path of a coins file or a list"},
		{`{"restore_coins":"maybe"}`, "restore_coins", `got "maybe"`},
		{`{"strict_params":{}}`, "strict_params", "must be true or false"},
		{`{"max_request_bytes":10}`, "max_request_bytes", "from 1024 to 1073741824, got 10"},
		{`{"allowed_hosts":"a"}`, "allowed_hosts", "must be a list"},
		{`{"nft":7}`, "nft", "must be an object, got a JSON number"},
		{`{"nft":{"private_hosts":"127.0.0.1"}}`, "nft.private_hosts", "must be a list of host names"},
		{`{"nft":{"private_hosts":["127.0.0.1:80"]}}`, "nft.private_hosts", "without ports"},
		{`{"nft":{"private_hosts":["http://127.0.0.1"]}}`, "nft.private_hosts", "without ports"},
		{`{"nft":{"ipfs_gateways":["ipfs.io"]}}`, "nft.ipfs_gateways", "must be a list of URLs"},
		{`{"nft":{"ipfs_gateways":["https://u:p@ipfs.io/ipfs/"]}}`, "nft.ipfs_gateways", "must be a list of URLs"},
		{`{"nft":{"ipfs_gateways":["https://ipfs.io/ipfs/","ipfs.io"]}}`, "nft.ipfs_gateways", `like ["https://ipfs.io/ipfs/"], got "ipfs.io" at index 1`},
		{`{"validator":{"peers":["0123456789abcdef0123456789abcdef01234567@10.0.0.2:26656","x@10.0.0.3:1"]}}`, "validator.peers", `got "x@10.0.0.3:1" at index 1`},
		{`{"daemon":7}`, "daemon", "must be an object"},
		{`{"daemon":{"rpcip":""}}`, "daemon.rpcip", "must be an IP address"},
		{`{"daemon":{"rpcport":1}}`, "daemon.rpcport", "got 1"},
		{`{"daemon":{"rpcuser":"a:b"}}`, "daemon.rpcuser", "without colon"},
		{`{"daemon":{"rpcuser":""}}`, "daemon.rpcuser", "not empty"},
		{`{"daemon":{"rpcpassword":true}}`, "daemon.rpcpassword", "must be a text"},
		{`{"daemon":{"rpcpassword":"weak"}}`, "daemon.rpcpassword", "is too weak: Password length should be at least 8 characters long, or be random and of 32 characters or more (allow_weak_password lifts the rules)"},
		{`{"daemon":{"rpcpassword":"` + strings.Repeat("ab", 20) + `"}}`, "daemon.rpcpassword", "is too weak"},
		{`{"daemon":{"pubkey":"02ab"}}`, "daemon.pubkey", "66 hexadecimal digits"},
		{`{"daemon":{"pubkey":"021d580113c3261f07156f1b82c339d4e1145a5ff479115e64903ff994a229ab75"}}`, "daemon.pubkey", "must be the key of the passphrase, " + bobKey},
		{`{"chain":[]}`, "chain", "must be an object"},
		{`{"chain":{"engine":"tendermint"}}`, "chain.engine", `must be "solo", got "tendermint"`},
		{`{"chain":{"blockinterval":-1}}`, "chain.blockinterval", "got -1"},
		{`{"chain":{"blockinterval":3601}}`, "chain.blockinterval", "from 0 to 3600"},
		{`{"chain":{"datacarriersize":10001}}`, "chain.datacarriersize", "from 0 to 10000"},
		{`{"chain":{"ac_cc":"x"}}`, "chain.ac_cc", `chain.ac_cc: "x" is not a whole number`},
		{`{"chain":{"regtest":"perhaps"}}`, "chain.regtest", "true or false"},
		{`{"chain":{"ac_reward":null}}`, "chain.ac_reward", "null"},
	} {
		t.Run(c.document, func(t *testing.T) {
			config := valid(t)
			_, err := config.Merge([]byte(c.document))
			if err == nil {
				err = config.Validate()
			}
			var bad *Error
			require.ErrorAs(t, err, &bad)
			require.Equal(t, c.key, bad.Key)
			require.Contains(t, err.Error(), c.says)
			require.True(t, strings.HasPrefix(err.Error(), c.key), err)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestAllowedHostsAreNames(t *testing.T) {
	for _, host := range []string{"node.example:443", "https://node.example", ""} {
		config := valid(t)
		config.AllowedHosts = []string{"node.local", host}
		require.ErrorContains(t, config.Validate(), "allowed_hosts must be a list of host names without ports", host)
	}
}

func TestWalletConnect(t *testing.T) {
	for _, bad := range []string{"https://relay.example", "wss://u:p@relay.example", "wss://relay.example?a=b", "wss://", ""} {
		config := valid(t)
		config.WalletConnect.RelayURL = bad
		require.ErrorContains(t, config.Validate(), "walletconnect.relay_url must be a URL of ws or wss without user and query", bad)
	}
	for _, bad := range []string{"wallet.example", "wss://wallet.example", "https://u:p@wallet.example", "https://wallet.example?a=b", "null"} {
		config := valid(t)
		config.WalletConnect.AppURL = bad
		require.ErrorContains(t, config.Validate(), "walletconnect.app_url must be a URL of http or https without user and query", bad)
	}
	for _, bad := range []string{"a b", "a/b", strings.Repeat("a", 65)} {
		config := valid(t)
		config.WalletConnect.ProjectID = bad
		require.ErrorContains(t, config.Validate(), "walletconnect.project_id must be 1 to 64 letters, digits and hyphens, or empty", bad)
	}
}

func TestMergeRefusesOtherJSON(t *testing.T) {
	for _, text := range []string{"", "7", "[]", `{"gui":"a"`, `{"gui":"a"} x`} {
		config := Default()
		_, err := config.Merge([]byte(text))
		require.ErrorContains(t, err, "the config must be a JSON object", text)
	}
}

func TestGoodValues(t *testing.T) {
	for _, document := range []string{
		`{"rpcport":0,"daemon":{"rpcport":"0"}}`,
		`{"rpcip":"::1"}`, `{"ledger_emulator":"127.0.0.1:9999"}`, `{"trezor_emulator":"127.0.0.1:21324"}`, `{"ledger_emulator":"[::1]:9999"}`, `{"ledger_emulator":""}`,
		`{"rpccors":"https://wallet.example:8443"}`,
		`{"rpccors":"chrome-extension://abcdefgh"}`,
		`{"rpccors":"*"}`,
		`{"rpccors":"tauri://localhost"}`,
		`{"event_streaming_configuration":null}`,
		`{"event_streaming_configuration":{"worker_path":"w.js","access_control_allow_origin":"https://wallet.example"}}`,
		`{"event_streaming_configuration":{"access_control_allow_origin":"*"}}`,
		`{"log_level":"debug"}`,
		`{"rpc_password":"short","allow_weak_password":true,"daemon":{"rpcpassword":"short"}}`,
		`{"daemon":{"rpcpassword":"0f1e2d3c4b5a69788796a5b4c3d2e1f0"}}`,
		`{"daemon":{"rpcpassword":""}}`,
		`{"behind_proxy":true}`,
		`{"passphrase":""}`,
		`{"passphrase":"` + bobSecret + `","daemon":{"pubkey":"` + strings.ToUpper(bobKey) + `"}}`,
		`{"enable_hd":true,"passphrase":"` + mnemonic + `","daemon":{"pubkey":"` + mnemonicKey + `"}}`,
		`{"enable_hd":true,"passphrase":""}`,
		`{"coins":[{"coin":"IRIS"}]}`,
		`{"allowed_hosts":["node.example"]}`,
		`{"nft":{"private_hosts":["127.0.0.1","::1","ipfs.lan"],"ipfs_gateways":["http://127.0.0.1:8080/ipfs/","https://ipfs.io/ipfs"]}}`,
		`{"nft":{"private_hosts":[],"ipfs_gateways":[]}}`,
		`{"walletconnect":{"relay_url":"ws://127.0.0.1:5000/relay","project_id":"0123456789abcdefABCDEF"}}`,
		`{"walletconnect":{"project_id":"","app_url":"https://wallet.example/app"}}`,
		`{"chain":{"blockinterval":0.05,"datacarriersize":0}}`,
		`{"rpcport":0,"daemon":{"rpcport":0}}`,
		`{"rpcport":5000,"daemon":{"rpcport":5000,"rpcip":"127.0.0.2"}}`,
		`{"chain":{"ac_name":"TOKTEST","ac_supply":"100000","ac_reward":100000000,"ac_cc":2,"regtest":true}}`,
	} {
		config := valid(t)
		ignored, err := config.Merge([]byte(document))
		require.NoError(t, err, document)
		require.Empty(t, ignored, document)
		require.NoError(t, config.Validate(), document)
	}
}

func TestOverride(t *testing.T) {
	c := valid(t)
	require.NoError(t, c.Override(map[string]string{
		"gui": "7", "rpcport": "0", "restore_coins": "false", "daemon.rpcport": "7000", "chain.ac_reward": "5",
		"chain.regtest": "true", "chain.blockinterval": "0.5", "dbdir": "null",
	}))
	require.Equal(t, "7", c.GUI)
	require.Equal(t, "null", c.DBDir)
	require.Zero(t, c.RPCPort)
	require.False(t, c.RestoreCoins)
	require.Equal(t, 7000, c.Daemon.RPCPort)
	require.Equal(t, []uint64{5}, c.Chain.Options.Reward)
	require.True(t, c.Chain.Options.Regtest)
	require.Equal(t, 0.5, c.Chain.BlockInterval)
	require.Equal(t, "OBVERSE", c.Chain.Options.Name)

	for _, unknown := range []string{"rpc_port", "daemon.rpc", "chain.ac_foo", "chain", "daemon", ""} {
		require.ErrorIs(t, c.Override(map[string]string{unknown: "1"}), ErrUnknownKey, unknown)
	}
	require.ErrorIs(t, c.Override(map[string]string{"seednodes": "a"}), ErrNoEffect)
	require.EqualError(t, c.Override(map[string]string{"daemon": "5"}), "daemon is an object, and its keys are set one by one, like daemon.rpcip=…")
	require.EqualError(t, c.Override(map[string]string{"rpc_port": "1"}), "rpc_port is not a key of the config (did you mean rpcport?)")
	require.ErrorIs(t, c.Override(map[string]string{"rpcport": "x"}), ErrNotAllowed)
}

func TestEqualPorts(t *testing.T) {
	for _, document := range []string{
		`{"rpcport":7771}`, `{"rpcport":5000,"rpcip":"::","daemon":{"rpcport":5000}}`, `{"rpcport":5000,"daemon":{"rpcport":5000,"rpcip":"::ffff:127.0.0.1"}}`,
	} {
		c := valid(t)
		_, err := c.Merge([]byte(document))
		require.NoError(t, err)
		require.ErrorIs(t, c.Validate(), ErrNotAllowed)
		require.ErrorContains(t, c.Validate(), "too, and each interface needs its own port")
	}
}

// TestNamingAChainSetsAllOfIt checks that the options of the default chain are not applied to a
// chain that the user names: ac_nk would change the magic and block 1.
func TestNamingAChainSetsAllOfIt(t *testing.T) {
	recorded := params.Defaults()
	recorded.Name, recorded.Supply, recorded.Reward, recorded.CC = "TOKTEST", 100000, []uint64{100000000}, 2

	c := Default()
	ignored, err := c.Merge([]byte(`{"chain":{"ac_supply":100000,"ac_reward":100000000,"ac_cc":2,"ac_name":"TOKTEST","ac_foo":1}}`))
	require.NoError(t, err)
	require.Equal(t, Ignored{Unknown: []string{"chain.ac_foo"}}, ignored)
	require.Equal(t, recorded, c.Chain.Options)

	c = Default()
	require.NoError(t, c.Override(map[string]string{
		"chain.ac_cc": "2", "chain.ac_name": "TOKTEST", "chain.ac_reward": "100000000", "chain.ac_supply": "100000",
	}))
	require.Equal(t, recorded, c.Chain.Options)

	_, err = c.Merge([]byte(`{"chain":{"regtest":true}}`))
	require.NoError(t, err)
	recorded.Regtest = true
	require.Equal(t, recorded, c.Chain.Options, "without a name the rest stays")
}

func TestPasswordPolicy(t *testing.T) {
	for password, want := range map[string]string{
		"xxPaSsWoRd-1": "Password can't contain the word password",
		"":             "Password length should be at least 8 characters long",
		"Ab1-efg":      "Password length should be at least 8 characters long",
		"éééééÉ1":      "Password length should be at least 8 characters long",
		"Abcdefg-":     "Password should contain at least 1 digit",
		"ABCDEFG-1":    "Password should contain at least 1 lowercase character",
		"abcdefg-1":    "Password should contain at least 1 uppercase character",
		"Abcdefg1":     "Password should contain at least 1 special character",
		"Abbbcde-1":    "Password can't contain the same character 3 times in a row",
		"Abcde---1":    "Password can't contain the same character 3 times in a row",
		"Abbcde-1":     "",
		"Aé2bcdef":     "",
		goodPassword:   "",
	} {
		err := CheckPassword(password)
		if want == "" {
			require.NoError(t, err, password)
			continue
		}
		require.Equal(t, PasswordError(want), err, password)
	}
}

// counting is a reader that returns different bytes in each call.
type counting byte

func (c *counting) Read(p []byte) (int, error) {
	for i := range p {
		*c += 101
		p[i] = byte(*c) ^ byte(i*i)
	}
	return len(p), nil
}

func TestFillSecrets(t *testing.T) {
	c := Default()
	c.Daemon.RPCPassword = NewSecret("k3pt-Apart")
	require.NoError(t, c.FillSecrets(new(counting)))
	require.NoError(t, c.Validate())
	require.Equal(t, "k3pt-Apart", c.Daemon.RPCPassword.Reveal())
	require.NotEqual(t, c.RPCPassword.Reveal(), c.Passphrase.Reveal())
	for _, s := range []Secret{c.RPCPassword, c.Passphrase} {
		require.NoError(t, CheckPassword(s.Reveal()))
		require.Len(t, s.Reveal(), 43)
		_, err := key.FromPassphrase(s.Reveal())
		require.NoError(t, err)
	}
}

// TestFillSecretsIsNeverHexadecimal checks that a text that starts like hexadecimal digits is
// not used as a passphrase.
func TestFillSecretsIsNeverHexadecimal(t *testing.T) {
	hexadecimal, err := base64.RawURLEncoding.DecodeString("0x" + strings.Repeat("a-B1", 10) + "A")
	require.NoError(t, err)
	c := Default()
	require.NoError(t, c.FillSecrets(io.MultiReader(bytes.NewReader(bytes.Repeat(hexadecimal, 5)), new(counting))))
	for _, s := range []Secret{c.RPCPassword, c.Passphrase, c.Daemon.RPCPassword} {
		require.NotRegexp(t, "^0x", s.Reveal())
	}
}

func TestFillSecretsWithoutRandomness(t *testing.T) {
	c := Default()
	require.ErrorIs(t, c.FillSecrets(bytes.NewReader(make([]byte, 1<<16))), ErrNoRandom, "zeros")
	require.ErrorIs(t, c.FillSecrets(strings.NewReader("too short")), ErrNoRandom)
	require.False(t, c.RPCPassword.IsSet())
}

func TestDocumentRoundTrip(t *testing.T) {
	c := valid(t)
	c.Coins = json.RawMessage(`"coins.json"`)
	c.DBDir = "/data"
	c.Chain.Options.Name = "TOKTEST"
	document, err := c.Document()
	require.NoError(t, err)
	back := Default()
	ignored, err := back.Merge(document)
	require.NoError(t, err)
	require.Empty(t, ignored)
	require.Equal(t, c, back)
}

func TestNothingShowsASecret(t *testing.T) {
	c := valid(t)
	hidden := []string{goodPassword, "bob passphrase", "h1dden-Word"}
	check := func(text string) {
		t.Helper()
		for _, h := range hidden {
			require.NotContains(t, text, h)
			require.NotContains(t, text, fmt.Sprintf("%x", h))
			require.NotContains(t, text, fmt.Sprintf("%X", h))
		}
	}
	for _, verb := range "vTtbcdoOqxXUeEfFgGsp" {
		for _, flag := range []string{"", "+", "#"} {
			check(fmt.Sprintf("%"+flag+string(verb), c))
			check(fmt.Sprintf("%"+flag+string(verb), &c))
			check(fmt.Sprintf("%"+flag+string(verb), c.Passphrase))
			check(fmt.Sprintf("%"+flag+string(verb), struct{ inner Config }{c}))
		}
	}
	for _, v := range []any{c, &c, c.RPCPassword, map[string]any{"s": &c.Passphrase}} {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		check(string(text))
		require.Contains(t, string(text), redacted)
	}
	for _, text := range []string{c.Passphrase.String(), c.Passphrase.GoString(), fmt.Sprint(c.Passphrase)} {
		require.Equal(t, redacted, text)
	}
}

func TestNoErrorShowsASecret(t *testing.T) {
	const leak = "L3aked-value"
	for _, document := range []string{
		`{"rpc_password":["` + leak + `"]}`,
		`{"rpc_password":"` + leak + `password"}`,
		`{"passphrase":{"a":"` + leak + `"}}`,
		`{"passphrase":["` + leak + `"]}`,
		`{"passphrase":"0x` + leak + `"}`,
		`{"enable_hd":true,"passphrase":"` + leak + ` ` + mnemonic + `"}`,
		`{"daemon":{"rpcpassword":["` + leak + `"]}}`,
	} {
		c := valid(t)
		_, err := c.Merge([]byte(document))
		err = errors.Join(err, c.Validate())
		require.Error(t, err, document)
		require.NotContains(t, err.Error(), leak, document)
	}
}

func TestIsSecretKey(t *testing.T) {
	for k, want := range map[string]bool{
		"rpc_password": true, "passphrase": true, "daemon.rpcpassword": true,
		"wallet_password": true, "prometheus_credentials": true, "userpass": true,
		"daemon.rpcuser": false, "wallet_name": false, "allow_weak_password": false, "": false,
	} {
		require.Equal(t, want, IsSecret(k), k)
	}
}

// TestUnknownKeys checks that an unknown key is distinguished from a key that has no effect
// here, with a suggestion for misspelled keys.
func TestUnknownKeys(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for key, says := range map[string]string{
		"rpc_prt": "rpc_prt (did you mean rpcport?)", "RPCPORT": "RPCPORT (did you mean rpcport?)", "rpcuser": "rpcuser (did you mean daemon.rpcuser?)",
		"ac_name": "ac_name (did you mean chain.ac_name?)", "pasphrase": "pasphrase (did you mean passphrase?)",
		"event_stream_configuration": "event_stream_configuration (did you mean event_streaming_configuration?)", "something else": "something else", "": "", long: long[:60] + "…",
	} {
		c := Default()
		ignored, err := c.Merge([]byte(`{"` + key + `":"L3aked-value"}`))
		require.NoError(t, err)
		require.Equal(t, []string{key}, ignored.Unknown)
		require.Equal(t, []string{"unknown keys, which have no effect: " + says}, ignored.Lines(), key)
		require.Equal(t, Default(), c)
	}
	c := Default()
	ignored, err := c.Merge([]byte(`{"mm2":1,"b":1,"a":2,"daemon":{"rpcprt":1},"event_streaming_configuration":{"active_events":{}},"userhome":"/"}`))
	require.NoError(t, err)
	require.Equal(t, []string{
		"keys of Komodo DeFi Framework that have no effect here: mm2, userhome",
		"unknown keys, which have no effect: a, b, daemon.rpcprt (did you mean daemon.rpcport?), event_streaming_configuration.active_events",
	}, ignored.Lines())
	require.Empty(t, Ignored{}.Lines())
}

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		eventOrigin, rpc string
		events, calls    string
		warned           []string // keys of the expected warnings
	}{
		{"", "", "", "", nil},
		{"", "https://rpc.example", "https://rpc.example", "https://rpc.example", nil},
		{"https://own.example", "https://rpc.example", "https://own.example", "https://rpc.example", nil},
		{"*", "", "", "", []string{"event_streaming_configuration.access_control_allow_origin"}},
		{"*", "https://rpc.example", "https://rpc.example", "https://rpc.example", []string{"event_streaming_configuration.access_control_allow_origin"}},
		{"", "*", "", "", []string{"rpccors"}},
		{"https://own.example", "*", "https://own.example", "", []string{"rpccors"}},
		{"*", "*", "", "", []string{"rpccors", "event_streaming_configuration.access_control_allow_origin"}},
	} {
		config := Default()
		config.RPCCORS, config.Events.AllowOrigin = c.rpc, c.eventOrigin
		require.Equal(t, c.events, config.EventOrigin(), c)
		require.Equal(t, c.calls, config.CallOrigin(), c)
		var warned []string
		for _, line := range config.Warnings() {
			key, _, _ := strings.Cut(line, " ")
			require.Contains(t, line, "is taken as none")
			warned = append(warned, key)
		}
		require.Equal(t, c.warned, warned, c)
	}
}

func TestCoinsPath(t *testing.T) {
	for raw, want := range map[string]string{``: "", `null`: "", `""`: "", `[{"coin":"X"}]`: "", `"coins"`: "coins", `"/a/b"`: "/a/b"} {
		c := Config{Coins: json.RawMessage(raw)}
		require.Equal(t, want, c.CoinsPath(), raw)
	}
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte(`{"rpcport":"0","daemon":{"rpcport":1},"chain":{"ac_name":"X"}}`))
	f.Add([]byte(`{"daemon":null,"coins":null,"chain":{"ac_reward":[1]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := Default()
		if _, err := c.Merge(data); err != nil || c.FillSecrets(new(counting)) != nil || c.Validate() != nil {
			return
		}
		document, err := c.Document()
		require.NoError(t, err)
		back := Default()
		_, err = back.Merge(document)
		require.NoError(t, err)
		require.NoError(t, back.Validate())
	})
}

func TestBadWalletNamesItsKey(t *testing.T) {
	for _, c := range []struct{ document, key, says string }{
		{`{"passphrase":{"encrypted":1}}`, "wallet_name", "is missing: wallet_password and an encrypted passphrase belong to a wallet"},
		{`{"wallet_name":"w"}`, "wallet_password", "is missing: the wallet that wallet_name names is encrypted with it"},
		{`{"wallet_name":"../w"}`, "wallet_name", "must be a text of up to 100 bytes, of letters, digits, spaces, hyphens and underscores, or empty for none, got \"../w\""},
		{`{"word_count":13}`, "word_count", "must be 12, 15, 18, 21 or 24, got 13"},
		{`{"allow_registrations":1}`, "allow_registrations", "must be true or false"},
	} {
		config := valid(t)
		_, err := config.Merge([]byte(c.document))
		err = errors.Join(err, config.Validate())
		var bad *Error
		require.ErrorAs(t, err, &bad, c.document)
		require.Equal(t, c.key, bad.Key)
		require.Contains(t, bad.Error(), c.says)
	}
}

func TestLogin(t *testing.T) {
	c := valid(t)
	file := `{"encryption_algorithm":"AES256CBC"}`
	_, err := c.Merge([]byte(`{"wallet_name":" my wallet","wallet_password":"Its-pass1","passphrase":` + file + `,"word_count":24,"allow_registrations":false}`))
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	require.Equal(t, wallets.Login{Name: " my wallet", Password: []byte("Its-pass1"), Encrypted: json.RawMessage(file), Words: 24}, c.Login())
	require.NoError(t, c.Override(map[string]string{"passphrase": "bob passphrase"}))
	l := c.Login()
	require.Empty(t, l.Encrypted, "the last one counts")
	require.Equal(t, "bob passphrase", l.Passphrase)

	drawn := Default()
	require.NoError(t, drawn.FillSecrets(rand.Reader))
	require.False(t, drawn.WalletPassword.IsSet(), "a new config has no wallet")
	require.True(t, drawn.Login().Register)
}
