package wallet

import (
	"errors"
	"fmt"
	"math"

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

// CreateToken builds a token of supply units, which the wallet's key owns. data makes a token
// non-fungible. Nil means that no data was given, which differs from empty data. It fails with
// an Error.
func (w *Wallet) CreateToken(from Source, name string, supply int64, description string, data []byte) (*wire.Tx, error) {
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
	coins, err := w.coinsForCreation(from, supply)
	if err != nil {
		return nil, err
	}
	return w.finish(&draft{plain: coins, payload: payload, outputs: []wire.TxOut{
		{Value: markerValue, Script: token.MarkerScript()},
		{Value: supply, Script: token.Script(token.CreateCodes(data), w.public)},
	}}, from.NextHeight())
}

// CheckCreation judges what a token is to be, with the errors of CreateToken and in
// their order.
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

// losesToken reports whether no key would hold a token with this data, as recorded of komodod:
// of data that begins with 00 no code guards the token, and with f2 its holder is looked for
// elsewhere. regtest builds them all.
func (w *Wallet) losesToken(data []byte) bool {
	return len(data) > 0 && (data[0] == 0 || data[0] == token.Eval) && !w.params.Regtest && !w.allowUnheld
}

// checkRelay refuses a payload that nodes would not pass on, of which upstream
// says nothing before the broadcast fails. regtest relays everything.
func (w *Wallet) checkRelay(payload *token.Payload) error {
	size := len(payload.Script())
	if w.params.Regtest || size <= w.dataCarrier {
		return nil
	}
	return fmt.Errorf("%w: name, description and data make an OP_RETURN of %d bytes, datacarriersize is %d",
		ErrRelay, size, w.dataCarrier)
}

func (w *Wallet) coinsForCreation(from Source, supply int64) ([]Coin, error) {
	const maxInputs = 64
	if supply > math.MaxInt64-markerValue-Fee {
		return nil, ErrCoins
	}
	need := supply + markerValue + Fee
	coins, err := w.chooseCoins(from, need, maxInputs, need/maxInputs)
	if errors.Is(err, errShort) {
		return nil, ErrCoins
	}
	return coins, err
}
