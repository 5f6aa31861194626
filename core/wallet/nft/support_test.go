package nft

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/peerid"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

const (
	indexerURL     = "https://indexer.example"
	antispamURL    = "https://antispam.example"
	wallet         = "0xf622a6c52c94b500542e2ae6bcad24c53bc5b6a2"
	checksumWallet = "0xf622a6C52C94b500542e2ae6BcaD24c53BC5B6A2"
	other          = "0x083c32b38e8050473f6999e22f670d1404235592"
	smurfs         = "0x48c75fbf0452fa8ff2928ddf46b0fe7629cca2ff"
	apes           = "0xd25f13e4ba534ef625c75b84934689194b7bd59e"
)

// fakePlatform is an active coin, usually of an EVM network.
type fakePlatform struct {
	entry   *coin.Entry
	address string
	height  uint64 // 0 means 100 million
	fails   error
}

func (g *fakePlatform) Height(context.Context) (uint64, error) {
	return cmp.Or(g.height, 100_000_000), g.fails
}

func (g *fakePlatform) Ticker() string     { return g.entry.Ticker }
func (g *fakePlatform) Entry() *coin.Entry { return g.entry }
func (g *fakePlatform) Address() string    { return g.address }

// noAddress is a coin without an address.
type noAddress struct{ entry *coin.Entry }

func (m *noAddress) Ticker() string     { return m.entry.Ticker }
func (m *noAddress) Entry() *coin.Entry { return m.entry }

// identity is the identity of a node.
type identity struct{ secret ed25519.PrivateKey }

func newIdentity() identity { return identity{ed25519.NewKeyFromSeed([]byte(strings.Repeat("{", 32)))} }

func (i identity) public() [32]byte             { return [32]byte(i.secret.Public().(ed25519.PublicKey)) }
func (i identity) PublicKeyEncoded() []byte     { return peerid.EncodeEd25519(i.public()) }
func (i identity) PeerID() peerid.ID            { return peerid.FromEd25519(i.public()) }
func (i identity) Sign(message []byte) [64]byte { return [64]byte(ed25519.Sign(i.secret, message)) }

// bench is a Gallery with a test server and a test platform.
type bench struct {
	*Gallery
	world *nfttest.Server
	kv    store.KV

	mu     sync.Mutex
	logged []string
}

// testEntries is a user's coins list. It has the chains that the built-in list lacks, and some
// chains without NFTs.
const testEntries = `[
	{"coin":"BNB","mm2":1,"protocol":{"type":"ETH","protocol_data":{"chain_id":56}}},
	{"coin":"NFT_BNB","mm2":1,"protocol":{"type":"NFT","protocol_data":{"platform":"BNB"}}},
	{"coin":"GLMR","mm2":1,"protocol":{"type":"ETH","protocol_data":{"chain_id":1284}}},
	{"coin":"NFT_GLMR","mm2":1,"protocol":{"type":"NFT","protocol_data":{"platform":"GLMR"}}},
	{"coin":"NFT_KMD","mm2":1,"protocol":{"type":"NFT","protocol_data":{"platform":"KMD"}}},
	{"coin":"KMD","mm2":1,"protocol":{"type":"UTXO"}},
	{"coin":"NFT_NONE","mm2":1},
	{"coin":"NFT_WOOF","mm2":1,"protocol":{"type":"NFT"}}
]`

func newBench(t testing.TB) *bench { return openBench(t, bunttest.Memory(t)) }

// openBench starts a node with a store.
func openBench(t testing.TB, kv store.KV) *bench {
	t.Helper()
	user, problems, err := coin.ParseList([]byte(testEntries))
	require.NoError(t, err)
	require.Empty(t, problems)
	active, err := coin.Open(t.Context(), coin.Config{Store: kv, Restore: true})
	require.NoError(t, err)
	b := &bench{world: &nfttest.Server{}, kv: kv}
	b.Gallery = New(Config{Active: active, Registry: coin.NewRegistry(user), Store: kv, Fetcher: b.world, Identity: newIdentity(),
		Now: time.Now, Warn: b.log})
	return b
}

func (b *bench) log(message string, pairs ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := 1; i < len(pairs); i += 2 {
		message += " " + strings.TrimSpace(strings.ReplaceAll(stringOf(pairs[i]), "\n", " "))
	}
	b.logged = append(b.logged, message)
}

// addPlatform makes a platform active.
func (b *bench) addPlatform(t testing.TB, ticker, address string) {
	t.Helper()
	entry, err := b.Registry.Lookup(ticker)
	require.NoError(t, err)
	b.commit(t, &fakePlatform{entry: entry, address: address})
}

func (b *bench) commit(t testing.TB, c coin.Coin) {
	t.Helper()
	x, err := b.Active.Begin(t.Context(), c.Ticker())
	require.NoError(t, err)
	require.NoError(t, x.Commit(t.Context(), coin.Item{Coin: c}))
}

func indexer() Provider { return Provider{Indexer: Server{URL: indexerURL}} }

func services() Services {
	return Services{Indexer: Server{URL: indexerURL}, Antispam: Server{URL: antispamURL}}
}

// polygon activates MATIC and its network of NFTs, on which the wallet has the given items.
func (b *bench) polygon(t testing.TB, items ...nfttest.Item) Activated {
	t.Helper()
	b.world.Hold("POLYGON", wallet, items...)
	b.addPlatform(t, "MATIC", checksumWallet)
	done, err := b.Activate(t.Context(), "NFT_MATIC", indexer())
	require.NoError(t, err)
	return done
}

func (b *bench) stored(t testing.TB, address, id string) NFT {
	t.Helper()
	n, err := b.Get(t.Context(), Token{Polygon, address, id}, false)
	require.NoError(t, err)
	return n
}

func smurf(id string) nfttest.Item { return nfttest.NewItem(smurfs, id, ERC1155, "1") }

func stringOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case error:
		return v.Error()
	}
	return "?"
}

func queryOf(t testing.TB, raw string) url.Values {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	return u.Query()
}
