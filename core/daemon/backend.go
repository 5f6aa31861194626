package daemon

import (
	"time"

	"obverse/core/chain"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/wallet"
	"obverse/core/rpc"
)

// Backend is what the methods of interface A work on.
type Backend struct {
	Manager  *chain.Manager
	Pool     *mempool.Pool
	Wallet   *wallet.Wallet   // nil: the node has no key
	Producer *engine.Producer // nil: this node makes no blocks
	Prover   Prover           // nil: no validators sign the state
	Now      func() time.Time
	Version  string
	Stop     func() // asks the process to end; nil where it cannot
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
