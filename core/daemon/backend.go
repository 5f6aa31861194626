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

// Backend is what the methods of interface A work on.
type Backend struct {
	Manager  *chain.Manager
	Pool     *mempool.Pool
	Wallet   *wallet.Wallet   // nil: the node has no key
	Producer *engine.Producer // nil: this node makes no blocks
	Prover   Prover           // nil: no validators sign the state
	Announce func(raw []byte) // offers other nodes a transaction; nil: this node makes the blocks alone
	Stalled  func() error     // why no blocks are made, nil while they are; nil: never
	RelayFee int64            // satoshis for 1000 bytes
	Port     func() int       // that interface A listens on; nil: none
	Now      func() time.Time
	Version  string
	Stop     func() // asks the process to end; nil where it cannot
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

// warning returns the problem of the chain that an operator should know about, or "".
func (b *Backend) warning() string {
	if b.Stalled != nil {
		if err := b.Stalled(); err != nil {
			return err.Error()
		}
	}
	return ""
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

// Methods are all methods of interface A but those that a Server has itself.
func (b *Backend) Methods() (methods []rpc.Method) {
	for _, area := range [][]rpc.Method{
		b.tokenMethods(), b.transactionMethods(), b.chainMethods(), b.addressMethods(), b.walletMethods(),
		b.producerMethods(), b.controlMethods(),
	} {
		methods = append(methods, area...)
	}
	return methods
}
