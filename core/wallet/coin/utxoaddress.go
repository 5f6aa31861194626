package coin

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// Reasons why an address is not converted.
var (
	ErrNoUTXO        = errors.New("has no addresses of the kind of Bitcoin's: want a coin whose entry has pubtype")
	ErrAddressBase58 = errors.New("address is not base58check, as in 1… of Bitcoin or R… of Komodo")
	ErrAddressScript = errors.New("address is of a script (P2SH), which no key of another coin can spend")
)

// maxUTXOAddress is well above the 35 characters of an address with two bytes before its hash.
const maxUTXOAddress = 64

// utxoPrefixes are the version bytes before the hash in addresses of a coin like Bitcoin. Source:
// the coins file of Komodo DeFi Framework.
type utxoPrefixes struct {
	Key    *byte `json:"pubtype"`
	Script *byte `json:"p2shtype"`
	First  *byte `json:"taddr"` // first of two bytes, as in Zcash
}

// checksums maps coins to the checksum of their addresses, if it differs from Bitcoin's.
var checksums = map[string]string{"GRS": "Groestl", "SMART": "Keccak"}

func (e *Entry) utxoPrefixes() (p utxoPrefixes, err error) {
	if err := json.Unmarshal(e.raw, &p); err != nil || p.Key == nil {
		return p, fmt.Errorf("%s %w", e.Ticker, ErrNoUTXO)
	}
	if hash := checksums[e.Ticker]; hash != "" {
		return p, fmt.Errorf("%s %w: its addresses have a checksum of %s", e.Ticker, errors.ErrUnsupported, hash)
	}
	return p, nil
}

// KeyAddress returns the address of the coin for the public key hash of another Bitcoin-like
// coin's address. The prefix does not identify the other coin. An address is assumed to be of a
// script if its prefix is used for script addresses by this coin, Komodo, Bitcoin or Zcash.
func (e *Entry) KeyAddress(text string) (string, error) {
	to, err := e.utxoPrefixes()
	if err != nil {
		return "", err
	}
	if len(text) > maxUTXOAddress {
		return "", ErrAddressBase58
	}
	body, version, err := base58.CheckDecode(text)
	const hash = 20
	switch {
	case err != nil || len(body) < hash || len(body) > hash+1:
		return "", ErrAddressBase58
	case len(body) == hash+1: // the version is the first of two bytes
		version = body[0]
	}
	if isScript(version, len(body) > hash, to) {
		return "", ErrAddressScript
	}
	body = body[len(body)-hash:]
	if to.First == nil || *to.First == 0 {
		return base58.CheckEncode(body, *to.Key), nil
	}
	return base58.CheckEncode(append([]byte{*to.Key}, body...), *to.First), nil
}

// isScript reports whether version is used for script addresses by Bitcoin, its test network,
// Komodo, Zcash or the coin with the given prefixes.
func isScript(version byte, two bool, coin utxoPrefixes) bool {
	if version == *coin.Key && two == (coin.First != nil) {
		return false
	}
	if two {
		return version == 0xbd || version == 0xba // t3, t2
	}
	return version == 5 || version == 196 || version == 85 || coin.Script != nil && version == *coin.Script
}
