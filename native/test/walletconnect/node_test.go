package walletconnect

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/config"
	netfetch "obverse/core/net/fetch"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/wallet/cosmos/nodetest"
	evmtest "obverse/core/wallet/evm/nodetest"
	"obverse/native/fetch"
	"obverse/native/test/walletconnect/npmpeer"
)

const (
	iris     = "cosmos:irishub-1"
	password = "Ent3r_Un1Qu3-X"
	hubURL   = "https://hub.example/"
	irisURL  = "https://iris.example/"
	ethURL   = "https://eth.example/"
)

// wallets is a whole wallet node, connected to a wallet of the official client.
type wallets struct {
	t         *testing.T
	peer      *npmpeer.Peer
	kv        store.KV
	net       *nodetest.Net
	node      *core.Node
	ahead     atomic.Int64 // difference between its clock and the real time
	stop      func()
	addresses struct{ Cosmos, Iris, EVM string }
}

func newWallets(t *testing.T) *wallets {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	w := &wallets{t: t, peer: npmpeer.Start(t), kv: kv, net: nodetest.NewNet()}
	w.peer.Do(t, "account", nil, &w.addresses)
	recordings := filepath.Join("..", "..", "..", "core", "wallet", "cosmos", "testdata")
	for url, chain := range map[string][2]string{hubURL: {"gaiad", "cosmoshub-4"}, irisURL: {"iris", "irishub-1"}} {
		node := nodetest.Open(t, recordings, chain[0])
		node.OnChain(chain[1])
		node.Give(w.addresses.Cosmos, "uatom", "1000000")
		node.Give(w.addresses.Iris, "uiris", "1000000")
		w.net.Set(url, nodetest.Well(node))
	}
	w.net.Set(ethURL, evmtest.New(1, 100).Give(w.addresses.EVM, "2000000000000000000").Well)
	w.start()
	return w
}

// toRelay dials only the relay.
type toRelay struct {
	*fetch.Client
	relay string
}

func (d toRelay) Dial(ctx context.Context, r netfetch.Request) (netfetch.Socket, error) {
	if !strings.HasPrefix(r.URL, d.relay) {
		return nil, netfetch.ErrRequest
	}
	return d.Client.Dial(ctx, r)
}

// start runs the node on the store. It may be called again.
func (w *wallets) start() {
	w.t.Helper()
	settings := config.Default()
	settings.RPCPassword = config.NewSecret(password)
	settings.WalletConnect = config.WalletConnect{RelayURL: w.peer.Relay, ProjectID: strings.Repeat("0", 32)}
	client := fetch.New("test")
	var err error
	w.node, err = core.New(w.t.Context(), settings, core.Platform{Store: w.kv, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), ChainOnDemand: true,
		Fetch: w.net, Dial: toRelay{client, w.peer.Relay}, Now: func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }})
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(w.t.Context())
	node, ended := w.node, make(chan error, 1)
	go func() { ended <- node.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		<-ended // returns when its context has ended
		node.Close()
		client.Close()
	})
	w.t.Cleanup(w.stop)
}

func (w *wallets) call(method string, params any) (status int, result map[string]any) {
	body, err := json.Marshal(map[string]any{"mmrpc": "2.0", "userpass": password, "method": method, "params": params})
	require.NoError(w.t, err)
	status, reply := w.node.RPC(w.t.Context(), rpc.Caller{Local: true}, body)
	require.NoError(w.t, json.Unmarshal(reply, &result), "%s", reply)
	if status == http.StatusOK {
		result, _ = result["result"].(map[string]any)
	}
	return status, result
}

type object = map[string]any

func (w *wallets) do(method string, params object) object {
	w.t.Helper()
	status, result := w.call(method, params)
	require.Equal(w.t, http.StatusOK, status, "%s: %v", method, result)
	return result
}

func (w *wallets) refuse(method string, params object, kind string) {
	w.t.Helper()
	status, answer := w.call(method, params)
	require.NotEqual(w.t, http.StatusOK, status)
	require.Equal(w.t, kind, answer["error_type"], answer)
}

// propose makes a proposal and waits until the wallet has received it.
func (w *wallets) propose() (pairing string, id uint64) {
	w.t.Helper()
	families := object{
		"cosmos": object{"chains": []string{hub, iris}, "methods": proposed()["cosmos"].Methods, "events": []string{}},
		"eip155": object{"chains": []string{mainnet}, "methods": proposed()["eip155"].Methods, "events": proposed()["eip155"].Events},
	}
	made := w.do("wc_new_connection", object{"required_namespaces": families})
	w.peer.Do(w.t, "pair", npmpeer.Parameters{"uri": made["url"]}, nil)
	var p proposal
	w.peer.Event(w.t, "session_proposal", &p)
	return made["pairing_topic"].(string), p.ID
}

// connect opens a session, and returns its topic.
func (w *wallets) connect() string {
	w.t.Helper()
	pairing, id := w.propose()
	agreed := npmpeer.Parameters{
		"cosmos": npmpeer.Parameters{"methods": proposed()["cosmos"].Methods, "events": []string{}, "accounts": []string{hub + ":" + w.addresses.Cosmos, iris + ":" + w.addresses.Iris}},
		"eip155": npmpeer.Parameters{"methods": proposed()["eip155"].Methods, "events": proposed()["eip155"].Events, "accounts": []string{mainnet + ":" + w.addresses.EVM}},
	}
	w.peer.Do(w.t, "approve", npmpeer.Parameters{"id": id, "namespaces": agreed}, nil)
	for {
		if found, is := w.do("wc_get_session", object{"topic": pairing, "with_pairing_topic": true})["session"].(object); is {
			return found["topic"].(string)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (w *wallets) mode(mode string) {
	w.peer.Do(w.t, "mode", npmpeer.Parameters{"mode": mode}, nil)
}

func (w *wallets) enable(topic string) {
	w.t.Helper()
	whose := object{"priv_key_policy": object{"type": "SessionWallet", "data": topic}}
	for ticker, url := range map[string]string{"ATOM": hubURL, "IRIS": irisURL} {
		w.do("enable_tendermint_with_assets", object{"ticker": ticker, "tokens_params": []any{}, "nodes": []any{object{"url": url}}, "activation_params": whose})
	}
	w.do("enable_eth_with_tokens", object{"ticker": "ETH", "nodes": []any{object{"url": ethURL}}, "erc20_tokens_requests": []any{},
		"swap_contract_address": "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80", "activation_params": whose})
}

// sign signs texts with both families and verifies the signatures.
func (w *wallets) sign() {
	w.t.Helper()
	for ticker, address := range map[string]string{"ATOM": w.addresses.Cosmos, "IRIS": w.addresses.Iris, "ETH": w.addresses.EVM} {
		signed := w.do("sign_message", object{"coin": ticker, "message": "Grüße"})
		require.Equal(w.t, object{"is_valid": true}, w.do("verify_message", object{"coin": ticker, "message": "Grüße", "address": address, "signature": signed["signature"]}))
	}
}

// The official client is the wallet of a whole node. It accepts, signs, rejects, and returns wrong
// signatures. The relay and the node are restarted, and the session ends.
func TestOfficialWalletOfANode(t *testing.T) {
	w := newWallets(t)
	topic := w.connect()
	require.Equal(t, "Ping successful", w.do("wc_ping_session", object{"topic": topic})["result"])
	w.enable(topic)
	w.sign()
	send := object{"coin": "ATOM", "to": w.addresses.Cosmos, "amount": "0.1"}
	signed := w.do("withdraw", send)
	require.Equal(t, signed["tx_hash"], w.do("send_raw_transaction", object{"coin": "ATOM", "tx_hex": signed["tx_hex"]})["tx_hash"])
	sent := w.do("withdraw", object{"coin": "ETH", "to": w.addresses.EVM, "amount": "0.1", "broadcast": true})
	require.Regexp(t, "^(0x)?[0-9a-f]{64}$", sent["tx_hash"], "the wallet sent it elsewhere")

	for mode, kind := range map[string]string{"reject": "WalletRefused", "reject-evm": "WalletRefused", "wrong": "WalletFailed"} {
		w.mode(mode)
		w.refuse("withdraw", send, kind)
		w.refuse("sign_message", object{"coin": "ETH", "message": "hello"}, kind)
	}
	w.mode("sign")
	w.peer.Do(t, "down", nil, nil)
	signing := make(chan int, 1)
	go func() {
		status, _ := w.call("withdraw", send)
		signing <- status
	}()
	w.peer.Do(t, "up", nil, nil)
	require.Equal(t, http.StatusOK, <-signing)

	w.stop()
	w.start()
	for len(w.do("get_enabled_coins", object{})["coins"].([]any)) < 3 {
		time.Sleep(10 * time.Millisecond)
	}
	w.sign()
	w.ahead.Store(int64(8 * 24 * time.Hour))
	w.refuse("withdraw", send, "WalletNotFound")
	require.Empty(t, w.do("wc_get_sessions", nil)["sessions"])
}

// A rejected proposal opens no session. A deleted session ends on both sides.
func TestOfficialWalletRefusesANode(t *testing.T) {
	w := newWallets(t)
	pairing, id := w.propose()
	w.peer.Do(t, "reject", npmpeer.Parameters{"id": id, "code": 5000, "message": "User rejected."}, nil)
	topic := w.connect()
	require.Nil(t, w.do("wc_get_session", object{"topic": pairing, "with_pairing_topic": true})["session"])
	require.Len(t, w.do("wc_get_sessions", object{})["sessions"], 1)
	w.do("wc_delete_session", object{"topic": topic})
	var gone ended
	w.peer.Event(t, "session_delete", &gone)
	require.Equal(t, ended{"wallet", topic}, gone)
	w.refuse("wc_ping_session", object{"topic": topic}, "SessionRequestError")
}
