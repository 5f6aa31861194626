package wallet

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/btcsuite/btcd/btcec/v2"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Limits of a creation, in bytes.
const (
	MaxName        = 32
	MaxDescription = 4096
	MaxData        = 10001
)

// markerValue is the value of the output that lists a token, in satoshis.
const markerValue = Fee

// CreateToken builds a transaction that creates a token. The holders receive their amounts, and the
// wallet's key receives the rest of the supply. If data is not nil, the token is non-fungible;
// empty data differs from nil. The error is an Error.
func (w *Wallet) CreateToken(from Source, name string, supply int64, description string, data []byte, holders ...Payee) (*wire.Tx, error) {
	w = w.active()
	if !w.params.CCEnabled {
		return nil, ErrNoCC
	}
	if err := CheckCreation(name, supply, description, data); err != nil {
		return nil, err
	}
	payload := &token.Payload{Func: token.Create, Owner: w.public[:], Name: name, Description: description}
	if data != nil {
		payload.Blobs = []token.Blob{{ID: token.NFTData, Data: data}}
	}
	if err := w.checkRelay(payload); err != nil {
		return nil, err
	}
	if w.losesToken(data) {
		return nil, ErrUnheld
	}
	rest := supply - total(holders)
	if rest < 0 {
		return nil, fmt.Errorf("%w: they get %d tokens, the supply is %d", ErrHolders, total(holders), supply)
	}
	const outputSize, others = 57, 64*115 + 400 // bytes
	fee := int64(Fee)
	if len(holders) > 0 {
		fee = max(fee, int64(len(holders)*outputSize+len(payload.Script())+others)/5) // twice the default relay fee
	}
	coins, err := w.coinsForCreation(from, supply, fee)
	if err != nil {
		return nil, err
	}
	d := &draft{plain: coins, payload: payload, fee: fee, outputs: []wire.TxOut{{Value: markerValue, Script: token.MarkerScript()}}}
	codes := token.CreateCodes(data)
	if rest > 0 {
		d.outputs = append(d.outputs, wire.TxOut{Value: rest, Script: token.Script(codes, w.public)})
	}
	for i := range holders {
		d.outputs = append(d.outputs, wire.TxOut{Value: holders[i].Amount, Script: token.Script(codes, holders[i].Key)})
	}
	return w.finish(d, from.NextHeight())
}

// CheckCreation validates the properties of a new token. It returns the same errors as
// CreateToken, in the same order.
func CheckCreation(name string, supply int64, description string, data []byte) error {
	switch {
	case name == "" || len(name) > MaxName:
		return ErrName
	case supply <= 0:
		return ErrSupply
	case len(description) > MaxDescription:
		return ErrDescription
	case len(data) > MaxData:
		return ErrDataSize
	case data != nil && len(data) == 0:
		return ErrData
	case data != nil && supply != 1:
		return ErrDataSupply
	}
	return nil
}

// losesToken reports whether no key would hold a token with this data, as shown by recordings
// of komodod: no code guards a token whose data begins with 00, and if it begins with f2,
// komodod looks for its holder elsewhere. regtest allows all tokens.
func (w *Wallet) losesToken(data []byte) bool {
	return len(data) > 0 && (data[0] == 0 || data[0] == token.Eval) && !w.params.Regtest && !w.allowUnheld
}

// checkRelay returns an error for a payload that nodes would not relay. komodod does not report
// this until the broadcast fails. regtest relays everything.
func (w *Wallet) checkRelay(payload *token.Payload) error {
	size := len(payload.Script())
	if w.params.Regtest || size <= w.dataCarrier {
		return nil
	}
	return fmt.Errorf("%w: name, description and data make an OP_RETURN of %d bytes, datacarriersize is %d",
		ErrRelay, size, w.dataCarrier)
}

func (w *Wallet) coinsForCreation(from Source, supply, fee int64) ([]Coin, error) {
	const maxInputs = 64
	if supply > math.MaxInt64-markerValue-fee {
		return nil, ErrCoins
	}
	need := supply + markerValue + fee
	coins, err := w.chooseCoins(from.Coins(w.address), from.NextHeight(), need, maxInputs, need/maxInputs)
	if errors.Is(err, errShort) {
		return nil, ErrCoins
	}
	return coins, err
}

// draft is an unfinished transaction.
type draft struct {
	plain   []Coin
	tokens  []Coin
	holder  []byte // eval codes of the condition that holds the tokens
	outputs []wire.TxOut
	payload *token.Payload
	fee     int64 // fee of a large transaction; if it is less than Fee, Fee is used
}

// finish orders the inputs, adds change and payload, and signs (FinalizeCCTx).
func (w *Wallet) finish(d *draft, height int) (*wire.Tx, error) {
	format := w.params.TxFormat(height)
	tx := &wire.Tx{Overwintered: format.Overwintered, Version: format.Version, VersionGroupID: format.VersionGroupID,
		ExpiryHeight: w.params.TxExpiry(height), Outputs: d.outputs}
	coins := d.inputs()
	for i := range coins {
		tx.Inputs = append(tx.Inputs, wire.TxIn{PrevOut: coins[i].Out, Sequence: finalSequence})
	}
	fee := max(d.fee, Fee)
	if left := value(coins) - spent(d.outputs); left >= fee+Fee {
		tx.Outputs = append(tx.Outputs, wire.TxOut{Value: left - fee, Script: w.payToSelf()})
	}
	tx.Outputs = append(tx.Outputs, wire.TxOut{Script: d.payload.Script()})
	if err := w.sign(tx, coins, d.holder, w.params.BranchID(height)); err != nil {
		return nil, err
	}
	return tx, nil
}

const finalSequence = 0xffffffff

// inputs returns the inputs, with the tokens after the first plain coin, because modules have
// always been allowed to expect at most one input before their own.
func (d *draft) inputs() []Coin {
	first := d.plain[:1:1]
	return append(append(first, d.tokens...), d.plain[1:]...)
}

func value(coins []Coin) (sum int64) {
	for i := range coins {
		sum += coins[i].Value
	}
	return sum
}

func spent(outputs []wire.TxOut) (sum int64) {
	for i := range outputs {
		sum += outputs[i].Value
	}
	return sum
}

// ParseKey reads the public key of a token's owner or destination in hexadecimal: a compressed
// point of the curve, or the burn key, which is not a valid point. Its error wraps ErrPubKey.
// komodod accepts any text and uses uninitialized memory.
func ParseKey(text string) (key token.Key, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != token.KeySize {
		return key, fmt.Errorf("%w %.70q: 66 hexadecimal digits that start with 02 or 03 are expected", ErrPubKey, text)
	}
	key = token.Key(b)
	return key, checkKey(key)
}

func checkKey(key token.Key) error {
	if key == token.BurnKey() {
		return nil
	}
	if _, err := btcec.ParsePubKey(key[:]); err != nil {
		return fmt.Errorf("%w %x: it is not a point of the curve secp256k1", ErrPubKey, key)
	}
	return nil
}

// TransferToken builds a transfer of amount tokens to dest. If dest is the burn key, the tokens
// are burned. The error is an Error.
func (w *Wallet) TransferToken(from Source, id wire.Hash, dest token.Key, amount int64) (*wire.Tx, error) {
	w = w.active()
	if !w.params.CCEnabled {
		return nil, ErrNoCC
	}
	if err := checkTransfer(id, dest, amount); err != nil {
		return nil, err
	}
	const maxInputs = 3
	coins, err := w.chooseCoins(w.feeCoins(from), from.NextHeight(), Fee, maxInputs, Fee/maxInputs)
	if errors.Is(err, errShort) {
		return nil, ErrFee
	} else if err != nil {
		return nil, err
	}
	creation, ok, err := from.Creation(id)
	if err != nil {
		return nil, err
	} else if !ok {
		return nil, ErrNoTokens
	}
	holder := token.HolderCodes(creation.NFT)
	tokens, err := w.chooseTokens(from, id, holder, amount)
	if err != nil {
		return nil, err
	}
	codes := outputCodes(creation)
	outputs := []wire.TxOut{{Value: amount, Script: token.Script(codes, dest)}}
	if rest := value(tokens) - amount; rest > 0 {
		outputs = append(outputs, wire.TxOut{Value: rest, Script: token.Script(codes, w.public)})
	}
	payload := &token.Payload{Func: token.Transfer, TokenID: id, Keys: []token.Key{dest}}
	return w.finish(&draft{plain: coins, tokens: tokens, holder: holder, outputs: outputs, payload: payload},
		from.NextHeight())
}

func checkTransfer(id wire.Hash, dest token.Key, amount int64) error {
	if id.IsZero() {
		return ErrTokenID
	}
	if err := checkKey(dest); err != nil {
		return err
	}
	if amount <= 0 {
		return ErrAmount
	}
	return nil
}

// chooseTokens returns the first token outputs that are worth their share, without searching
// for the best.
func (w *Wallet) chooseTokens(from Source, id wire.Hash, holder []byte, amount int64) ([]Coin, error) {
	const maxInputs = 60
	address := script.PubKeyAddress(token.Script(holder, w.public))
	enough := func(c Coin) bool { return c.Value >= amount/maxInputs }
	tokens, sum, err := gather(from.Tokens(id, address), amount, maxInputs, enough)
	switch {
	case err != nil:
		return nil, err
	case sum == 0:
		return nil, ErrNoTokens
	case sum < amount:
		return nil, ErrFewTokens
	}
	return tokens, nil
}

// outputCodes returns the eval codes of the outputs of a transfer. If the token's data starts
// with 00 or f2, they differ from the codes under which the token is found.
func outputCodes(c token.Creation) []byte {
	if c.IsNFT {
		return token.CreateCodes([]byte{c.NFT})
	}
	return token.CreateCodes(nil)
}
