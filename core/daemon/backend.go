package daemon

import (
	"context"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

// Backend provides chain, mempool and wallet to the methods of the daemon API.
type Backend struct {
	Manager  *chain.Manager
	Pool     *mempool.Pool
	Wallet   *wallet.Wallet                         // nil: the node has no key
	Producer *engine.Producer                       // nil: this node makes no blocks
	Prover   Prover                                 // nil: no validators sign the state
	Announce func(raw []byte)                       // offers other nodes a transaction; nil: this node makes the blocks alone
	Stalled  func() error                           // why no blocks are made, nil while they are; nil: never
	Healthy  func() error                           // why the store takes no more changes, nil while it does; nil: always
	Network  func(context.Context) (Network, error) // the node among others; nil: it makes the blocks alone
	RelayFee int64                                  // satoshis for 1000 bytes
	Port     func() int                             // that the daemon API listens on; nil: none
	Now      func() time.Time
	Version  string
	Stop     func() // asks the process to end; nil where it cannot
}

// Network is a node's place among those that make blocks with it.
type Network struct {
	Connections int
	Port        uint16 // on which others connect; 0: none, or not known
	CatchingUp  bool   // blocks of the others are missing here
}

// sent is the id of a transaction that was taken. Its reply says if no blocks are made now.
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

// warning returns the problem of the node that an operator should know about, or "".
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

// network returns the node's place among others, whether it has all of their blocks, and the problem
// that an operator should know about, or "". A node that cannot ask has no connections that are known
// of, and is not synced.
func (b *Backend) network(ctx context.Context) (n Network, synced bool, warning string) {
	synced, warning = !b.Manager.Params().Regtest, b.warning()
	if b.Network == nil { // komodod requires peers that agree, except on regtest; a solo chain has no peers
		return n, synced, warning
	}
	n, err := b.Network(ctx)
	if err != nil && warning == "" {
		warning = err.Error()
	}
	return n, err == nil && !n.CatchingUp, warning
}

// send takes a transaction of a client. When it returns, the transaction is durable here and
// on its way to the nodes that make blocks with this one.
func (b *Backend) send(ctx context.Context, raw []byte, allowHighFees bool) (s sent, err error) {
	if s.Hash, err = b.Pool.Accept(ctx, raw, allowHighFees); err != nil {
		return s, err
	}
	if b.Stalled != nil {
		s.stalled = b.Stalled()
	}
	if b.Announce == nil {
		return s, nil
	}
	_, raw, err = mempool.Decode(raw)
	if err == nil {
		b.Announce(raw)
	}
	return s, err
}

// Methods returns all methods of the daemon API but those that a Server has itself.
func (b *Backend) Methods() (methods []rpc.Method) {
	for _, area := range [][]rpc.Method{
		b.tokenMethods(), b.transactionMethods(), b.chainMethods(), b.addressMethods(), b.walletMethods(),
		b.producerMethods(), b.controlMethods(),
	} {
		methods = append(methods, area...)
	}
	return methods
}
