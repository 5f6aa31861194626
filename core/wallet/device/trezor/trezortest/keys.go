package trezortest

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha512"
	"encoding/binary"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"obverse/core/key"
)

// node is an extended key of BIP 32. It is written apart from core/key, so that a mistake
// there is noticed.
type node struct {
	private *btcec.PrivateKey
	chain   [32]byte
}

// newRoot is the root that words and a passphrase lead to: BIP 39, BIP 32.
func newRoot(phrase, passphrase string) (*node, error) {
	seed, err := pbkdf2.Key(sha512.New, phrase, []byte("mnemonic"+passphrase), 2048, 64)
	if err != nil {
		return nil, err
	}
	left, right := mac([]byte("Bitcoin seed"), seed)
	private, _ := btcec.PrivKeyFromBytes(left[:])
	return &node{private, right}, nil
}

func mac(key, data []byte) (left, right [32]byte) {
	hash := hmac.New(sha512.New, key)
	hash.Write(data)
	sum := hash.Sum(nil)
	return [32]byte(sum[:32]), [32]byte(sum[32:])
}

func (n *node) at(path key.Path) *node {
	for _, step := range path {
		n = n.child(step)
	}
	return n
}

func (n *node) child(step uint32) *node {
	public := n.publicKey()
	data := public[:]
	if step >= key.Hardened {
		secret := n.private.Key.Bytes()
		data = append([]byte{0}, secret[:]...)
	}
	left, right := mac(n.chain[:], binary.BigEndian.AppendUint32(data, step))
	var sum btcec.ModNScalar
	sum.SetBytes(&left)
	return &node{btcec.PrivKeyFromScalar(sum.Add(&n.private.Key)), right}
}

func (n *node) publicKey() [33]byte { return [33]byte(n.private.PubKey().SerializeCompressed()) }

// sign signs a hash: r, s and the recovery number.
func (n *node) sign(hash [32]byte) (r, s []byte, recovery byte) {
	compact := ecdsa.SignCompact(n.private, hash[:], true)
	return compact[1:33], compact[33:], compact[0] - 27 - 4
}
