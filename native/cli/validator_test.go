package cli

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/native/cometbft"
	"obverse/native/node"
	"obverse/native/settings"
)

// TestValidatorWithoutGenesis checks that the error for a missing genesis names the command that
// prints the data for the other operators.
func TestValidatorWithoutGenesis(t *testing.T) {
	cmd := newCommand(t)
	require.Zero(t, cmd.do("init").code)
	s, err := settings.Read(settings.Sources{Getenv: func(string) string { return "" }, DataDir: cmd.dir})
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	_, err = node.NewValidator(s, log)
	for _, says := range []string{"genesis.json is missing", "obverse validator show", "obverse testnet"} {
		require.ErrorContains(t, err, says)
	}
}

// TestTestnetPorts checks that nodes get ports that no other program and no node with the default
// ports uses.
func TestTestnetPorts(t *testing.T) {
	held, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer held.Close()
	first := held.Addr().(*net.TCPAddr).Port
	if first > 63000 {
		first -= 1000 // a port that is not held serves the test as well
	}
	cmd := newCommand(t)
	folder := filepath.Join(cmd.dir, "net")
	require.Zero(t, cmd.do("testnet", "--validators", "3", "--output", folder, "--port", strconv.Itoa(first)).code)
	seen := map[int]bool{7771: true, 7783: true, held.Addr().(*net.TCPAddr).Port: true}
	for i := range 3 {
		s, err := settings.Read(settings.Sources{Getenv: func(string) string { return "" }, DataDir: filepath.Join(folder, fmt.Sprintf("node%d", i))})
		require.NoError(t, err)
		ports := []int{s.Config.RPCPort, s.Config.Daemon.RPCPort, portAt(t, s.Config.Validator.Listen), portAt(t, s.Config.Validator.RPC)}
		for _, port := range ports {
			require.False(t, seen[port], "port %d of node %d", port, i)
			seen[port] = true
		}
		require.Len(t, s.Config.Validator.Peers, 2)
	}
}

func portAt(t *testing.T, address string) int {
	t.Helper()
	parsed, err := net.ResolveTCPAddr("tcp", address)
	require.NoError(t, err)
	return parsed.Port
}

// TestTestnetWithoutPorts checks that the error names the port that is in use.
func TestTestnetWithoutPorts(t *testing.T) {
	held, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer held.Close()
	port := held.Addr().(*net.TCPAddr).Port
	require.ErrorContains(t, ports{node: port}.free(), held.Addr().String())
	require.NoError(t, ports{}.free(), "any free port")
	w := &testnet{port: 70000}
	require.ErrorContains(t, w.choosePorts(2), "found free ports for 0 of 2 nodes")
}

// TestValidatorLog checks that the log contains the id that the other nodes use in their peers.
func TestValidatorLog(t *testing.T) {
	cmd := newCommand(t)
	require.Zero(t, cmd.do("testnet", "--validators", "2", "--output", filepath.Join(cmd.dir, "net")).code)
	s, err := settings.Read(settings.Sources{Getenv: func(string) string { return "" }, DataDir: filepath.Join(cmd.dir, "net", "node1")})
	require.NoError(t, err)
	home := cometbft.Home(s.DataDir)
	for _, votes := range []string{"votes=true", "votes=false"} {
		var lines strings.Builder
		_, err := node.NewValidator(s, slog.New(slog.NewTextHandler(&lines, nil)))
		require.NoError(t, err)
		id, err := cometbft.Prepare(home)
		require.NoError(t, err)
		require.Contains(t, lines.String(), "id="+id.NodeID)
		require.Contains(t, lines.String(), votes)
		require.NoError(t, os.Remove(filepath.Join(home, "config", "priv_validator_key.json")))
		require.NoError(t, os.Remove(filepath.Join(home, "data", "priv_validator_state.json")))
	}
}

// TestValidatorSigner checks that the key in the data folder is not used instead of the key of a
// remote signer.
func TestValidatorSigner(t *testing.T) {
	cmd := newCommand(t)
	require.Zero(t, cmd.do("testnet", "--validators", "1", "--output", filepath.Join(cmd.dir, "net")).code)
	s, err := settings.Read(settings.Sources{Getenv: func(string) string { return "" }, DataDir: filepath.Join(cmd.dir, "net", "node0")})
	require.NoError(t, err)
	s.Config.Validator.Signer = "127.0.0.1:26659"
	var lines strings.Builder
	log := slog.New(slog.NewTextHandler(&lines, nil))
	_, err = node.NewValidator(s, log)
	require.NoError(t, err)
	require.Contains(t, lines.String(), "signer=127.0.0.1:26659")
	require.NotContains(t, lines.String(), "votes=")

	home := cometbft.Home(s.DataDir)
	id, err := cometbft.Prepare(home)
	require.NoError(t, err)
	require.NoError(t, os.Remove(cometbft.GenesisFile(home)))
	_, err = node.NewValidator(s, log)
	require.ErrorContains(t, err, "with the key of your signer among its validators")
	require.NotContains(t, err.Error(), id.Entry())
}

// TestValidatorTrust checks that the error about missing settings for joining with a snapshot names
// the settings, and not those of CometBFT.
func TestValidatorTrust(t *testing.T) {
	cmd := newCommand(t)
	require.Zero(t, cmd.do("testnet", "--validators", "1", "--output", filepath.Join(cmd.dir, "net")).code)
	hash := strings.Repeat("A1", 32)
	for says, c := range map[string]config.Validator{
		"validator.trust_hash is missing: with validator.trust_height 7":                               {TrustHeight: 7, TrustServers: []string{"http://a", "http://b"}},
		"validator.trust_servers names 0 nodes":                                                        {TrustHeight: 7, TrustHash: hash},
		"validator.trust_servers names 1 nodes: with validator.trust_height 7 it must name at least 2": {TrustHeight: 7, TrustHash: hash, TrustServers: []string{"http://a"}},
	} {
		s, err := settings.Read(settings.Sources{Getenv: func(string) string { return "" }, DataDir: filepath.Join(cmd.dir, "net", "node0")})
		require.NoError(t, err)
		s.Config.Validator = c
		_, err = node.NewValidator(s, slog.New(slog.NewTextHandler(io.Discard, nil)))
		require.ErrorContains(t, err, says)
	}
}
