// Package export writes private keys of coins as other wallets import them. It is the one
// place, beside the WIF of the token chain, where a private key becomes text.
//
// Source: Komodo DeFi Framework get_private_keys, for the forms of keys.
//
// Invariant: the address beside a private key is the one that coins of the family have
// with this key.
package export

import (
	"encoding/hex"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	cosmos "obverse/core/wallet/cosmos/address"
	evm "obverse/core/wallet/evm/address"
)

// Errors of an Exporter, beside those of a registry and of derivation paths.
var (
	// ErrUnsupported: keys of such coins are not exported.
	ErrUnsupported = errors.New("keys of this protocol are not exported: want a coin of an EVM network or of a Cosmos chain")
	// ErrNotHD: the node has one key.
	ErrNotHD = errors.New("the node is not an HD wallet (enable_hd)")
	// ErrNoPath: the coin's entry has no derivation path.
	ErrNoPath = errors.New("the coin's entry has no derivation_path")
)

// Key is one private key in the form of its coin.
type Key struct {
	Path    key.Path // nil: the node's one key
	Public  string
	Address string
	Private string
}

// Exporter has the keys of a node.
type Exporter struct {
	Ring     *key.Ring // nil: the node has no passphrase
	Registry *coin.Registry
}

// form is how a coin writes its keys.
type form struct {
	base   key.Path // nil: unknown
	encode func(*key.Private) (Key, error)
}

// Single is the node's one key as a coin has it.
func (e Exporter) Single(ticker string) (Key, error) {
	f, err := e.form(ticker)
	if err != nil {
		return Key{}, err
	}
	return e.at(f, nil)
}

// Range is the keys of an account's addresses from first to last.
func (e Exporter) Range(ticker string, account, first, last uint32) (keys []Key, err error) {
	f, err := e.form(ticker)
	switch {
	case err != nil:
		return nil, err
	case !e.Ring.IsHD():
		return nil, ErrNotHD
	case f.base == nil:
		return nil, fmt.Errorf("%s: %w", ticker, ErrNoPath)
	}
	for index := first; ; index++ {
		path, err := f.base.Address(account, key.External, index)
		if err != nil {
			return nil, err
		}
		one, err := e.at(f, path)
		if err != nil {
			return nil, err
		}
		if keys = append(keys, one); index == last {
			return keys, nil
		}
	}
}

// Address returns the first address of an account, or that of the node's one key, which has
// the account 0 only.
func (e Exporter) Address(ticker string, account uint32) (string, error) {
	if !e.Ring.IsHD() {
		if account != 0 {
			return "", ErrNotHD
		}
		one, err := e.Single(ticker)
		return one.Address, err
	}
	keys, err := e.Range(ticker, account, 0, 0)
	if err != nil {
		return "", err
	}
	return keys[0].Address, nil
}

// At is the key of one path.
func (e Exporter) At(ticker string, path key.Path) (Key, error) {
	f, err := e.form(ticker)
	if err != nil {
		return Key{}, err
	}
	return e.at(f, path)
}

func (e Exporter) at(f form, path key.Path) (Key, error) {
	if e.Ring == nil {
		return Key{}, key.ErrNoPassphrase
	}
	private, err := e.Ring.At(path)
	if err != nil {
		return Key{}, err
	}
	defer private.Wipe()
	k, err := f.encode(private)
	k.Path = path
	return k, err
}

// form finds out how a coin, or the platform of a token, writes its keys.
func (e Exporter) form(ticker string) (form, error) {
	entry, err := e.Registry.Lookup(ticker)
	if err != nil {
		return form{}, err
	}
	protocol, err := entry.Protocol()
	if err != nil {
		return form{}, err
	}
	switch of := protocol.Parameters.(type) {
	case coin.ERC20:
		return e.form(of.Platform)
	case coin.CosmosToken:
		return e.form(of.Platform)
	case coin.ETH:
		return withBase(entry, ofEVM)
	case coin.Cosmos:
		return withBase(entry, func(private *key.Private) (Key, error) { return ofCosmos(of.AccountPrefix, private) })
	}
	return form{}, fmt.Errorf("%s: %w", ticker, ErrUnsupported)
}

func withBase(entry *coin.Entry, encode func(*key.Private) (Key, error)) (f form, err error) {
	if f.encode = encode; entry.DerivationPath != "" {
		f.base, err = key.ParsePath(entry.DerivationPath)
	}
	return f, err
}

func ofEVM(private *key.Private) (Key, error) {
	public, err := evm.Uncompress(private.PublicKey())
	if err != nil {
		return Key{}, err
	}
	address, err := evm.OfKey(private.PublicKey())
	secret := private.Secret()
	return Key{Public: "0x" + hex.EncodeToString(public[1:]), Address: address.String(), Private: "0x" + hex.EncodeToString(secret[:])}, err
}

func ofCosmos(prefix string, private *key.Private) (Key, error) {
	public, secret := private.PublicKey(), private.Secret()
	address, err := cosmos.OfKey(prefix, public)
	return Key{Public: hex.EncodeToString(public[:]), Address: address.String(), Private: hex.EncodeToString(secret[:])}, err
}
