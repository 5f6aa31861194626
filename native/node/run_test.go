package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/core/key"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
	peer "obverse/core/wallet/lightning"
	"obverse/native/fetch"
	"obverse/native/httpd"
	"obverse/native/logging"
	"obverse/native/settings"
	"obverse/native/versionprobe"
)

// newBackend returns a backend in the folder dir, and its log.
func newBackend(dir string) (*backend, *strings.Builder) {
	var log strings.Builder
	s := &settings.Settings{Config: config.Default(), DataDir: dir, StoreDir: dir}
	s.Config.Passphrase = config.NewSecret("a node under test")
	return &backend{settings: s, log: logging.New(logging.Redact(&log), "info"), client: fetch.New("test"), metrics: httpd.NewMetrics(httpd.Build{}), guesses: guessesOf(&s.Config)}, &log
}

func TestBackendThatStarts(t *testing.T) {
	b, _ := newBackend(t.TempDir())
	body := []byte(`{"method":"getblockcount"}`)
	require.ErrorIs(t, b.ready(), errStarting)
	status, reply := b.serve(t.Context(), rpc.Caller{Local: true}, body)
	require.Equal(t, 401, status)
	require.Empty(t, reply)
	status, reply = b.serve(t.Context(), rpc.Caller{Authorized: true}, body)
	require.Equal(t, 500, status)
	require.Equal(t, `{"result":null,"error":{"code":-28,"message":"the node is starting"},"id":null}`+"\n", string(reply))

	require.NoError(t, b.open(t.Context(), func() {}))
	require.NoError(t, b.ready())
	status, reply = b.serve(t.Context(), rpc.Caller{Authorized: true}, body)
	require.Equal(t, 200, status)
	require.Equal(t, `{"result":1,"error":null,"id":null}`+"\n", string(reply))
	require.NoError(t, b.close())
}

// A call that does not end keeps the resources that it uses: it signs with the node's key, and its
// changes are stored.
func TestBackendDuringEndlessCall(t *testing.T) {
	dir := t.TempDir()
	b, _ := newBackend(dir)
	require.NoError(t, b.open(t.Context(), func() {}))
	send := func(address string) string {
		body := `{"method":"sendtoaddress","params":["` + address + `","1"]}`
		status, reply := b.serve(t.Context(), rpc.Caller{Authorized: true}, []byte(body))
		require.Equal(t, 200, status, string(reply))
		return string(reply)
	}
	const address = "RRFHw4kaRyNBjbZTMPBXsCFBuEwx6f3opQ"
	require.ErrorIs(t, b.closeAfter(errors.Join(httpd.ErrCutShort, httpd.ErrAtWork)), httpd.ErrAtWork)
	require.Contains(t, send(address), `"error":null`, "the node accepted a signature of its own key")
	require.ErrorIs(t, b.closeAfter(httpd.ErrCutShort), httpd.ErrCutShort)
	require.ErrorIs(t, b.db.Close(), store.ErrClosed)
	require.NoError(t, (&backend{client: fetch.New("test")}).closeAfter(context.Canceled))
}

func TestBackendThatNeverOpened(t *testing.T) {
	b, _ := newBackend(filepath.Join(t.TempDir(), "no folder"))
	require.ErrorIs(t, b.open(t.Context(), func() {}), os.ErrNotExist)
	require.NoError(t, b.close())
}

// The log contains what a start found in the file of the store.
func TestStoreFindings(t *testing.T) {
	dir := t.TempDir()
	start := func() string {
		b, log := newBackend(dir)
		require.NoError(t, b.open(t.Context(), func() {}))
		require.NoError(t, b.close())
		return log.String()
	}
	require.Contains(t, start(), "created an empty store for a new chain")
	require.Empty(t, start())

	path := filepath.Join(dir, StoreFile)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(whole, "*3\r\n$3\r\nset"...), 0o600))
	log := start()
	require.Contains(t, log, "level=WARN")
	require.Contains(t, log, "bytes=11")
	require.Empty(t, start())
}

// fullDisk is a store with a failed write.
type fullDisk struct{ failed chan struct{} }

func (d fullDisk) Failed() <-chan struct{} { return d.failed }

func (fullDisk) Healthy() error {
	return fmt.Errorf("%w: %w", store.ErrFailed, errors.New("no space left"))
}

func TestStoreFailureIsReported(t *testing.T) {
	var log strings.Builder
	disk := fullDisk{make(chan struct{})}
	ended, end := context.WithCancel(t.Context())
	end()
	require.NoError(t, reportFailure(ended, disk, logging.New(&log, "info")))
	require.Empty(t, log.String(), "nothing has failed")

	close(disk.failed)
	require.NoError(t, reportFailure(t.Context(), disk, logging.New(&log, "error")))
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "level=ERROR")
	for _, said := range []string{store.ErrFailed.Error(), "no space left", "free space", "until a restart"} {
		require.Contains(t, log.String(), said)
	}
}

func TestStoreFileIsPrivate(t *testing.T) {
	dir := t.TempDir()
	b, _ := newBackend(dir)
	require.NoError(t, b.open(t.Context(), func() {}))
	info, err := os.Stat(filepath.Join(dir, StoreFile))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, b.close())
}

// The reason why a Lightning node disconnected is in the log at the level debug.
func TestLightningPeersAreReported(t *testing.T) {
	b, log := newBackend(t.TempDir())
	changed := b.peers().Changed
	changed(peer.Peer{Node: peer.NodeID{2, 7}, Address: "192.0.2.1:9735", State: peer.Connected, Inbound: true})
	require.Empty(t, log.String(), "any node can connect, so level info has no lines")
	b.log = logging.New(log, "debug")
	changed = b.peers().Changed
	changed(peer.Peer{Node: peer.NodeID{2, 7}, Address: "192.0.2.1:9735", State: peer.Connected, Inbound: true})
	changed(peer.Peer{Node: peer.NodeID{2, 7}, State: peer.Waiting, Persistent: true, Reason: errors.New(`the node hung up; the node's message: "go away"`)})
	id := "0207" + strings.Repeat("0", 62)
	require.Contains(t, log.String(), `msg="connected to Lightning peer" node=`+id+" address=192.0.2.1:9735 inbound=true\n")
	require.Contains(t, log.String(), `msg="disconnected from Lightning peer" node=`+id+` reason="the node hung up; the node's message: \"go away\"" retry=true`+"\n")
}

// The probe connects to the ports of the netid in the config.
func TestNetIDReachesTheProbe(t *testing.T) {
	b, _ := newBackend(t.TempDir())
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	identity, err := key.OpenIdentity(t.Context(), kv, rand.Reader)
	require.NoError(t, err)
	require.NoError(t, kv.Close())
	_, err = b.probe(identity)
	require.NoError(t, err)
	b.settings.Config.NetID = 14429
	_, err = b.probe(identity)
	require.ErrorIs(t, err, versionprobe.ErrNetID)
	require.ErrorContains(t, err, "14429")
}

// The ports receive their settings.
func TestServerConfig(t *testing.T) {
	b, _ := newBackend(t.TempDir())
	b.settings.Config.AllowedHosts = []string{"node.example"}
	b.settings.Config.MaxRequestBytes = 2000
	b.settings.Config.BehindProxy = true
	b.settings.Config.RPCCORS = "https://wallet.example"
	c := serverConfig(b)
	require.Equal(t, []string{"node.example"}, c.Hosts)
	require.True(t, c.BehindProxy)
	require.Equal(t, httpd.Limits{Body: 2000}, c.Limits)
	require.Equal(t, []string{"https://wallet.example", "https://wallet.example"}, []string{c.Node.Origin, c.Node.Events.Origin})
}
