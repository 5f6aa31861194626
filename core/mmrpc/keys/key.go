package keys

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	//lint:ignore SA1019 addresses require RIPEMD-160
	"golang.org/x/crypto/ripemd160"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
)

const categoryKeys = "Keys"

// Keys is the area of the methods that return the public keys of the node.
type Keys struct {
	Ring     *key.Ring     // nil if the node was started without a passphrase
	Identity *key.Identity // nil if the node has no identity
}

// Methods implements Area. As in Komodo DeFi Framework, these methods ignore their parameters.
func (k Keys) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("get_public_key", rpc.Doc{
			Summary: "Return the public key of the node's passphrase", Category: categoryKeys,
		}, k.publicKey).Unread(),
		rpc.Handle("get_public_key_hash", rpc.Doc{
			Summary: "Return the hash of the public key of the node's passphrase", Category: categoryKeys,
		}, k.publicKeyHash).Unread(),
		rpc.Handle("get_my_peer_id", rpc.Doc{
			Summary: "Return the peer id of the node", Category: categoryKeys, Legacy: true,
		}, k.myPeerID).Unread(),
	}
}

type publicKeyResult struct {
	PublicKey string `json:"public_key" doc:"compressed secp256k1 public key, 66 hexadecimal digits"`
}

func (k Keys) publicKey(context.Context, struct{}) (publicKeyResult, error) {
	public, err := k.public()
	return publicKeyResult{hex.EncodeToString(public)}, err
}

type publicKeyHashResult struct {
	PublicKeyHash string `json:"public_key_hash" doc:"RIPEMD-160 of SHA-256 of the compressed public key, 40 hexadecimal digits"`
}

func (k Keys) publicKeyHash(context.Context, struct{}) (publicKeyHashResult, error) {
	public, err := k.public()
	if err != nil {
		return publicKeyHashResult{}, err
	}
	sum := sha256.Sum256(public)
	hash := ripemd160.New()
	hash.Write(sum[:])
	return publicKeyHashResult{hex.EncodeToString(hash.Sum(nil))}, nil
}

func (k Keys) public() ([]byte, error) {
	node := k.Ring.Node()
	if node == nil {
		const text = "public_key not available"
		return nil, mmerr.InternalError.New(text, text)
	}
	public := node.PublicKey()
	return public[:], nil
}

func (k Keys) myPeerID(context.Context, struct{}) (string, error) {
	if k.Identity == nil {
		const text = "peer id not available"
		return "", mmerr.InternalError.New(text, text)
	}
	return k.Identity.PeerID().String(), nil
}
