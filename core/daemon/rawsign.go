package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/keyring"
	"obverse/core/chain/script"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/key"
	"obverse/core/rpc"
)

type signParams struct {
	Hex      signText  `json:"hexstring" doc:"the transaction, or copies of it one after the other"`
	PrevTxs  typedList `json:"prevtxs" rpc:"optional" doc:"spent outputs: txid, vout, scriptPubKey, redeemScript, amount"`
	Keys     typedKeys `json:"privatekeys" rpc:"optional" doc:"sign with these keys instead of the wallet's"`
	HashType signText  `json:"sighashtype" rpc:"optional" doc:"ALL, NONE or SINGLE, each also with |ANYONECANPAY"`
	Branch   signText  `json:"branchid" rpc:"optional" doc:"consensus branch in hexadecimal; by default the branch of the next block"`
}

// signText is a string or null, checked as by RPCTypeCheck.
type signText struct {
	text  string
	given bool
}

// UnmarshalParam implements rpc.Unmarshaler.
func (s *signText) UnmarshalParam(raw json.RawMessage) (err error) {
	if s.given, err = typedOrNull(rpc.KindString, raw); err == nil && s.given {
		s.text, err = rpc.Unquote(raw)
	}
	return err
}

// JSONSchema implements rpc.Described.
func (signText) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "string"} }

type signed struct {
	Hex      hexBytes     `json:"hex"`
	Complete bool         `json:"complete" doc:"whether all inputs have their signatures"`
	Errors   []inputError `json:"errors,omitempty"`
}

type inputError struct {
	TxID      wire.Hash `json:"txid"`
	Index     uint32    `json:"vout"`
	ScriptSig hexBytes  `json:"scriptSig"`
	Sequence  uint32    `json:"sequence"`
	Error     string    `json:"error"`
}

// parseHashType parses a hash type of signrawtransaction.
func parseHashType(text string) (byte, bool) {
	name, anyone := strings.CutSuffix(text, "|ANYONECANPAY")
	base, known := map[string]byte{"ALL": script.SigHashAll, "NONE": script.SigHashNone, "SINGLE": script.SigHashSingle}[name]
	if anyone {
		base |= script.SigHashAnyoneCanPay
	}
	return base, known
}

// errBranch is the format of the error for an unknown consensus branch.
const errBranch = "%s is not a valid consensus branch id"

func (b *Backend) signRawTransaction(ctx context.Context, p signParams) (result signed, err error) {
	variants, err := decodeVariants(p.Hex.text)
	if err != nil {
		return result, err
	}
	keys, givenKeys, err := p.keys()
	if err != nil {
		return result, err
	}
	if !givenKeys && b.Ring == nil {
		return result, errNoWallet
	}
	if !givenKeys && b.Ring.Locked() {
		return result, errLocked
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		s := signing{Backend: b, view: v, tx: variants[0], variants: variants, coins: map[wire.OutPoint]consensus.Coin{}}
		if err := s.findCoins(); err != nil {
			return err
		}
		redeems, err := s.readPrevious(p.PrevTxs, givenKeys)
		if err != nil {
			return err
		}
		s.keys = b.Ring
		if givenKeys {
			s.keys = wallet.Given(keys, redeems)
		}
		s.hashType = script.SigHashAll
		if p.HashType.given {
			var known bool
			if s.hashType, known = parseHashType(p.HashType.text); !known {
				return &Error{CodeParameter, "Invalid sighash param"}
			}
		}
		s.branch = b.Manager.Params().BranchID(v.Tip().Height + 1)
		if p.Branch.given {
			if s.branch, err = parseBranch(p.Branch.text); err != nil {
				return err
			}
		}
		result = s.sign()
		return nil
	})
	return result, err
}

// decodeVariants decodes one or more copies of a transaction, which follow one another.
func decodeVariants(text string) (list []*wire.Tx, err error) {
	raw, err := parseHex("argument 1", text)
	if err != nil || text == "" {
		return nil, &Error{CodeParameter, fmt.Sprintf("argument 1 must be hexadecimal string (not '%s')", clip(text))}
	}
	for len(raw) > 0 {
		r := wire.NewReader(raw)
		tx := wire.ReadTx(r)
		if r.Err() != nil || len(list) > 0 && len(tx.Inputs) != len(list[0].Inputs) {
			return nil, errDecode // komodod crashes if a copy has fewer inputs
		}
		list, raw = append(list, tx), raw[r.Pos():]
	}
	return list, nil
}

// keys parses the private keys in the parameters. given reports whether there are any.
func (p signParams) keys() (keys []keyring.Signer, given bool, err error) {
	if p.Keys == nil {
		return nil, false, nil
	}
	for item := range rpc.Items(p.Keys) {
		text, err := unreadText(item).read()
		if err != nil {
			return nil, true, err
		}
		private, compressed, err := key.ImportWIF(text, wifVersion)
		if err != nil {
			return nil, true, &Error{CodeAddress, "Invalid private key"}
		}
		s := keyring.Signer{Private: private}
		if compressed {
			public := private.PublicKey()
			s.Public = public[:]
		} else {
			public := private.UncompressedPublicKey()
			s.Public = public[:]
		}
		keys = append(keys, s)
	}
	return keys, true, nil
}

// parseBranch parses a consensus branch. Like komodod, it ignores text after the digits.
func parseBranch(text string) (uint32, error) {
	digits := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(text), "0x"), "0X")
	if end := strings.IndexFunc(digits, isNoDigit); end >= 0 {
		digits = digits[:end]
	}
	n, err := strconv.ParseUint("0"+digits, 16, 64)
	if err == nil {
		for _, known := range []uint64{0, 0x5ba81b19, 0x76b809bb} {
			if n == known {
				return uint32(n), nil
			}
		}
	}
	return 0, &Error{CodeMisc, fmt.Sprintf(errBranch, text)}
}

// signing is the state of a call of signrawtransaction.
type signing struct {
	*Backend
	view     *chain.View
	tx       *wire.Tx
	variants []*wire.Tx
	coins    map[wire.OutPoint]consensus.Coin
	keys     wallet.Keys
	hashType byte
	branch   uint32
}

// findCoins looks up the outputs that the transaction spends.
func (s *signing) findCoins() error {
	outs := make([]wire.OutPoint, len(s.tx.Inputs))
	for i := range outs {
		outs[i] = s.tx.Inputs[i].PrevOut
	}
	coins, found, err := s.view.Coins(outs...)
	if err != nil {
		return err
	}
	for i, out := range outs {
		if found[i] {
			s.coins[out] = coins[i]
		} else if c, waits := s.Pool.Coin(out); waits {
			s.coins[out] = c
		}
	}
	return nil
}

// readPrevious parses the second parameter, adds its outputs to the coins, and returns its redeem
// scripts.
func (s *signing) readPrevious(list typedList, withKeys bool) (redeems [][]byte, err error) {
	if list == nil {
		return nil, nil
	}
	for item := range rpc.Items(json.RawMessage(list)) {
		if rpc.KindOf(item) != rpc.KindObject {
			return nil, &Error{CodeDecode, `expected object with {"txid'","vout","scriptPubKey"}`}
		}
		fields, err := rpc.Fields(item)
		if err != nil {
			return nil, err
		}
		redeem, err := s.readOne(fields, withKeys)
		if err != nil {
			return nil, err
		}
		if redeem != nil {
			redeems = append(redeems, redeem)
		}
	}
	return redeems, nil
}

// readOne parses an item of the second parameter.
func (s *signing) readOne(fields []rpc.Field, withKeys bool) (redeem []byte, err error) {
	if err := expectMembers(fields, member{"txid", rpc.KindString}, member{"vout", rpc.KindNumber}, member{"scriptPubKey", rpc.KindString}); err != nil {
		return nil, err
	}
	txid, err := rpc.Unquote(first(fields, "txid"))
	if err != nil {
		return nil, err
	}
	var out wire.OutPoint
	if out.Hash, err = parseHash("txid", Text(txid)); err != nil {
		return nil, err
	}
	var n Int
	if err := n.UnmarshalParam(first(fields, "vout")); err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, &Error{CodeDecode, "vout must be positive"}
	}
	out.Index = uint32(n)
	text, err := rpc.Unquote(first(fields, "scriptPubKey"))
	if err != nil {
		return nil, err
	}
	pkScript, err := parseHex("scriptPubKey", text)
	if err != nil || text == "" {
		return nil, &Error{CodeParameter, fmt.Sprintf("scriptPubKey must be hexadecimal string (not '%s')", clip(text))}
	}
	coin, known := s.coins[out]
	if known && string(coin.Script) != string(pkScript) {
		return nil, &Error{CodeDecode, "Previous output scriptPubKey mismatch:\n" + script.Disasm(coin.Script, false) + "\nvs:\n" + script.Disasm(pkScript, false)}
	}
	coin.Script = pkScript
	if raw := first(fields, "amount"); raw != nil {
		if coin.Value, err = unreadDecimal(raw).amount(s.Manager.Params().MaxMoney); err != nil {
			return nil, err
		}
	}
	s.coins[out] = coin
	if !withKeys || script.Classify(pkScript).Type != script.TypeScriptHash {
		return nil, nil
	}
	if err := expectMembers(fields, member{"redeemScript", rpc.KindString}); err != nil {
		return nil, err
	}
	text, err = rpc.Unquote(first(fields, "redeemScript"))
	if err != nil {
		return nil, err
	}
	return parseHex("redeemScript", text)
}

// sign signs the inputs for which the keys are available, merges the signatures of the copies, and
// verifies every input.
func (s *signing) sign() (result signed) {
	in := wallet.InputSigner{Keys: s.keys, Tx: s.tx, Branch: s.branch, HashType: s.hashType}
	sigs := make([][]byte, len(s.tx.Inputs))
	for i := range s.tx.Inputs {
		coin, known := s.coins[s.tx.Inputs[i].PrevOut]
		if !known {
			result.Errors = append(result.Errors, s.failed(i, "Input not found or already spent"))
			continue
		}
		if single := s.hashType&^script.SigHashAnyoneCanPay == script.SigHashSingle; !single || i < len(s.tx.Outputs) {
			sigs[i] = in.Sign(i, coin.Script, coin.Value)
		}
		for _, v := range s.variants {
			sigs[i] = in.Combine(i, coin.Script, coin.Value, sigs[i], v.Inputs[i].ScriptSig)
		}
	}
	for i, sig := range sigs {
		coin, known := s.coins[s.tx.Inputs[i].PrevOut]
		if !known {
			continue
		}
		s.tx.Inputs[i].ScriptSig = sig
		spend := script.Spend{Tx: s.tx, Index: i, Amount: coin.Value, BranchID: s.branch}
		err := spend.Verify(coin.Script, consensus.Flags(script.StandardFlags, s.Manager.Params()))
		var kind *script.Error
		if errors.As(err, &kind) {
			result.Errors = append(result.Errors, s.failed(i, kind.Kind.Error()))
		}
	}
	result.Hex, result.Complete = s.tx.Encode(), len(result.Errors) == 0
	return result
}

func (s *signing) failed(i int, reason string) inputError {
	in := &s.tx.Inputs[i]
	sig := in.ScriptSig
	if sig == nil {
		sig = []byte{}
	}
	return inputError{in.PrevOut.Hash, in.PrevOut.Index, sig, in.Sequence, reason}
}
