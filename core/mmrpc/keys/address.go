package keys

import (
	"context"
	"errors"
	"strings"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// Addresses is the area of the methods for addresses.
type Addresses struct {
	Active   *coin.Active
	Registry *coin.Registry
}

// Methods implements Area.
func (a Addresses) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("validateaddress", rpc.Doc{Reads: true,
			Summary: "Validate an address of a coin", Category: wire.CategoryCoins, Legacy: true,
		}, a.validate).Raises(wire.Kinds(mmerr.NoSuchCoin)...),
		rpc.Handle("convertaddress", rpc.Doc{Reads: true,
			Summary: "Convert an address to another format", Category: wire.CategoryCoins, Legacy: true,
		}, a.convert).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.AddressDecodingError)...),
		rpc.Handle("convert_utxo_address", rpc.Doc{Reads: true,
			Summary: "Return the address of the same key for another Bitcoin-like coin", Category: wire.CategoryCoins, Legacy: true,
			Detail: "The coin must be in the coins file, but need not be active. A script address (P2SH) is rejected, because coins sent to it on another chain are lost.",
		}, a.convertUTXO).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.AddressDecodingError)...),
	}
}

type validateAddressParams struct {
	Coin    string `json:"coin" doc:"ticker of an active coin"`
	Address string `json:"address"`
}

type validatedAddress struct {
	Valid  bool   `json:"is_valid"`
	Reason string `json:"reason,omitempty" doc:"reason why the address is invalid"`
}

func (a Addresses) validate(_ context.Context, p validateAddressParams) (validatedAddress, error) {
	_, err := a.read(p.Coin, p.Address)
	var invalid *coin.InvalidError
	if errors.As(err, &invalid) {
		return validatedAddress{Reason: wire.Text(invalid.Reason)}, nil
	}
	return validatedAddress{Valid: err == nil}, err
}

func (a Addresses) read(ticker, text string) (string, error) {
	reader, err := wire.ActiveAs[coin.AddressReader](a.Active, ticker, "has no addresses")
	if err != nil {
		return "", err
	}
	return reader.ReadAddress(text)
}

type convertAddressParams struct {
	Coin string        `json:"coin" doc:"ticker of an active coin"`
	From string        `json:"from" doc:"the address"`
	To   addressFormat `json:"to_address_format"`
}

type addressFormat struct {
	Format addressSpelling `json:"format" doc:"mixedcase: as displayed by wallets, with the checksum of EIP-55 on EVM networks; singlecase: in lower case"`
}

// addressSpelling is a way to write an address.
type addressSpelling string

// Values implements rpc.Enum.
func (addressSpelling) Values() []string { return []string{"mixedcase", "singlecase"} }

type convertedAddress struct {
	Address string `json:"address"`
}

func (a Addresses) convert(_ context.Context, p convertAddressParams) (convertedAddress, error) {
	text, err := a.read(p.Coin, p.From)
	var invalid *coin.InvalidError
	if errors.As(err, &invalid) {
		reason := wire.Text(invalid.Reason)
		return convertedAddress{}, mmerr.AddressDecodingError.From(err, reason, "Address decoding error: "+reason)
	}
	if p.To.Format == "singlecase" {
		text = strings.ToLower(text)
	}
	return convertedAddress{text}, err
}

type convertUTXOParams struct {
	Address string `json:"address" doc:"address in base58, such as 1… of Bitcoin or R… of Komodo"`
	To      string `json:"to_coin" doc:"ticker of a coin in the coins file"`
}

func (a Addresses) convertUTXO(_ context.Context, p convertUTXOParams) (string, error) {
	entry, err := a.Registry.Lookup(p.To)
	if err != nil {
		return "", wire.NoSuchCoin(err, p.To)
	}
	address, err := entry.KeyAddress(p.Address)
	switch {
	case errors.Is(err, coin.ErrAddressBase58), errors.Is(err, coin.ErrAddressScript):
		return "", mmerr.AddressDecodingError.From(err, err.Error(), "Address decoding error: "+err.Error())
	case err != nil:
		return "", mmerr.InvalidRequest.From(err, err.Error(), err.Error())
	}
	return address, nil
}
