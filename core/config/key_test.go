package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTags checks the tags for mistakes, which would otherwise go unnoticed.
func TestTags(t *testing.T) {
	known := strings.Fields("key default unset is range must new reload komodod in doc")
	name, values := regexp.MustCompile(`(\w+):"`), map[string][]string{
		"new": {"", "always", "set"}, "reload": {"", "yes"}, "in": {"", "native", "native, edge", "native, page", "page"},
	}
	check := func(structType reflect.Type) {
		for n := range structType.NumField() {
			tag := string(structType.Field(n).Tag)
			for _, found := range name.FindAllStringSubmatch(regexp.MustCompile(`"(\\.|[^"\\])*"`).ReplaceAllString(tag, `"`), -1) {
				require.Contains(t, known, found[1], structType.Field(n).Name)
			}
			for key, allowed := range values {
				require.Contains(t, allowed, structType.Field(n).Tag.Get(key), structType.Field(n).Name)
			}
		}
	}
	for _, structType := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[Events](), reflect.TypeFor[NFT](), reflect.TypeFor[WalletConnect](), reflect.TypeFor[Daemon](), reflect.TypeFor[Chain]()} {
		check(structType)
	}
	for _, k := range settings() {
		require.NotEmpty(t, k.Doc, k.Name)
		require.NotContains(t, k.Must+k.Doc+k.Unset, "|", "%s: the reference is a table", k.Name)
		require.NotContains(t, k.Must, "RANGE", k.Name)
		require.True(t, k.Default == "" || k.Unset == "", k.Name)
	}
}

// TestDefaultsAreAllowed validates the default values, together with generated secrets.
func TestDefaultsAreAllowed(t *testing.T) {
	c := Default()
	require.NoError(t, c.FillSecrets(new(counting)))
	require.NoError(t, c.Validate())
	require.Equal(t, 8762, int(c.NetID))
	require.Equal(t, []any{"127.0.0.1", 7783, "127.0.0.1", 7771}, []any{c.RPCIP, c.RPCPort, c.Daemon.RPCIP, c.Daemon.RPCPort})
	require.Equal(t, []bool{true, true, true, false}, []bool{c.RPCLocalOnly, c.RestoreCoins, c.WalletPage, c.StrictParams})
	require.EqualValues(t, 8<<20, c.MaxRequestBytes)
	require.Equal(t, []any{"solo", 1.0, 208, "OBVERSE"}, []any{c.Chain.Engine, c.Chain.BlockInterval, c.Chain.DataCarrierSize, c.Chain.Options.Name})
	require.Nil(t, c.NFT.IPFSGateways, "none would mean none")
}

func TestFind(t *testing.T) {
	for name, want := range map[string]bool{
		"rpcport": true, "daemon.rpcport": true, "chain.ac_name": true, "chain.regtest": true, "chain.engine": true,
		"": false, "daemon": false, "rpcuser": false, "chain.ac_foo": false, "userhome": false, "CoinList": false,
	} {
		k, known := Find(name)
		require.Equal(t, want, known, name)
		require.True(t, !want || k.Name == name)
	}
	require.Len(t, slices.CompactFunc(Keys(), func(a, b Key) bool { return a.Name == b.Name }), len(Keys()))
	for option, want := range map[string]string{"rpcbind": "daemon.rpcip", "datacarriersize": "chain.datacarriersize", "pubkey": "daemon.pubkey", "": "", "rpcip": ""} {
		k, _ := KomododKey(option)
		require.Equal(t, want, k.Name, option)
	}
}

func TestSecretsAreListed(t *testing.T) {
	var variables []string
	for _, k := range SecretKeys() {
		variables = append(variables, k.Name+" "+k.Env())
	}
	require.Equal(t, []string{"rpc_password OBVERSE_RPC_PASSWORD", "passphrase OBVERSE_PASSPHRASE", "wallet_password OBVERSE_WALLET_PASSWORD", "daemon.rpcpassword OBVERSE_DAEMON_RPCPASSWORD"}, variables)
	c := valid(t)
	require.Equal(t, []Secret{c.RPCPassword, c.Passphrase, c.Daemon.RPCPassword}, c.Secrets())
	c.Passphrase = Secret{}
	require.Len(t, c.Secrets(), 2)
}

func TestMapPaths(t *testing.T) {
	c := valid(t)
	require.NoError(t, c.Override(map[string]string{"dbdir": "data", "coins": "coins.json"}))
	c.MapPaths(func(path string) string { return "/top/" + path })
	require.Equal(t, []string{"/top/data", "/top/coins.json", ""}, []string{c.DBDir, c.CoinsPath(), c.LogFile})
	require.Equal(t, "event_streaming_worker.js", c.Events.WorkerPath, "that is a URL")
}
