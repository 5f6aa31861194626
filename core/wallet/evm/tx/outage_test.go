package tx

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// network holds servers of which some lie: they report that the account's nonce is used, and that
// its transactions do not exist. The honest ones have the same transactions.
type network struct {
	mu       sync.Mutex
	nonce    uint64            // number of executed transactions
	confirms bool              // whether the liars take transactions and say that they are in a block
	syncing  bool              // whether the honest servers report that they lack blocks
	waiting  map[uint64][]byte // by nonce
	executed map[string][]byte // by hash
	withheld [][]byte          // transactions that the liars received
	limits   *fetch.Response   // response of the honest servers to all requests; nil if they are well
	loses    *fetch.Response   // if not nil, the response to the next transaction is lost, and limits becomes this
}

func (n *network) set(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

// mine executes the pending transactions with successive nonces.
func (n *network) mine() {
	n.set(func() {
		for n.waiting[n.nonce] != nil {
			raw := n.waiting[n.nonce]
			n.executed["0x"+nameOf(wire.Hash(raw))] = raw
			n.nonce++
		}
	})
}

// reveal sends the transactions that the liars received to the honest servers.
func (n *network) reveal(t *testing.T) {
	n.set(func() {
		for _, raw := range n.withheld {
			if at := nonceOf(t, raw); at >= n.nonce && n.waiting[at] == nil {
				n.waiting[at] = raw
			}
		}
	})
}

// rpcCall is a request for one method.
type rpcCall struct {
	ID     json.RawMessage
	Method string
	Params []any
}

// pool returns a pool of servers with the given names, of which those of liars contain "liar".
func (n *network) pool(t *testing.T, names string) *node.Pool {
	c := node.Config{ChainID: 1, Block: 12 * time.Second, Fetcher: fetch.Func(n.fetch), Now: time.Now}
	for _, name := range strings.Fields(names) {
		c.Nodes = append(c.Nodes, nodepool.Node{URL: "https://" + name + ".example"})
	}
	pool, err := node.New(c)
	require.NoError(t, err)
	return pool
}

func (n *network) fetch(_ context.Context, r fetch.Request) (fetch.Response, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	lies := strings.Contains(r.URL, "liar")
	if !lies && n.limits != nil {
		return *n.limits, nil
	}
	var calls []rpcCall
	batch := json.Unmarshal(r.Body, &calls) == nil
	if !batch {
		calls = make([]rpcCall, 1)
		if err := json.Unmarshal(r.Body, &calls[0]); err != nil {
			return fetch.Response{}, err
		}
	}
	var answers []string
	for _, c := range calls {
		answer := n.honest
		if lies {
			answer = n.liar
		}
		said := answer(c)
		if !lies && c.Method == "eth_sendRawTransaction" && n.loses != nil {
			n.limits, n.loses = n.loses, nil
			return fetch.Response{}, fetch.ErrUnreachable
		}
		answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, c.ID, said))
	}
	body := strings.Join(answers, ",")
	if batch {
		body = "[" + body + "]"
	}
	return fetch.Response{Status: 200, ContentType: "application/json", Body: []byte(body)}, nil
}

func (n *network) honest(c rpcCall) string {
	switch c.Method {
	case "eth_chainId":
		return `"result":"0x1"`
	case "eth_blockNumber":
		return `"result":"0x64"`
	case "eth_syncing":
		if n.syncing {
			return `"result":{"currentBlock":"0x64","highestBlock":"0x70"}`
		}
		return `"result":false`
	case "eth_getTransactionCount":
		count := n.nonce
		for c.Params[1] == "pending" && n.waiting[count] != nil {
			count++
		}
		return fmt.Sprintf(`"result":"0x%x"`, count)
	case "eth_sendRawTransaction":
		raw := rawOf(c)
		sent, err := wire.Decode(raw)
		switch {
		case err != nil || sent.Nonce < n.nonce:
			return `"error":{"code":-32000,"message":"nonce too low"}`
		case n.waiting[sent.Nonce] != nil && string(n.waiting[sent.Nonce]) != string(raw):
			return `"error":{"code":-32000,"message":"replacement transaction underpriced"}`
		}
		n.waiting[sent.Nonce] = raw
		return fmt.Sprintf(`"result":"0x%s"`, nameOf(wire.Hash(raw)))
	case "eth_getTransactionByHash":
		if n.knows(c.Params[0].(string)) {
			return fmt.Sprintf(`"result":{"hash":%q}`, c.Params[0])
		}
	case "eth_getTransactionReceipt":
		if n.executed[c.Params[0].(string)] != nil {
			return fmt.Sprintf(`"result":{"transactionHash":%q,"blockNumber":"0x5f","status":"0x1","logs":[]}`, c.Params[0])
		}
	}
	return `"result":null`
}

func (n *network) knows(hash string) bool {
	for _, raw := range n.waiting {
		if "0x"+nameOf(wire.Hash(raw)) == hash {
			return true
		}
	}
	return n.executed[hash] != nil
}

// liar answers for a server whose operator wants the order to be paid again.
func (n *network) liar(c rpcCall) string {
	switch {
	case n.confirms && c.Method == "eth_sendRawTransaction":
		return fmt.Sprintf(`"result":"0x%s"`, nameOf(wire.Hash(rawOf(c))))
	case n.confirms && c.Method == "eth_getTransactionReceipt":
		return fmt.Sprintf(`"result":{"transactionHash":%q,"blockNumber":"0x5f","status":"0x1","logs":[]}`, c.Params[0])
	}
	switch c.Method {
	case "eth_getTransactionCount":
		return `"result":"0x6"`
	case "eth_sendRawTransaction":
		raw := rawOf(c)
		n.withheld = append(n.withheld, raw)
		if sent, err := wire.Decode(raw); err != nil || sent.Nonce < 6 {
			return `"error":{"code":-32000,"message":"nonce too low"}`
		}
		return fmt.Sprintf(`"result":"0x%s"`, nameOf(wire.Hash(raw)))
	case "eth_getTransactionByHash", "eth_getTransactionReceipt":
		return `"result":null`
	case "eth_syncing":
		return `"result":false`
	}
	return n.honest(c)
}

func rawOf(c rpcCall) []byte {
	raw, _ := hex.DecodeString(strings.TrimPrefix(c.Params[0].(string), "0x"))
	return raw
}

// fromPool is a Node with a pool of servers for transactions, and the stub for all else.
type fromPool struct {
	*stub
	pool *node.Pool
}

func (n fromPool) Nonce(ctx context.Context, a address.Address) (uint64, error) {
	return n.pool.Nonce(ctx, a)
}

func (n fromPool) Nonces(ctx context.Context, a address.Address) (coin.Counts, error) {
	return n.pool.Nonces(ctx, a)
}

func (n fromPool) Send(ctx context.Context, raw []byte, hash [32]byte) error {
	err := n.pool.Send(ctx, raw, hash)
	if refused, is := errors.AsType[*nodepool.RPCError](err); is { // as nodes of package evm do
		return &coin.RefusedError{Code: uint32(-refused.Code), Log: refused.Message}
	}
	return err
}

func (n fromPool) Receipt(ctx context.Context, hash [32]byte, pays *node.Payment) (node.Receipt, error) {
	return n.pool.Receipt(ctx, hash, pays)
}

func (n fromPool) Knows(ctx context.Context, hash [32]byte) (bool, error) {
	return n.pool.Knows(ctx, hash)
}

func (n fromPool) MajorityKnows(ctx context.Context, hash [32]byte) (bool, error) {
	return n.pool.MajorityKnows(ctx, hash)
}

func (n fromPool) AgreedHeight(ctx context.Context) (uint64, error) { return n.pool.AgreedHeight(ctx) }

// TestTwoLiarsWhileOthersAreLimited checks that an order with an unclear outcome is not paid twice.
// Of five servers, two lie about the nonce and about receipts. The honest three have the
// transaction, and answer 429 for some minutes, with and without Retry-After.
func TestTwoLiarsWhileOthersAreLimited(t *testing.T) {
	for _, wait := range []string{"", "60", "240", "3600"} {
		for _, servers := range orders {
			t.Run(fmt.Sprintf("429 %s, %s", wait, servers), func(t *testing.T) {
				payOnce(t, servers, fetch.Response{Status: 429, RetryAfter: wait}, func(n *network, since time.Duration) {
					if since >= 5*time.Minute { // the honest servers are well again
						n.limits = nil
					}
				})
			})
		}
	}
}

// TestTwoLiarsWhileOthersSync is like TestTwoLiarsWhileOthersAreLimited, with honest servers that
// are restarted, as for an upgrade of the network, and then lack blocks for some minutes.
func TestTwoLiarsWhileOthersSync(t *testing.T) {
	for _, servers := range orders {
		t.Run(servers, func(t *testing.T) {
			payOnce(t, servers, fetch.Response{Status: 502}, func(n *network, since time.Duration) {
				if since >= 20*time.Second {
					n.limits, n.syncing = nil, since < 5*time.Minute
				}
			})
		})
	}
}

// orders are orders of the servers.
var orders = []string{"liar0 liar1 honest0 honest1 honest2", "honest0 liar0 honest1 liar1 honest2", "honest0 honest1 honest2 liar0 liar1"}

// payOnce pays an order. The response is lost, and the honest servers have the given outage from
// then on, until story changes them. The sender waits for the transaction, and repeats the order
// until a server accepts it.
func payOnce(t *testing.T, names string, outage fetch.Response, story func(n *network, since time.Duration)) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		servers := &network{nonce: 5, waiting: map[uint64][]byte{}, executed: map[string][]byte{}, loses: &outage}
		pool := servers.pool(t, names)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = pool.Run(ctx)
		}()
		defer func() {
			stop()
			<-ended
		}()
		_, err := pool.Probe(ctx)
		require.NoError(t, err)
		w, s := wallet(t)
		w.Node, w.Queue = fromPool{s, pool}, coin.OpenSendQueue(time.Now, kv)
		made, err := w.Withdraw(ctx, w.Native, sendLittle(t))
		require.ErrorAs(t, err, new(*coin.UnclearError))
		require.EqualValues(t, 5, nonceOf(t, made.Raw))
		require.Len(t, servers.waiting, 1, "the honest servers have it")

		began := time.Now()
		for time.Since(began) < 15*time.Minute {
			time.Sleep(25 * time.Second)
			servers.set(func() { story(servers, time.Since(began)) })
			patient, cancel := context.WithTimeout(ctx, 5*time.Second)
			_, err := w.Await(patient, made.Raw, 1)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded, "it may still be executed, after %v", time.Since(began))
			again, err := w.Withdraw(ctx, w.Native, sendLittle(t))
			if len(again.Raw) > 0 {
				require.EqualValues(t, 5, nonceOf(t, again.Raw), "after %v: %v", time.Since(began), err)
			}
			if err == nil { // an honest server has it
				break
			}
		}
		servers.mine()
		servers.reveal(t)
		servers.mine()
		require.Len(t, servers.executed, 1, "it is paid once")
	})
}

// TestCancelledByTooFew checks that two liars of five do not make a user believe that a payment is
// cancelled, while the honest servers, which have the payment and not its cancellation, answer 429.
func TestCancelledByTooFew(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		servers := &network{nonce: 5, waiting: map[uint64][]byte{}, executed: map[string][]byte{}}
		w, s := wallet(t)
		w.Node, w.Queue = fromPool{s, servers.pool(t, orders[1])}, coin.OpenSendQueue(time.Now, kv)
		paid, err := w.Withdraw(t.Context(), w.Native, sendLittle(t))
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		cancelled, err := w.Replace(t.Context(), w.Native, paid.Raw, true)
		require.NoError(t, err)
		servers.set(func() { servers.confirms, servers.limits = true, &fetch.Response{Status: 429} })
		_, err = w.Broadcast(t.Context(), cancelled.Raw)
		require.NoError(t, err)
		patient, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err = w.Await(patient, cancelled.Raw, 1)
		require.ErrorIs(t, err, context.DeadlineExceeded)

		time.Sleep(time.Minute)
		servers.set(func() { servers.limits = nil })
		servers.mine()
		require.Contains(t, servers.executed, "0x"+paid.Hash)
		where, err := w.Await(t.Context(), paid.Raw, 1)
		require.NoError(t, err)
		require.EqualValues(t, 95, where.Height)
	})
}
