package trezortest

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcutil/base58"
	//lint:ignore SA1019 a Trezor is named by a hash with RIPEMD-160
	"golang.org/x/crypto/ripemd160"

	"obverse/core/key"
)

// node is an extended key of BIP 32. It is implemented independently of core/key, so that
// mistakes there are noticed.
type node struct {
	private *btcec.PrivateKey
	chain   [32]byte
	depth   byte
	parent  [4]byte // beginning of the hash of the parent's public key
	step    uint32
}

// newRoot returns the root key for a recovery phrase and a passphrase (BIP 39, BIP 32).
func newRoot(phrase, passphrase string) (*node, error) {
	seed, err := pbkdf2.Key(sha512.New, phrase, []byte("mnemonic"+passphrase), 2048, 64)
	if err != nil {
		return nil, err
	}
	left, right := mac([]byte("Bitcoin seed"), seed)
	private, _ := btcec.PrivKeyFromBytes(left[:])
	return &node{private: private, chain: right}, nil
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
	made := &node{private: btcec.PrivKeyFromScalar(sum.Add(&n.private.Key)), chain: right, depth: n.depth + 1, step: step}
	sum256, hash := sha256.Sum256(public[:]), ripemd160.New()
	hash.Write(sum256[:]) // never fails
	copy(made.parent[:], hash.Sum(nil))
	return made
}

func (n *node) publicKey() [33]byte { return [33]byte(n.private.PubKey().SerializeCompressed()) }

// sign signs a hash. It returns r, s and the recovery number.
func (n *node) sign(hash [32]byte) (r, s []byte, recovery byte) {
	compact := ecdsa.SignCompact(n.private, hash[:], true)
	return compact[1:33], compact[33:], compact[0] - 27 - 4
}

// xpub returns the extended public key in text form.
func (n *node) xpub() string {
	const version = 0x0488b21e
	public := n.publicKey()
	b := append(binary.BigEndian.AppendUint32(nil, version), n.depth)
	b = binary.BigEndian.AppendUint32(append(b, n.parent[:]...), n.step)
	b = append(append(b, n.chain[:]...), public[:]...)
	return base58.CheckEncode(b[1:], b[0])
}
