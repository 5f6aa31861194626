package cometbft

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/crypto"
	"github.com/cometbft/cometbft/crypto/ed25519"
	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
	"github.com/cometbft/cometbft/types"
)

// Names of the files in a folder of CometBFT.
const (
	genesisFile = "config/genesis.json"
	nodeKeyFile = "config/node_key.json"
	signKeyFile = "config/priv_validator_key.json"
	signedFile  = "data/priv_validator_state.json"
)

// Home returns the folder of CometBFT's files in a data folder.
func Home(dataDir string) string { return filepath.Join(dataDir, "cometbft") }

// Identity identifies a node to others: its id and its validator key.
type Identity struct {
	NodeID    string // part before @ in peers
	Validator types.GenesisValidator
}

// Entry returns the node's entry for the validators of a genesis, as JSON.
func (id Identity) Entry() string {
	text, err := cmtjson.Marshal(id.Validator)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Prepare creates the folder and missing keys, and returns their ids.
func Prepare(home string) (id Identity, err error) {
	for _, folder := range []string{"config", "data"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
			return id, err
		}
	}
	path := filepath.Join(home, nodeKeyFile)
	node, err := p2p.LoadOrGenNodeKey(path)
	if err != nil {
		return id, fmt.Errorf("%s: %w", path, err)
	}
	if err := usable(node.PrivKey); err != nil {
		return id, fmt.Errorf("%s is damaged: %w", path, err)
	}
	signer, err := newSigner(home)
	if errors.Is(err, fs.ErrExist) {
		signer, err = loadSigner(home)
	}
	if err != nil {
		return id, err
	}
	pub, err := signer.GetPubKey()
	if err != nil {
		return id, err
	}
	return Identity{string(node.ID()), types.GenesisValidator{Address: pub.Address(), PubKey: pub, Power: 1}}, nil
}

// newSigner creates a validator's key if none of its files exists; otherwise it fails with
// fs.ErrExist.
func newSigner(home string) (*privval.FilePV, error) {
	key, state := filepath.Join(home, signKeyFile), filepath.Join(home, signedFile)
	for _, path := range []string{key, state} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, fs.ErrExist)
		}
	}
	pv := privval.GenFilePV(key, state)
	pv.Save()
	return pv, nil
}

// loadSigner reads the validator's key and the record of its last signature, without which it might
// sign twice at one height. CometBFT's own reader ends the process if a file is damaged, so
// loadSigner checks both files first.
func loadSigner(home string) (*privval.FilePV, error) {
	key, state := filepath.Join(home, signKeyFile), filepath.Join(home, signedFile)
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if err := readJSON(state, new(privval.FilePVLastSignState)); err != nil {
		return nil, fmt.Errorf("record of the validator's last signature, without which it could sign twice: %w", err)
	}
	return privval.LoadFilePV(key, state), nil
}

// checkKey checks the file of a validator's key, which CometBFT does not check.
func checkKey(path string) error {
	var key privval.FilePVKey
	if err := readJSON(path, &key); err != nil {
		return fmt.Errorf("the validator's key: %w", err)
	}
	if err := usable(key.PrivKey); err != nil {
		return fmt.Errorf("the validator's key: %s is damaged: %w", path, err)
	}
	return nil
}

// usable rejects a key on which CometBFT would panic.
func usable(key crypto.PrivKey) error {
	if k, ok := key.(ed25519.PrivKey); !ok || len(k) != ed25519.PrivateKeySize {
		return fmt.Errorf("the key is not an ed25519 key of %d bytes", ed25519.PrivateKeySize)
	}
	return nil
}

func readJSON(path string, into any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := cmtjson.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}

// Reset renames CometBFT's data and genesis of a chain, and returns their new names. It keeps the
// keys, and resets the record of their signatures, since a signature for one chain is not valid for another. The genesis is
// renamed last: as long as it exists, Reset can be called again after a failure.
func Reset(home string) (renamedFiles []string, err error) {
	for _, step := range []func() ([]string, error){
		func() ([]string, error) { return renamed(home, "data") },
		func() ([]string, error) { return nil, resetSigned(home) },
		func() ([]string, error) { return renamed(home, genesisFile) },
	} {
		names, err := step()
		renamedFiles = append(renamedFiles, names...)
		if err != nil {
			return renamedFiles, err
		}
	}
	return renamedFiles, nil
}

// renamed gives an existing file or folder an unused name.
func renamed(home, name string) ([]string, error) {
	path := filepath.Join(home, name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.before-%d", path, n)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(path, to); err != nil {
			return nil, err
		}
		return []string{to}, nil
	}
}

// resetSigned resets the record of the signatures of the validator's key, if there is a key.
func resetSigned(home string) error {
	key := filepath.Join(home, signKeyFile)
	if _, err := os.Lstat(key); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := checkKey(key); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(home, "data"), 0o700); err != nil {
		return err
	}
	privval.LoadFilePVEmptyState(key, filepath.Join(home, signedFile)).Save()
	return nil
}

// HasData reports whether a node has run in a folder.
func HasData(home string) bool {
	found, err := filepath.Glob(filepath.Join(home, "data", "*.db"))
	return err == nil && len(found) > 0
}

// Settings holds the operator's settings. An address is a host and a port.
type Settings struct {
	Home     string   // folder of CometBFT's files
	ChainID  string   // of the genesis; "": any, of a CometBFT outside
	Listen   string   // address for other nodes
	External string   // address by which other nodes reach this one, if it differs from Listen
	Peers    []string // nodes to which this node stays connected: id@host:port
	RPC      string   // address of CometBFT's RPC, for its tools and light clients; "" disables it
	// Guard wraps the handler of RPC and refuses requests of other sites' pages. It must be set if RPC is.
	Guard   func(http.Handler) http.Handler
	Signer  string // address on which a remote signer of the validator's key connects; "": the key is in Home
	Trust   Trust
	Metrics bool // CometBFT's metrics are collected in Prometheus' default registry
}

// Trust holds a header that the operator trusts, from which a node joins with a snapshot.
type Trust struct {
	Height  int64 // 0: the node replays all blocks
	Hash    string
	Servers []string // RPC addresses of at least two nodes
}

// trustPeriod is the time for which a header is trusted. Evidence against the validators that signed a header is valid
// for 48 hours (CometBFT's default), after which they could sign another header without a penalty;
// a week is CometBFT's default for clients.
const trustPeriod = 168 * time.Hour

// mempoolSize limits CometBFT's mempool. With a large mempool a block takes longer to
// make, and each slow block makes the next one larger: with 50,000 transactions and
// blocks of 4 MB the chain stopped.
const mempoolSize = 5000

// PoolSize limits the node's own mempool. It is smaller than CometBFT's, so that a client gets
// the error of a full mempool before CometBFT has to drop acknowledged transactions.
const PoolSize = 4000

// config returns CometBFT's config, with settings for few validators and small blocks.
func (s *Settings) config() *cfg.Config {
	c := cfg.DefaultConfig().SetRoot(s.Home)
	c.Moniker = "obverse" // peers see it; the default is the name of the machine
	c.DBBackend = "goleveldb"
	c.Storage.DiscardABCIResponses = false
	c.TxIndex.Indexer = "null" // the node has its own indexes
	s.network(c)

	// Empty blocks confirm nothing, and would be written by all nodes all day. One in an hour is
	// for light clients, which refuse answers with a header that is older than two hours.
	c.Consensus.CreateEmptyBlocks = false
	c.Consensus.CreateEmptyBlocksInterval = time.Hour
	// The next block begins as soon as all validators have answered, and slow validators have
	// 50 ms to take part in the commit. The default of 1 s would delay every transaction.
	c.Consensus.TimeoutCommit = 50 * time.Millisecond
	c.Consensus.SkipTimeoutCommit = true
	// A missing proposer costs the first and the third of these times, less than 2 s together. With
	// 500 ms for a proposal, a loaded machine gave up proposers that were still working, and the chain
	// stopped. Each further round adds half a second.
	c.Consensus.TimeoutPropose = 1200 * time.Millisecond
	c.Consensus.TimeoutPrevote = 500 * time.Millisecond
	c.Consensus.TimeoutPrecommit = 300 * time.Millisecond
	// The time for which a vote waits before it is sent to a peer. With 100 ms a block took 430 ms.
	c.Consensus.PeerGossipSleepDuration = 5 * time.Millisecond
	// After a restart, CometBFT's check would take the node's own signatures for those of a
	// second node. A node without the record of its signatures does not start anyway.
	c.Consensus.DoubleSignCheckHeight = 0

	c.Mempool.Size = mempoolSize
	c.Mempool.MaxTxsBytes = 64 << 20 // as much as blocks contain in a minute
	c.Mempool.CacheSize = 4 * mempoolSize
	c.Mempool.MaxTxBytes = 200_000 // limit of the chain for a transaction
	return c
}

// peerIDs returns the ids of Peers.
func (s *Settings) peerIDs() []string {
	ids := make([]string, len(s.Peers))
	for i, peer := range s.Peers {
		ids[i], _, _ = strings.Cut(peer, "@")
	}
	return ids
}

// network sets the addresses, the peers and the timing of connections.
func (s *Settings) network(c *cfg.Config) {
	c.P2P.ListenAddress = "tcp://" + s.Listen
	c.P2P.ExternalAddress = s.External
	c.P2P.PersistentPeers = strings.Join(s.Peers, ",")
	c.P2P.UnconditionalPeerIDs = strings.Join(s.peerIDs(), ",") // other peers cannot take their places
	// Small messages wait this long to be sent together with others. The default of 100 ms
	// occurs several times in each block: 770 ms together.
	c.P2P.FlushThrottleTimeout = 5 * time.Millisecond
	// Validators are often in private networks.
	c.P2P.AddrBookStrict = false
	// Several nodes on one machine are a test network.
	host, _, _ := net.SplitHostPort(s.Listen)
	ip := net.ParseIP(host)
	c.P2P.AllowDuplicateIP = ip != nil && ip.IsLoopback()
	// A lost peer is dialled again at least every 10 s.
	c.P2P.PersistentPeersMaxDialPeriod = 10 * time.Second

	c.RPC.ListenAddress = "" // serveRPC serves it
	c.PrivValidatorListenAddr = ""
	if s.Signer != "" {
		c.PrivValidatorListenAddr = s.Signer
	}
	c.Instrumentation.Prometheus = s.Metrics
	c.Instrumentation.PrometheusListenAddr = ""
	if c.StateSync.Enable = s.Trust.Height > 0; c.StateSync.Enable {
		c.StateSync.TrustHeight, c.StateSync.TrustHash, c.StateSync.RPCServers = s.Trust.Height, s.Trust.Hash, s.Trust.Servers
		c.StateSync.TrustPeriod = trustPeriod
		c.StateSync.DiscoveryTime = 5 * time.Second // minimum that CometBFT accepts
	}
}
