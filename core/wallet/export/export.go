// Package export formats private keys of coins so that other wallets can import them. Apart
// from the WIF of the token chain, no other package converts a private key to text.
//
// Source: Komodo DeFi Framework get_private_keys, for the key formats.
//
// Invariant: The exported address is the one that the coin's family derives from the exported
// private key.
package export

import (
	"encoding/hex"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/text"
	"obverse/core/wallet/coin"
	cosmos "obverse/core/wallet/cosmos/address"
	evm "obverse/core/wallet/evm/address"
)

// Errors of an Exporter, in addition to those of the registry and of derivation paths.
var (
	// ErrUnsupported means that keys of this protocol are not exported.
	ErrUnsupported = errors.New("keys of this protocol are not exported: want a coin of an EVM network or of a Cosmos chain")
	// ErrNotHD means that the node has a single key.
	ErrNotHD = errors.New("the node is not an HD wallet (enable_hd)")
	// ErrNoPath means that the coin's entry has no derivation path.
	ErrNoPath = errors.New("the coin's entry has no derivation_path")
)

// Key is a private key in the format of its coin.
type Key struct {
	Path    key.Path // nil for the key of a node that is not an HD wallet
	Public  string
	Address string
	Private string
}

// Exporter exports the keys of a node.
type Exporter struct {
	Ring     *key.Ring // nil if the node has no passphrase
	Registry *coin.Registry
}

// form describes how a coin encodes its keys.
type form struct {
	base   key.Path // nil if unknown
	encode func(*key.Private) (Key, error)
}

// Single returns the node's single key, encoded for the coin.
func (e Exporter) Single(ticker string) (Key, error) {
	f, err := e.form(ticker)
	if err != nil {
		return Key{}, err
	}
	return e.at(f, nil)
}

// Range returns the keys of the addresses first through last of an account.
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

// Address returns the first address of an account. A node with a single key has account 0 only.
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

// At returns the key at a path.
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

// form returns the key encoding of a coin, or of the platform of a token.
func (e Exporter) form(ticker string) (form, error) {
	entry, err := e.Registry.Lookup(ticker)
	if err != nil {
		return form{}, err
	}
	protocol, err := entry.Protocol()
	if err != nil {
		return form{}, err
	}
	switch parameters := protocol.Parameters.(type) {
	case coin.ERC20:
		return e.form(parameters.Platform)
	case coin.CosmosToken:
		return e.form(parameters.Platform)
	case coin.ETH:
		return withBase(entry, evmKey)
	case coin.Cosmos:
		return withBase(entry, func(private *key.Private) (Key, error) { return cosmosKey(parameters.AccountPrefix, private) })
	}
	return form{}, fmt.Errorf("%s: %w", ticker, ErrUnsupported)
}

func withBase(entry *coin.Entry, encode func(*key.Private) (Key, error)) (f form, err error) {
	if f.encode = encode; entry.DerivationPath != "" {
		f.base, err = key.ParsePath(entry.DerivationPath)
	}
	return f, err
}

func evmKey(private *key.Private) (Key, error) {
	public, err := evm.Uncompress(private.PublicKey())
	if err != nil {
		return Key{}, err
	}
	address, err := evm.FromKey(private.PublicKey())
	secret := private.Secret()
	return Key{Public: text.Hex(public[1:]), Address: address.String(), Private: text.Hex(secret[:])}, err
}

func cosmosKey(prefix string, private *key.Private) (Key, error) {
	public, secret := private.PublicKey(), private.Secret()
	address, err := cosmos.FromKey(prefix, public)
	return Key{Public: hex.EncodeToString(public[:]), Address: address.String(), Private: hex.EncodeToString(secret[:])}, err
}
