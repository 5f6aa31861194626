package wallet

import (
	"bytes"
	"errors"
	"fmt"

	"obverse/core/chain/cc"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// ErrForeign reports a coin that the wallet's key does not spend.
var ErrForeign = errors.New("coin is not the wallet's")

// sign fills in the scriptSig of every input. coins are the coins that the inputs spend, in
// order; holder has the eval codes of the token conditions.
func (w *Wallet) sign(tx *wire.Tx, coins []Coin, holder []byte, branch uint32) error {
	s := signer{w, tx, token.Condition(holder, w.public), branch, script.NewSigHashes(tx)}
	for i := range coins {
		scriptSig, err := s.unlock(i, coins[i])
		if err != nil {
			return fmt.Errorf("sign input %d: %w", i, err)
		}
		tx.Inputs[i].ScriptSig = scriptSig
	}
	return nil
}

type signer struct {
	*Wallet
	tx     *wire.Tx
	tree   *cc.Node
	branch uint32
	hashes *script.SigHashes
}

// unlock is the scriptSig of input i.
func (s *signer) unlock(i int, coin Coin) ([]byte, error) {
	if bare, ok := script.BareCondition(coin.Script); ok {
		return s.fulfill(i, coin.Value, bare)
	}
	hash, err := s.hash(i, coin.Value, coin.Script)
	if err != nil {
		return nil, err
	}
	sig := script.PushData(append(s.key.SignDER(hash), script.SigHashAll))
	switch {
	case bytes.Equal(coin.Script, s.payToSelf()):
		return sig, nil
	case bytes.Equal(coin.Script, s.address.PkScript()):
		return script.AppendPush(sig, s.public[:]), nil
	}
	return nil, ErrForeign
}

// fulfill opens a token condition. What follows it in the output's script is not
// signed.
func (s *signer) fulfill(i int, value int64, bare []byte) ([]byte, error) {
	if !bytes.Equal(bare, script.PayToCondition(s.tree.Condition())) {
		return nil, ErrForeign
	}
	hash, err := s.hash(i, value, bare)
	if err != nil {
		return nil, err
	}
	sig := s.key.SignCompact(hash)
	s.tree.Fill(s.public[:], sig[:])
	fulfillment, err := s.tree.Encode()
	return script.FulfillCondition(fulfillment, script.SigHashAll), err
}

func (s *signer) hash(i int, value int64, code []byte) (wire.Hash, error) {
	return script.SignatureHash(s.tx, i, code, value, script.SigHashAll, s.branch, s.hashes)
}
