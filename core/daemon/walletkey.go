package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/btcsuite/btcd/btcec/v2"

	"obverse/core/chain/keyring"
	"obverse/core/chain/script"
	"obverse/core/key"
	"obverse/core/rpc"
)

func (b *Backend) keyMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("dumpprivkey", rpc.Doc{
			Usage:    `dumpprivkey "t-addr"`,
			Summary:  "Reveal the private key of an address of the wallet",
			Category: categoryWallet,
		}, b.dumpPrivKey).Guarded(b.requireUnlocked),
		rpc.Handle("importprivkey", rpc.Doc{
			Usage:    `importprivkey "privkey" ( "label" rescan height secret_key )`,
			Summary:  "Add a private key to the wallet, and set the account of its address",
			Detail:   "The key is encrypted in the node's store; the recovery phrase does not restore it. Its coins belong to the wallet immediately, with or without a rescan.",
			Category: categoryWallet,
		}, b.importPrivKey).Guarded(b.requireUnlocked),
		rpc.Handle("importaddress", rpc.Doc{
			Usage:    `importaddress "address" ( "label" rescan )`,
			Summary:  "Watch an address, or an output script in hexadecimal, without its key",
			Detail:   "The wallet lists the coins of the address and never spends them. Outputs to the public key of the address are included.",
			Category: categoryWallet,
		}, b.importAddress).Gives(nil),
		rpc.Handle("setpubkey", rpc.Doc{
			Usage:    `setpubkey "pubkey"`,
			Summary:  "Set the key that signs token transactions and receives change, until the node stops",
			Detail:   "The node continues to make blocks with its first key. A key that is not in the wallet is rejected with a warning.",
			Category: categoryWallet,
		}, b.setPubKey),
		rpc.Handle("convertpassphrase", rpc.Doc{
			Usage:    `convertpassphrase "agamapassphrase"`,
			Summary:  "Return the key that komodod's wallets derive from a passphrase",
			Category: categoryWallet,
		}, b.convertPassphrase),
	}
}

// requireUnlocked returns errLocked if the wallet is locked. Methods that need private keys call
// it before they check their parameters.
func (b *Backend) requireUnlocked(context.Context) error {
	switch {
	case b.Ring == nil:
		return nil // the method returns the error for a node without a key
	case b.Ring.Locked():
		return errLocked
	}
	return nil
}

type dumpParams struct {
	Address Text `json:"address"`
}

func (b *Backend) dumpPrivKey(_ context.Context, p dumpParams) (string, error) {
	address, err := script.ParseAddress(string(p.Address))
	switch {
	case err != nil:
		return "", &Error{CodeAddress, "Invalid transparent address"}
	case address.Version != script.PubKeyHashVersion:
		return "", &Error{CodeType, "Address does not refer to a key"}
	}
	if b.Ring != nil {
		if k, has := b.Ring.Key(address.Hash); has {
			return b.wif(k)
		}
	}
	return "", &Error{CodeWallet, fmt.Sprintf("Private key for address %s is not known", p.Address)}
}

// wif returns the private key of a key of the wallet in wallet import format.
func (b *Backend) wif(k *keyring.Key) (string, error) {
	secret, err := b.Ring.Secret(k)
	switch {
	case err == keyring.ErrLocked:
		return "", errLocked
	case err != nil:
		return "", err
	case !k.Compressed():
		return secret.UncompressedWIF(), nil
	}
	return secret.WIF(), nil
}

// wifVersion is the version byte of private keys [komodod chainparams.cpp].
const wifVersion = 188

type importKeyParams struct {
	Key     Text          `json:"privkey" doc:"in wallet import format"`
	Label   Text          `json:"label" rpc:"optional" doc:"account of the address"`
	Rescan  Flag          `json:"rescan" default:"true" doc:"has no effect"`
	Height  unreadInt     `json:"height" rpc:"optional" doc:"has no effect"`
	Version unreadDecimal `json:"secret_key" rpc:"optional" doc:"version byte of the key, 188 by default; 128 is Bitcoin's"`
}

func (b *Backend) importPrivKey(ctx context.Context, p importKeyParams) (a script.Address, err error) {
	if b.Ring == nil {
		return a, errNoWallet
	}
	version := int64(wifVersion)
	switch {
	case len(p.Version) > 0:
		if version, err = p.Version.amount(b.Manager.Params().MaxMoney); err != nil {
			return a, err
		}
		version /= coin
	case len(p.Height) > 0 && bool(p.Rescan):
		height, err := p.Height.or(0)
		if err != nil {
			return a, err
		}
		tip, err := b.tip(ctx)
		if err != nil {
			return a, err
		}
		if height < 0 || height > tip.Height {
			return a, &Error{CodeWallet, "Rescan height is out of range."}
		}
	}
	private, compressed, err := key.ImportWIF(string(p.Key), byte(min(version, math.MaxUint8)))
	if err != nil || version > math.MaxUint8 {
		return a, &Error{CodeAddress, "Invalid private key encoding"}
	}
	k, _, err := b.Ring.Import(ctx, private, compressed, 1)
	if err != nil {
		return a, err
	}
	return k.Address(), b.Ring.Name(ctx, k.Address(), string(p.Label))
}

type importAddressParams struct {
	Address Text `json:"address" doc:"an address, or an output script in hexadecimal"`
	Label   Text `json:"label" rpc:"optional" doc:"account of the address"`
	Rescan  Flag `json:"rescan" default:"true" doc:"has no effect"`
}

func (b *Backend) importAddress(ctx context.Context, p importAddressParams) (any, error) {
	if b.Ring == nil {
		return nil, errNoWallet
	}
	pkScript, address, err := parseWatched(string(p.Address))
	if err != nil {
		return nil, err
	}
	if b.Ring.Relation(pkScript) == keyring.Mine {
		return nil, &Error{CodeWallet, "The wallet already contains the private key for this address or script"}
	}
	if address != nil {
		if err := b.Ring.Name(ctx, *address, string(p.Label)); err != nil {
			return nil, err
		}
	}
	if b.Ring.IsWatched(pkScript) {
		return nil, nil
	}
	return nil, b.Ring.Watch(ctx, pkScript)
}

// parseWatched parses an address, or an output script in hexadecimal. The address is nil for a
// script.
func parseWatched(text string) (pkScript []byte, address *script.Address, err error) {
	if a, err := script.ParseAddress(text); err == nil {
		return a.PkScript(), &a, nil
	}
	pkScript, err = hex.DecodeString(text)
	if err != nil || len(pkScript) == 0 {
		return nil, nil, &Error{CodeAddress, "Invalid Komodo address or script"}
	}
	return pkScript, nil, nil
}

type setPubKeyParams struct {
	PubKey Text `json:"pubkey" rpc:"absent=null" doc:"66 hexadecimal digits"`
}

// pubKeySet is the result of setpubkey. As in komodod, an invalid key is reported in the result
// rather than by an error [komodod wallet/rpcdump.cpp].
type pubKeySet struct {
	Error   string          `json:"error,omitempty"`
	IsMine  string          `json:"ismine,omitempty" doc:"true if the wallet has the key"`
	Warning string          `json:"WARNING,omitempty"`
	Address *script.Address `json:"address,omitempty"`
	PubKey  Text            `json:"pubkey,omitempty"`
}

func (b *Backend) setPubKey(_ context.Context, p setPubKeyParams) (pubKeySet, error) {
	if b.Ring == nil || b.Wallet == nil {
		return pubKeySet{}, errNoWallet
	}
	public, err := hex.DecodeString(string(p.PubKey))
	switch {
	case len(p.PubKey) != 66:
		return pubKeySet{Error: "pubkey is wrong length, must be 66 char hex string."}, nil
	case err != nil || !isPublicKey(public):
		return pubKeySet{Error: "pubkey entered is invalid."}, nil
	}
	address := script.PubKeyAddress(public)
	result := pubKeySet{IsMine: "true", Address: &address, PubKey: p.PubKey}
	k, has := b.Ring.Key(address.Hash)
	if !has {
		result.IsMine, result.Warning = "", "privkey for this pubkey is not imported to wallet! The key was not changed."
		return result, nil
	}
	secret, err := b.Ring.Secret(k)
	if err == keyring.ErrLocked {
		err = errLocked
	}
	if err == nil {
		b.Wallet.Select(secret)
	}
	return result, err
}

// isPublicKey reports whether public is the encoding of a point on the curve.
func isPublicKey(public []byte) bool {
	_, err := btcec.ParsePubKey(public)
	return err == nil
}

type convertParams struct {
	Passphrase Text `json:"agamapassphrase" doc:"a passphrase, or a private key in wallet import format"`
}

type converted struct {
	Passphrase rawText        `json:"agamapassphrase"`
	Address    script.Address `json:"address"`
	PubKey     hexBytes       `json:"pubkey"`
	PrivKey    hexBytes       `json:"privkey"`
	WIF        string         `json:"wif"`
}

func (b *Backend) convertPassphrase(_ context.Context, p convertParams) (converted, error) {
	private, compressed, err := key.ImportWIF(string(p.Passphrase), wifVersion)
	if err != nil || !compressed {
		sum := sha256.Sum256([]byte(p.Passphrase))
		sum[0] &= 248
		sum[31] = sum[31]&127 | 64
		if private, err = key.FromSecret(sum); err != nil {
			return converted{}, err
		}
	}
	public, secret := private.PublicKey(), private.Secret()
	return converted{rawText(p.Passphrase), script.PubKeyAddress(public[:]), public[:], secret[:], private.WIF()}, nil
}
