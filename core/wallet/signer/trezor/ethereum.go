package trezor

import (
	"context"
	"math/big"

	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/device"
)

// Ethereum is a device with accounts of EVM networks.
type Ethereum struct{ s *session }

// Ethereum uses the accounts of the device with an ID, or of the only one if id is empty. The
// device must not be used after use returns.
func (c *Client) Ethereum(ctx context.Context, id string, use func(*Ethereum) error) error {
	return c.talk(ctx, id, c.Timeout, func(s *session) error { return use(&Ethereum{s}) })
}

// Key calls Ethereum.Key of the only device.
func (c *Client) Key(ctx context.Context, path key.Path) (public [33]byte, err error) {
	err = c.Ethereum(ctx, "", func(e *Ethereum) (err error) {
		public, err = e.Key(ctx, path)
		return err
	})
	return public, err
}

// Confirm calls Ethereum.Confirm of the only device.
func (c *Client) Confirm(ctx context.Context, path key.Path, chain uint64, public [33]byte) error {
	return c.Ethereum(ctx, "", func(e *Ethereum) error { return e.Confirm(ctx, path, chain, public) })
}

// SignTransaction calls Ethereum.SignTransaction of the only device.
func (c *Client) SignTransaction(ctx context.Context, path key.Path, public [33]byte, t wire.Transaction) (s key.Signature, err error) {
	err = c.Ethereum(ctx, "", func(e *Ethereum) (err error) {
		s, err = e.SignTransaction(ctx, path, public, t)
		return err
	})
	return s, err
}

// SignText calls Ethereum.SignText of the only device. It rejects a text that devices do not
// accept before it waits for a device.
func (c *Client) SignText(ctx context.Context, path key.Path, public [33]byte, text string) (s key.Signature, err error) {
	if err := checkText(text); err != nil {
		return s, err
	}
	err = c.Ethereum(ctx, "", func(e *Ethereum) (err error) {
		s, err = e.SignText(ctx, path, public, text)
		return err
	})
	return s, err
}

// SignTyped calls Ethereum.SignTyped of the only device.
func (c *Client) SignTyped(ctx context.Context, path key.Path, public [33]byte, domain, message [32]byte) (s key.Signature, err error) {
	err = c.Ethereum(ctx, "", func(e *Ethereum) (err error) {
		s, err = e.SignTyped(ctx, path, public, domain, message)
		return err
	})
	return s, err
}

// Features returns the device's description of itself.
func (e *Ethereum) Features() Features { return e.s.features }

// maxSteps is the maximum number of elements of a path.
const maxSteps = 8

func checkPath(path key.Path) error {
	if len(path) == 0 || len(path) > maxSteps {
		return device.Failf(device.Unsupported, "device has no keys at %s, want 1 to %d numbers", path, maxSteps)
	}
	return nil
}

// Key returns the public key at a path, which needs no confirmation.
func (e *Ethereum) Key(ctx context.Context, path key.Path) (public [33]byte, err error) {
	const what = "getting the public key"
	if err := checkPath(path); err != nil {
		return public, err
	}
	all, err := e.s.call(ctx, what, Message{KindEthereumKeyRequest, body(nil).path(1, path)}, KindEthereumKey)
	if err != nil {
		return public, err
	}
	return nodeKey(what, all)
}

// Confirm shows the address of an account on the device and waits until its user confirms it.
// The device determines the network from the path.
func (e *Ethereum) Confirm(ctx context.Context, path key.Path, _ uint64, public [33]byte) error {
	const what = "confirming the address"
	if err := e.check(ctx, what, path, public); err != nil {
		return err
	}
	all, err := e.s.call(ctx, what, Message{KindEthereumAddressRequest, body(nil).path(1, path).flag(2)}, KindEthereumAddress)
	if err != nil {
		return err
	}
	said, _ := all.Bytes(2)
	return sameAddress(what, said, public)
}

// sameAddress returns an error if an address in an answer is not the account's.
func sameAddress(what string, said []byte, public [33]byte) error {
	want, err := address.FromKey(public)
	if err != nil {
		return err
	}
	if got, err := address.Parse(string(said[:min(len(said), 100)])); err != nil || got != want {
		return device.Failf(device.InvalidAnswer, "%s: invalid address%s from the device, want %s", what, device.Said(said), want)
	}
	return nil
}

// check returns an error if the key of the device at the path is not the account's.
func (e *Ethereum) check(ctx context.Context, what string, path key.Path, public [33]byte) error {
	got, err := e.Key(ctx, path)
	if err != nil {
		return err
	}
	return device.SameKey(what, got, public, path)
}

const signing = "signing"

// maxText is the maximum length of a text to sign in bytes, since a device must keep all of it.
const maxText = 8192

// checkText rejects a text that devices do not accept.
func checkText(text string) error {
	if text == "" || len(text) > maxText {
		return device.Failf(device.Unsupported, "device cannot show this text: it has %d bytes, want 1 to %d", len(text), maxText)
	}
	return nil
}

// SignText shows a text on the device and signs it as wallets do for personal_sign.
func (e *Ethereum) SignText(ctx context.Context, path key.Path, public [33]byte, text string) (s key.Signature, err error) {
	if err := checkText(text); err != nil {
		return s, err
	}
	if err := e.check(ctx, signing, path, public); err != nil {
		return s, err
	}
	all, err := e.s.call(ctx, signing, Message{KindEthereumSignMessage, body(nil).path(1, path).text(2, text)}, KindEthereumMessageSignature)
	if err != nil {
		return s, err
	}
	signature, _ := all.Bytes(2)
	account, _ := all.Bytes(3)
	return verified(signature, account, address.TextHash(text), public)
}

// SignTyped signs the two hashes of typed data (EIP-712), of its domain and of its message. The
// device shows the hashes but not the data. Models that require the data reject the request.
func (e *Ethereum) SignTyped(ctx context.Context, path key.Path, public [33]byte, domain, message [32]byte) (s key.Signature, err error) {
	if err := e.check(ctx, signing, path, public); err != nil {
		return s, err
	}
	request := body(nil).path(1, path).bytes(2, domain[:]).bytes(3, message[:])
	all, err := e.s.call(ctx, signing, Message{KindEthereumSignTypedHash, request}, KindEthereumTypedSignature)
	if err != nil {
		return s, err
	}
	signature, _ := all.Bytes(1)
	account, _ := all.Bytes(2)
	return verified(signature, account, address.Keccak([]byte("\x19\x01"), domain[:], message[:]), public)
}

// verified checks a signature of 65 bytes, which is r, s and a recovery number, and the account
// that the device reports.
func verified(signature, account []byte, hash [32]byte, public [33]byte) (s key.Signature, err error) {
	if len(signature) != 65 {
		return s, device.Failf(device.InvalidAnswer, "%s: invalid signature of %d bytes from the device, want 65", signing, len(signature))
	}
	if err := sameAddress(signing, account, public); err != nil {
		return s, err
	}
	return device.Verified(signing, [32]byte(signature[:32]), [32]byte(signature[32:64]), hash, public)
}

// chunk is the number of bytes of a transaction's data in one message.
const chunk = 1024

// SignTransaction shows a transaction on the device and signs it. The public key of the account
// identifies its device and verifies the signature.
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

// transactionMessage returns the first message of a request to sign.
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

// transactionSignature parses r and s, which may lack leading zeros.
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
