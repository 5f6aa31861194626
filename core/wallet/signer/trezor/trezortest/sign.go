package trezortest

import (
	"encoding/hex"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/trezor"
)

// maxData limits the data of a transaction, like the firmware.
const maxData = 16_000_000

// transaction parses the members of a transaction, by the numbers of their fields: nonce,
// price, gas, to, value, first data, length of the data, chain.
func (t *talk) transaction(all trezor.Fields, at [8]protowire.Number) (x wire.Transaction, err error) {
	number := func(i int) *big.Int {
		b, _ := all.Bytes(at[i])
		return new(big.Int).SetBytes(b)
	}
	to, _ := all.Bytes(at[3])
	x = wire.Transaction{Nonce: number(0).Uint64(), MaxFee: number(1), Gas: number(2).Uint64(), Value: number(4), ChainID: all.Number(at[7])}
	if x.To, err = address.Parse("0x" + strings.TrimPrefix(string(to), "0x")); err != nil { // devices accept addresses with and without 0x
		return x, failure{3, "Invalid recipient address"}
	}
	first, _ := all.Bytes(at[5])
	length := all.Number(at[6])
	if length > maxData || uint64(len(first)) > length || len(first) > 1024 || x.ChainID == 0 {
		return x, failure{3, "Invalid data"}
	}
	x.Data = slices.Clone(first)
	for uint64(len(x.Data)) < length {
		n := min(1024, length-uint64(len(x.Data)))
		more, err := t.ask(trezor.Message{Kind: trezor.KindEthereumTxRequest, Body: numberOf(1, n)}, trezor.KindEthereumTxAck)
		if err != nil {
			return x, err
		}
		part, _ := more.Bytes(1)
		if uint64(len(part)) != n {
			return x, failure{3, "Invalid chunk"}
		}
		x.Data = append(x.Data, part...)
	}
	return x, nil
}

func numberOf(n protowire.Number, value uint64) []byte { return number(nil, n, value) }

func (t *talk) signLegacy(n *node, all trezor.Fields) (trezor.Message, error) {
	x, err := t.transaction(all, [8]protowire.Number{2, 3, 4, 11, 6, 7, 8, 9})
	if err != nil {
		return trezor.Message{}, err
	}
	return t.signTransaction(n, x)
}

func (t *talk) signFees(n *node, all trezor.Fields) (none trezor.Message, err error) {
	x, err := t.transaction(all, [8]protowire.Number{2, 3, 5, 6, 7, 8, 9, 10})
	if err != nil {
		return none, err
	}
	if _, ok := all.Bytes(11); ok {
		return none, failure{3, "Access lists are not emulated"}
	}
	tip, _ := all.Bytes(4)
	x.Tip = new(big.Int).SetBytes(tip)
	return t.signTransaction(n, x)
}

// signTransaction shows a transaction on three screens, as devices do.
func (t *talk) signTransaction(n *node, x wire.Transaction) (none trezor.Message, err error) {
	screens := [][]string{{"To: " + x.To.String(), "Amount: " + x.Value.String(), "Network: " + strconv.FormatUint(x.ChainID, 10)}}
	if len(x.Data) > 0 {
		screens = append(screens, []string{"Data: " + hex.EncodeToString(x.Data)})
	}
	for _, screen := range append(screens, []string{"Max fees: " + x.Fee().String()}) {
		if err := t.show(showsTransaction, screen...); err != nil {
			return none, err
		}
	}
	r, s, recovery := n.sign(x.SigningHash())
	v := big.NewInt(int64(recovery))
	if x.Tip == nil && x.ChainID <= (1<<32-36)/2 { // v has four bytes
		v.Add(v, x.LegacyV())
	}
	return trezor.Message{Kind: trezor.KindEthereumTxRequest, Body: bytes(bytes(number(nil, 2, v.Uint64()), 3, r), 4, s)}, nil
}

func (t *talk) signText(n *node, all trezor.Fields) (none trezor.Message, err error) {
	said, _ := all.Bytes(2)
	if err := t.show(showsOther, strings.Split("Message: "+string(said), "\n")...); err != nil {
		return none, err
	}
	b := bytes(nil, 2, joined(n.sign(address.TextHash(string(said)))))
	return trezor.Message{Kind: trezor.KindEthereumMessageSignature, Body: text(b, 3, account(n))}, nil
}

func (t *talk) signTyped(n *node, all trezor.Fields) (none trezor.Message, err error) {
	domain, _ := all.Bytes(2)
	message, _ := all.Bytes(3)
	if len(domain) != 32 || len(message) != 0 && len(message) != 32 {
		return none, failure{3, "Invalid hash"}
	}
	if err := t.show(showsOther, "Domain: "+hex.EncodeToString(domain), "Message: "+hex.EncodeToString(message)); err != nil {
		return none, err
	}
	b := bytes(nil, 1, joined(n.sign(address.Keccak([]byte("\x19\x01"), domain, message))))
	return trezor.Message{Kind: trezor.KindEthereumTypedSignature, Body: text(b, 2, account(n))}, nil
}

// joined returns a signature in 65 bytes.
func joined(r, s []byte, recovery byte) []byte {
	return append(append(append([]byte{}, r...), s...), 27+recovery)
}
