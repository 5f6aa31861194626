package daemon

import (
	"context"
	"encoding/hex"
	"fmt"

	"obverse/core/chain/script"
	"obverse/core/rpc"
)

func (b *Backend) multiSigMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("createmultisig", rpc.Doc{
			Usage:    `createmultisig nrequired ["key",...]`,
			Summary:  "Return an address whose coins require the signatures of multiple keys",
			Detail:   "Keys are public keys in hexadecimal, or addresses of the wallet. The address depends on their order.",
			Category: "Util",
		}, b.createMultiSig),
		rpc.Handle("addmultisigaddress", rpc.Doc{
			Usage:    `addmultisigaddress nrequired ["key",...] ( "account" )`,
			Summary:  "Add a multisig address to the wallet, so that the wallet can sign for it",
			Detail:   "The coins of the address belong to the wallet if all keys do. Otherwise, use importaddress to list them.",
			Category: categoryWallet,
		}, b.addMultiSigAddress),
	}
}

type multiSigParams struct {
	Required Int      `json:"nrequired" doc:"number of required signatures"`
	Keys     textList `json:"keys" doc:"public keys in hexadecimal, or addresses of the wallet"`
}

type multiSig struct {
	Address script.Address `json:"address"`
	Script  hexBytes       `json:"redeemScript" doc:"script that is required to spend coins of the address"`
}

// Limits of a multisig [komodod rpc/misc.cpp _createmultisig_redeemScript].
const (
	maxMultiSigKeys = 16
	maxRedeem       = 520
)

func (b *Backend) createMultiSig(_ context.Context, p multiSigParams) (multiSig, error) {
	redeem, err := b.multiSigScript(int(p.Required), p.Keys)
	return multiSig{script.ScriptAddress(redeem), redeem}, err
}

func (b *Backend) multiSigScript(required int, list textList) ([]byte, error) {
	keys, err := list.read()
	switch {
	case err != nil:
		return nil, err
	case required < 1:
		return nil, &Error{CodeMisc, "a multisignature address must require at least one key to redeem"}
	case len(keys) < required:
		return nil, &Error{CodeMisc, fmt.Sprintf("not enough keys supplied (got %d keys, but need at least %d to redeem)", len(keys), required)}
	case len(keys) > maxMultiSigKeys:
		return nil, &Error{CodeMisc, "Number of addresses involved in the multisignature address creation > 16\nReduce the number"}
	}
	redeem := script.AppendNumber(nil, int64(required))
	for _, text := range keys {
		public, err := b.publicKey(text)
		if err != nil {
			return nil, err
		}
		redeem = script.AppendPush(redeem, public)
	}
	redeem = append(script.AppendNumber(redeem, int64(len(keys))), script.OpCheckMultiSig)
	if len(redeem) > maxRedeem {
		return nil, &Error{CodeMisc, fmt.Sprintf("redeemScript exceeds size limit: %d > %d", len(redeem), maxRedeem)}
	}
	return redeem, nil
}

// publicKey parses a public key, or returns the public key of an address of the wallet.
func (b *Backend) publicKey(text string) ([]byte, error) {
	if a, err := script.ParseAddress(text); err == nil {
		if a.Version != script.PubKeyHashVersion {
			return nil, &Error{CodeMisc, text + " does not refer to a key"}
		}
		if b.Ring != nil {
			if k, has := b.Ring.Key(a.Hash); has {
				return k.Public, nil
			}
		}
		return nil, &Error{CodeMisc, "no full public key for address " + text}
	}
	public, err := hex.DecodeString(text)
	if err != nil || !isPublicKey(public) {
		return nil, &Error{CodeMisc, " Invalid public key: " + clip(text)}
	}
	return public, nil
}

type addMultiSigParams struct {
	Required Int        `json:"nrequired" doc:"number of required signatures"`
	Keys     textList   `json:"keys" doc:"public keys in hexadecimal, or addresses of the wallet"`
	Account  unreadText `json:"account" rpc:"optional" doc:"account of the address"`
}

func (b *Backend) addMultiSigAddress(ctx context.Context, p addMultiSigParams) (a script.Address, err error) {
	if b.Ring == nil {
		return a, errNoWallet
	}
	account, err := p.Account.orEmpty()
	if err != nil {
		return a, err
	}
	redeem, err := b.multiSigScript(int(p.Required), p.Keys)
	if err != nil {
		return a, err
	}
	return script.ScriptAddress(redeem), b.Ring.AddRedeem(ctx, redeem, account)
}
