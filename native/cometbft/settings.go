package cometbft

import (
	"net"
	"net/http"
	"strings"
	"time"

	cfg "github.com/cometbft/cometbft/config"
)

// Settings holds the operator's settings. Addresses are a host and a port.
type Settings struct {
	Home     string   // folder of CometBFT's files
	ChainID  string   // of the genesis; "": any, of a CometBFT outside
	Listen   string   // address for other nodes
	External string   // by which others reach it, if Listen does not say
	Peers    []string // nodes to stay connected with: id@host:port
	RPC      string   // CometBFT's own interface, for its tools and light clients; "": none
	// Guard lets through to RPC what no web page of others sends. It must be set if RPC is.
	Guard   func(http.Handler) http.Handler
	Signer  string // address on which a remote signer of the validator's key connects; "": the key is in Home
	Trust   Trust
	Metrics bool // CometBFT's figures are collected in Prometheus' default registry
}

// Trust holds the header from which a node joins by a snapshot, and which its operator trusts.
type Trust struct {
	Height  int64 // 0: the node replays all blocks
	Hash    string
	Servers []string // RPC of two nodes at least
}

// trustPeriod is for how long a header is trusted: evidence against those who signed it counts
// for 48 hours (CometBFT's default), and a validator set can be trusted no longer than
// that; a week is CometBFT's default for clients.
const trustPeriod = 168 * time.Hour

// mempoolSize bounds what CometBFT's mempool holds. With a large one a block takes longer to
// make, and each round of a slow block makes the next one larger: with 50,000 transactions and
// blocks of 4 MB the chain stood still.
const mempoolSize = 5000

// PoolSize limits the node's own mempool. It is smaller than CometBFT's, so that a client gets
// the error of a full mempool before CometBFT has to drop acknowledged transactions.
const PoolSize = 4000

// config is CometBFT's, with what was measured to matter on small blocks.
func (s *Settings) config() *cfg.Config {
	c := cfg.DefaultConfig().SetRoot(s.Home)
	c.Moniker = "obverse" // shown to peers; the default is the machine's name
	c.DBBackend = "goleveldb"
	c.Storage.DiscardABCIResponses = false
	c.TxIndex.Indexer = "null" // the node's own indexes answer
	s.network(c)

	// An empty block confirms nothing and would be written everywhere all day. One an hour is
	// for light clients, which refuse answers by a header that is older than two.
	c.Consensus.CreateEmptyBlocks = false
	c.Consensus.CreateEmptyBlocksInterval = time.Hour
	// The next block begins as soon as all validators have answered; a slow one has
	// 50 ms to be in the commit. The default of 1 s is the latency of every transaction.
	c.Consensus.TimeoutCommit = 50 * time.Millisecond
	c.Consensus.SkipTimeoutCommit = true
	// A proposer that is gone costs the first and the third of these, under 2 s together. With
	// 500 ms for a proposal a loaded machine gave proposers up that were at work, and the chain
	// stood still; each further round has half a second more.
	c.Consensus.TimeoutPropose = 1200 * time.Millisecond
	c.Consensus.TimeoutPrevote = 500 * time.Millisecond
	c.Consensus.TimeoutPrecommit = 300 * time.Millisecond
	// How long a vote waits for its turn at a peer. With 100 ms a block took 430 ms.
	c.Consensus.PeerGossipSleepDuration = 5 * time.Millisecond
	// CometBFT's check would take a node's own signatures, after a restart, for those of a
	// second node. Without the record of what it signed the node does not start.
	c.Consensus.DoubleSignCheckHeight = 0

	c.Mempool.Size = mempoolSize
	c.Mempool.MaxTxsBytes = 64 << 20 // as many as blocks take in a minute
	c.Mempool.CacheSize = 4 * mempoolSize
	c.Mempool.MaxTxBytes = 200_000 // the chain's limit of a transaction
	return c
}

// peerIDs are the ids of Peers.
func (s *Settings) peerIDs() []string {
	ids := make([]string, len(s.Peers))
	for i, peer := range s.Peers {
		ids[i], _, _ = strings.Cut(peer, "@")
	}
	return ids
}

// network says who is reached, and how.
func (s *Settings) network(c *cfg.Config) {
	c.P2P.ListenAddress = "tcp://" + s.Listen
	c.P2P.ExternalAddress = s.External
	c.P2P.PersistentPeers = strings.Join(s.Peers, ",")
	c.P2P.UnconditionalPeerIDs = strings.Join(s.peerIDs(), ",") // other peers cannot take their places
	// Small messages wait this long for others to be sent with. The default of 100 ms is
	// paid several times in each block: 770 ms together.
	c.P2P.FlushThrottleTimeout = 5 * time.Millisecond
	// Validators are in private networks as often as not.
	c.P2P.AddrBookStrict = false
	// Several nodes on one machine are a network for tests.
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
		c.StateSync.DiscoveryTime = 5 * time.Second // the least that CometBFT takes
	}
}
