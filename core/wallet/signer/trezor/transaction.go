package trezor

import (
	"context"
	"math/big"

	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/key"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/device"
)

// chunk is how much of a transaction's data a message carries.
const chunk = 1024

// SignTransaction has the device show and sign a transaction. The account's public key
// identifies the account's device and verifies the signature.
func (e *Ethereum) SignTransaction(ctx context.Context, path key.Path, public [33]byte, t wire.Transaction) (s key.Signature, err error) {
	if err := e.check(ctx, signing, path, public); err != nil {
		return s, err
	}
	m, rest := transactionMessage(path, t), t.Data[min(chunk, len(t.Data)):]
	for {
		all, err := e.s.call(ctx, signing, m, KindEthereumTxRequest)
		if err != nil {
			return s, err
		}
		n := all.Number(1)
		if n == 0 {
			return transactionSignature(all, t.SigningHash(), public)
		}
		if n > uint64(len(rest)) || n > chunk {
			e.s.waiting = true
			return s, device.Failf(device.InvalidAnswer, "%s: device asked for %d bytes of the data, which has %d left, want at most %d", signing, n, len(rest), chunk)
		}
		m = Message{KindEthereumTxAck, body(nil).bytes(1, rest[:n])}
		rest = rest[n:]
	}
}

// transactionMessage begins a request to sign.
func transactionMessage(path key.Path, t wire.Transaction) Message {
	first := t.Data[:min(chunk, len(t.Data))]
	nonce, gas := new(big.Int).SetUint64(t.Nonce).Bytes(), new(big.Int).SetUint64(t.Gas).Bytes()
	if t.Tip == nil {
		b := body(nil).path(1, path).bytes(2, nonce).bytes(3, t.MaxFee.Bytes()).bytes(4, gas).bytes(6, t.Value.Bytes())
		if len(t.Data) > 0 {
			b = b.bytes(7, first).number(8, uint64(len(t.Data)))
		}
		return Message{KindEthereumSignTx, b.number(9, t.ChainID).text(11, t.To.String())}
	}
	b := body(nil).path(1, path).bytes(2, nonce).bytes(3, t.MaxFee.Bytes()).bytes(4, t.Tip.Bytes()).bytes(5, gas).
		text(6, t.To.String()).bytes(7, t.Value.Bytes()).bytes(8, first).number(9, uint64(len(t.Data))).number(10, t.ChainID)
	return Message{KindEthereumSignTxEIP1559, b}
}

// transactionSignature reads r and s, which may have lost zeros at their beginning.
func transactionSignature(all Fields, hash [32]byte, public [33]byte) (s key.Signature, err error) {
	var parts [2][32]byte
	for i := range parts {
		b, ok := all.Bytes([]protowire.Number{3, 4}[i])
		if !ok || len(b) == 0 || len(b) > 32 {
			return s, device.Failf(device.InvalidAnswer, "%s: invalid signature from the device: r or s of %d bytes, want 32", signing, len(b))
		}
		copy(parts[i][32-len(b):], b)
	}
	return device.Verified(signing, parts[0], parts[1], hash, public)
}
