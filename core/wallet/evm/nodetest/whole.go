package nodetest

import (
	"fmt"
	"math/big"

	"obverse/core/text"
	"obverse/core/wallet/evm/wire"
)

// signed is a transaction with its signature.
type signed struct {
	wire.Transaction
	signature [65]byte
}

// Take adds a transaction that was sent through another node. Unlike the transactions that were
// sent to this node, it can be returned in full.
func (n *Node) Take(t wire.Transaction, signature [65]byte) (hash [32]byte) {
	raw := t.Signed(signature)
	hash = wire.Hash(raw)
	name := text.Hex(hash[:])
	n.set(func() { n.waiting[name], n.whole[name] = raw, signed{t, signature} })
	return hash
}

// Forget removes the pending transactions.
func (n *Node) Forget() { n.set(func() { clear(n.waiting) }) }

// show returns the transaction as JSON, with the members that anvil returns.
func (s signed) show(name string) string {
	r, v := new(big.Int).SetBytes(s.signature[:32]), big.NewInt(int64(s.signature[64]))
	kind, price := "0x2", fmt.Sprintf(`"gasPrice":%s,"maxFeePerGas":%[1]s,"maxPriorityFeePerGas":%s,"accessList":[],"yParity":%s`, quantity(s.MaxFee), quantity(s.Tip), quantity(v))
	if s.Tip == nil {
		kind, price = "0x0", `"gasPrice":`+quantity(s.MaxFee)
		v.Add(v, s.LegacyV())
	}
	return fmt.Sprintf(`{"type":%q,"chainId":%s,"nonce":%s,"gas":%s,%s,"to":%q,"value":%s,"input":"0x%x","r":%s,"s":%s,"v":%s,"hash":%q,"blockHash":null,"blockNumber":null}`,
		kind, number(s.ChainID), number(s.Nonce), number(s.Gas), price, s.To.Plain(), quantity(s.Value), s.Data, quantity(r),
		quantity(new(big.Int).SetBytes(s.signature[32:64])), quantity(v), name)
}
