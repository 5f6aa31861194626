package daemon

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/engine"
	"obverse/core/chain/keyring"
	"obverse/core/chain/mempool"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

// Backend provides the chain, the mempool and the wallet to the methods of the daemon API.
type Backend struct {
	Manager  *chain.Manager
	Pool     *mempool.Pool
	Wallet   *wallet.Wallet                         // nil if the node has no key
	Ring     *keyring.Ring                          // keys of the wallet; nil if the node has no key
	Producer *engine.Producer                       // nil if this node makes no blocks
	Prover   Prover                                 // nil if no validators sign the state
	Announce func(raw []byte)                       // offers a transaction to other nodes; nil if this node makes the blocks alone
	Stalled  func() error                           // returns why no blocks are made, or nil while they are made; the function may be nil
	Healthy  func() error                           // returns why the store cannot be changed, or nil if it can; the function may be nil
	Network  func(context.Context) (Network, error) // returns the state of the validators' network; nil if this node makes the blocks alone
	RelayFee int64                                  // satoshis per 1000 bytes
	Port     func() int                             // returns the port of the daemon API; nil if it has no port
	Now      func() time.Time
	Version  string
	Stop     func() // ends the process; nil if the process cannot be ended

	paying   sync.Mutex    // prevents two payments from choosing the same coins
	arrivals atomic.Uint64 // counts transactions of the wallet
}

// Network describes the network of the nodes that make blocks together.
type Network struct {
	Connections int
	Port        uint16 // port on which other nodes connect; 0 if unknown
	CatchingUp  bool   // whether this node lacks blocks of the other nodes
}

// sent is the id of an accepted transaction. The reply contains a warning if no blocks are made
// at the moment.
type sent struct {
	wire.Hash
	stalled error
}

// Warning implements warner.
func (s sent) Warning() string {
	if s.stalled == nil {
		return ""
	}
	return s.stalled.Error() + "; the transaction is kept and waits: do not send it again"
}

// warning returns the current problem of the node that an operator should know, or "".
func (b *Backend) warning() string {
	for _, check := range []func() error{b.Healthy, b.Stalled} {
		if check == nil {
			continue
		}
		if err := check(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// network returns the state of the network, whether this node has all blocks, and the current
// problem that an operator should know, or "". If the state cannot be determined, the node is
// reported as not synced and without connections.
func (b *Backend) network(ctx context.Context) (n Network, synced bool, warning string) {
	synced, warning = !b.Manager.Params().Regtest, b.warning()
	if b.Network == nil { // except on regtest, komodod requires peers with the same chain, which a solo chain does not have
		return n, synced, warning
	}
	n, err := b.Network(ctx)
	if err != nil && warning == "" {
		warning = err.Error()
	}
	return n, err == nil && !n.CatchingUp, warning
}

// send adds a client's transaction to the mempool. When it returns, the transaction is durable
// here and has been offered to the nodes that make blocks with this one. After a
// *mempool.UnclearError, the transaction may have been sent.
func (b *Backend) send(ctx context.Context, raw []byte, allowHighFees bool) (s sent, err error) {
	return b.sendNoted(ctx, raw, allowHighFees, keyring.Note{})
}

// sendNoted is send with what the wallet keeps of the transaction.
func (b *Backend) sendNoted(ctx context.Context, raw []byte, allowHighFees bool, note keyring.Note) (s sent, err error) {
	s.Hash, err = b.Pool.Accept(ctx, raw, allowHighFees)
	if errors.As(err, new(*mempool.UnclearError)) {
		_ = b.noteArrival(context.WithoutCancel(ctx), s.Hash, note)
	}
	if err != nil {
		return s, err
	}
	_ = b.noteArrival(ctx, s.Hash, note) // the transaction has been sent, so an error of the note must not look like a failure to send it
	if b.Stalled != nil {
		s.stalled = b.Stalled()
	}
	if b.Announce == nil {
		return s, nil
	}
	if _, raw, err := mempool.Decode(raw); err == nil { // always, since the mempool has decoded it
		b.Announce(raw)
	}
	return s, nil
}

// Methods returns all methods of the daemon API except those that a Server implements itself.
func (b *Backend) Methods() (methods []rpc.Method) {
	for _, area := range [][]rpc.Method{
		b.tokenMethods(), b.transactionMethods(), b.chainMethods(), b.addressMethods(), b.walletMethods(),
		b.producerMethods(), b.controlMethods(),
	} {
		methods = append(methods, area...)
	}
	return methods
}
