package keys

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/export"
)

// PrivateKeys is the area of the methods that return private keys.
type PrivateKeys struct {
	Exporter export.Exporter
	Active   *coin.Active
}

// Methods implements Area.
func (k PrivateKeys) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("get_private_keys", rpc.Doc{
			Summary: "Return private keys of coins, which need not be active",
			Detail: "Keep the result secret: it allows anyone to spend the coins. In mode hd, an entry contains the keys of the addresses from start_index to end_index of an " +
				"account. In mode iguana, it contains the single key of the node.",
			Category: categoryKeys,
		}, k.list).Raises(wire.Kinds(mmerr.CoinConfigNotFound, mmerr.InvalidHDRange, mmerr.HDRangeTooLarge, mmerr.InvalidParametersForMode,
			mmerr.ProtocolParseError, mmerr.KeyDerivationFailed)...),
		rpc.Handle("get_addresses", rpc.Doc{Reads: true,
			Summary:  "Return the node's own addresses of coins, which need not be active",
			Detail:   "The method makes no requests. failed lists each coin without an address, with the reason. With an HD wallet, the result contains the first address of the account.",
			Category: categoryKeys,
		}, k.addresses),
		rpc.Handle("show_priv_key", rpc.Doc{
			Summary: "Return the private key of an active coin's address", Category: categoryKeys, Legacy: true,
		}, k.show).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.PrivKeyNotAllowed, mmerr.KeyDerivationFailed)...),
	}
}

// keyMode selects the kind of private keys.
type keyMode string

const (
	modeHD     keyMode = "hd"
	modeIguana keyMode = "iguana"
)

// Values implements rpc.Enum.
func (keyMode) Values() []string { return []string{string(modeHD), string(modeIguana)} }

// maxKeys limits the number of addresses in a request, as in Komodo DeFi Framework.
const maxKeys = 100

type privateKeysParams struct {
	Coins   []string           `json:"coins" doc:"tickers"`
	Mode    keyMode            `json:"mode" rpc:"optional" doc:"by default the mode of the node: hd with enable_hd"`
	Start   *uint32            `json:"start_index" doc:"index of the first address; by default 0"`
	End     *uint32            `json:"end_index" doc:"index of the last address; by default start_index + 10"`
	Account wire.OptionalIndex `json:"account_index" rpc:"optional" doc:"index of the account; by default 0"`
}

// privateKeys holds the keys of a coin: a single key in mode iguana, or a list of addresses.
type privateKeys struct {
	Coin string `json:"coin"`
	*keyResult
	Addresses []hdKey `json:"addresses,omitempty" doc:"in mode hd"`
}

type keyResult struct {
	Public  string `json:"pubkey" doc:"public key in the format of the coin's family"`
	Address string `json:"address"`
	Private string `json:"priv_key" doc:"private key in the format that wallets of the coin's family import"`
}

type hdKey struct {
	Path string `json:"derivation_path"`
	keyResult
}

func (k PrivateKeys) list(_ context.Context, p privateKeysParams) ([]privateKeys, error) {
	hd := k.Exporter.Ring.IsHD()
	if p.Mode == "" && hd {
		p.Mode = modeHD
	}
	if p.Mode == modeHD != hd {
		const text = "the node has keys of one mode: hd if it was started with enable_hd, else iguana"
		return nil, mmerr.InvalidParametersForMode.New(text, "Invalid parameters: "+text)
	}
	if !hd && (p.Start != nil || p.End != nil || p.Account.Given != nil) {
		const text = "start_index, end_index and account_index need mode hd"
		return nil, mmerr.InvalidParametersForMode.New(text, "Invalid parameters: "+text)
	}
	first, last, err := p.bounds()
	if err != nil {
		return nil, err
	}
	all := []privateKeys{}
	for _, ticker := range p.Coins {
		one, err := k.coinKeys(ticker, hd, orZero(p.Account.Given), first, last)
		if err != nil {
			return nil, exportFailure(ticker, err)
		}
		all = append(all, one)
	}
	return all, nil
}

func (p privateKeysParams) bounds() (first, last uint32, err error) {
	const more = 10
	first = orZero(p.Start)
	last = first + more
	if p.End != nil {
		last = *p.End
	}
	switch {
	case last < first || last >= key.Hardened:
		return 0, 0, mmerr.InvalidHDRange.New(mmerr.HDRange{Start: first, End: last}, fmt.Sprintf("Invalid range: start_index is %d, end_index %d", first, last))
	case last-first >= maxKeys:
		return 0, 0, mmerr.HDRangeTooLarge.New(mmerr.None{}, fmt.Sprintf("Requested range of %d addresses is too large, the limit is %d", last-first+1, maxKeys))
	}
	return first, last, nil
}

func orZero(n *uint32) uint32 {
	if n == nil {
		return 0
	}
	return *n
}

func (k PrivateKeys) coinKeys(ticker string, hd bool, accountIndex, first, last uint32) (privateKeys, error) {
	all := privateKeys{Coin: ticker}
	if !hd {
		one, err := k.Exporter.Single(ticker)
		all.keyResult = &keyResult{one.Public, one.Address, one.Private}
		return all, err
	}
	keys, err := k.Exporter.Range(ticker, accountIndex, first, last)
	for _, one := range keys {
		all.Addresses = append(all.Addresses, hdKey{one.Path.String(), keyResult{one.Public, one.Address, one.Private}})
	}
	return all, err
}

// MaxAddresses limits the number of coins in a get_addresses request.
const MaxAddresses = 1000

type addressesParams struct {
	Coins   []string           `json:"coins" doc:"tickers, at most 1000"`
	Account wire.OptionalIndex `json:"account_index" rpc:"optional" doc:"account of an HD wallet; by default 0"`
}

type addressesResult struct {
	Addresses []coinAddress    `json:"addresses"`
	Failed    []withoutAddress `json:"failed"`
}

type coinAddress struct {
	Coin    string `json:"coin"`
	Address string `json:"address"`
}

type withoutAddress struct {
	Coin  string `json:"coin"`
	Error string `json:"error"`
}

func (k PrivateKeys) addresses(_ context.Context, p addressesParams) (addressesResult, error) {
	if len(p.Coins) > MaxAddresses {
		return addressesResult{}, &rpc.ParamError{Path: "coins", Want: fmt.Sprintf("at most %d tickers", MaxAddresses), Got: rpc.KindArray, Err: wire.ErrTooMany}
	}
	result := addressesResult{Addresses: []coinAddress{}, Failed: []withoutAddress{}}
	for _, ticker := range p.Coins {
		address, err := k.Exporter.Address(ticker, orZero(p.Account.Given))
		if err != nil {
			result.Failed = append(result.Failed, withoutAddress{ticker, err.Error()})
			continue
		}
		result.Addresses = append(result.Addresses, coinAddress{ticker, address})
	}
	return result, nil
}

type showKeyParams struct {
	Coin string `json:"coin" doc:"ticker of an active coin"`
}

type privateKeyResult struct {
	Coin    string `json:"coin"`
	Private string `json:"priv_key"`
}

type ownedCoin interface {
	coin.Coin
	wire.Owned
}

// show returns the private key of an active coin. It fails if the coin's key is in an external
// wallet or device, because the node's own key for that path has another address.
func (k PrivateKeys) show(_ context.Context, p showKeyParams) (privateKeyResult, error) {
	active, err := wire.ActiveAs[ownedCoin](k.Active, p.Coin, "has no private key")
	if err != nil {
		return privateKeyResult{}, err
	}
	one, err := k.Exporter.At(active.Ticker(), active.Owner().Path)
	if err != nil {
		return privateKeyResult{}, exportFailure(p.Coin, err)
	}
	if one.Address != active.Owner().Address {
		const text = "the key of this coin is not the node's"
		return privateKeyResult{}, mmerr.PrivKeyNotAllowed.New(text, "Private key is not allowed: "+text)
	}
	return privateKeyResult{p.Coin, one.Private}, nil
}

func exportFailure(ticker string, err error) error {
	var unknown *coin.UnknownError
	var broken *coin.ParseError
	switch {
	case errors.As(err, &unknown):
		return mmerr.CoinConfigNotFound.From(err, ticker, "Coin config not found: "+wire.Clip(ticker))
	case errors.As(err, &broken), errors.Is(err, export.ErrUnsupported):
		return mmerr.ProtocolParseError.From(err, mmerr.Ticker{Ticker: ticker, Error: err.Error()}, "Protocol of "+wire.Clip(ticker)+": "+err.Error())
	}
	return mmerr.KeyDerivationFailed.From(err, err.Error(), "Key derivation failed: "+err.Error())
}
