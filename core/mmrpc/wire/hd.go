package wire

import (
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// PathChain is the name of the fourth number in a path.
type PathChain string

// Values implements rpc.Enum.
func (PathChain) Values() []string { return []string{"External", "Internal"} }

// HDAddress is a known address.
type HDAddress struct {
	Address string                 `json:"address"`
	Path    string                 `json:"derivation_path"`
	Chain   PathChain              `json:"chain"`
	Balance map[string]BalanceInfo `json:"balance" doc:"balances by ticker"`
	Unknown map[string]string      `json:"unknown_balance,omitempty" doc:"reasons why balances are unknown, by ticker; balance does not contain them"`
}

// HDAccount is a known account.
type HDAccount struct {
	Index     uint32                 `json:"account_index"`
	Path      string                 `json:"derivation_path"`
	Total     map[string]BalanceInfo `json:"total_balance" doc:"total balance of all addresses, by ticker; without coins for which the balance of an address is unknown"`
	Addresses []HDAddress            `json:"addresses"`
}

// ViewHeld returns the known balances, and the reasons why other balances are unknown.
func ViewHeld(held []coin.TickerBalance) (all map[string]BalanceInfo, unknown map[string]string) {
	all = map[string]BalanceInfo{}
	for _, balance := range held {
		if balance.Unknown == nil {
			all[balance.Ticker] = InfoOf(balance.Balance)
			continue
		}
		if unknown == nil {
			unknown = map[string]string{}
		}
		unknown[balance.Ticker] = Text(balance.Unknown)
	}
	return all, unknown
}

// ViewHDAddress converts an address to its form in results.
func ViewHDAddress(a hd.Address) HDAddress {
	chain := PathChain("External")
	if a.Chain == key.Internal {
		chain = "Internal"
	}
	held, unknown := ViewHeld(a.Holds)
	return HDAddress{a.Address, a.Path.String(), chain, held, unknown}
}

// ViewHDAddresses converts addresses to their form in results.
func ViewHDAddresses(list []hd.Address) []HDAddress {
	all := make([]HDAddress, len(list))
	for n, a := range list {
		all[n] = ViewHDAddress(a)
	}
	return all
}

// ViewHDAccount converts an account to its form in results.
func ViewHDAccount(a hd.Account) HDAccount {
	total, _ := ViewHeld(a.Total)
	return HDAccount{a.Index, a.Path.String(), total, ViewHDAddresses(a.Addresses)}
}

// AccountsOf returns the accounts of a coin. It returns an error of HDFailure for a coin without
// accounts.
func AccountsOf(active coin.Coin) (hd.View, error) {
	of, is := active.(hd.Coin)
	if !is {
		return hd.View{}, HDFailure(hd.ErrNotHD)
	}
	view, err := of.HD()
	return view, HDFailure(err)
}

// HDFailure returns an error of accounts with a kind. Texts and statuses are from Komodo DeFi
// Framework coins/rpc_command/hd_account_balance_rpc_error.rs.
func HDFailure(err error) error {
	var unknown *hd.UnknownAccountError
	var exists *hd.AccountExistsError
	var gap *hd.GapError
	var addresses *hd.AddressLimitError
	var accounts *hd.AccountLimitError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, hd.ErrNotHD):
		return mmerr.CoinIsActivatedNotWithHDWallet.From(err, mmerr.None{}, hd.ErrNotHD.Error())
	case errors.As(err, &unknown):
		return mmerr.UnknownAccount.From(err, mmerr.Account{ID: unknown.Account}, unknown.Error())
	case errors.As(err, &exists):
		return RefuseFrom(err, Fault{exists.Error(), `parameter "account_id" must be the number of an account that does not exist`, exists})
	case errors.As(err, &gap):
		return mmerr.EmptyAddressesLimitReached.From(err, mmerr.GapLimit{Limit: gap.Limit}, gap.Error())
	case errors.As(err, &addresses):
		return mmerr.AddressLimitReached.From(err, mmerr.AddressLimit{Max: addresses.Max}, addresses.Error())
	case errors.As(err, &accounts):
		return mmerr.AccountLimitReached.From(err, mmerr.AccountLimit{Max: accounts.Max}, accounts.Error())
	case errors.Is(err, key.ErrPath), errors.Is(err, key.ErrNoChild):
		return mmerr.ErrorDerivingAddress.From(err, err.Error(), "Error deriving an address: "+err.Error())
	case errors.Is(err, hd.ErrStore):
		return mmerr.WalletStorageError.From(err, hd.ErrStore.Error(), "Wallet storage error: "+hd.ErrStore.Error())
	case errors.Is(err, coin.ErrTransport):
		return mmerr.Transport.From(err, Text(err), "Transport: "+Text(err))
	}
	return KeyFailure(err)
}

// GapLimit is the number of consecutive unused addresses that end a search; 0 means the coin's
// limit.
type GapLimit uint32

// UnmarshalParam implements rpc.Unmarshaler.
func (g *GapLimit) UnmarshalParam(raw json.RawMessage) error {
	return BoundedParam((*uint32)(g), raw, 1, hd.MaxGap)
}

// JSONSchema implements rpc.Described.
func (GapLimit) JSONSchema() *rpc.Schema { return BoundedSchema(1, hd.MaxGap) }

// MaxIndex is the maximum number of an account or an address. Greater numbers in a path are
// hardened.
const MaxIndex = uint64(key.Hardened - 1)

// HDIndex is the number of an account or an address.
type HDIndex uint32

// UnmarshalParam implements rpc.Unmarshaler.
func (i *HDIndex) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return &rpc.ParamError{Want: fmt.Sprintf("a whole number from 0 to %d", MaxIndex), Got: rpc.KindNull, Err: rpc.ErrType, Value: raw}
	}
	return BoundedParam((*uint32)(i), raw, 0, MaxIndex)
}

// JSONSchema implements rpc.Described.
func (HDIndex) JSONSchema() *rpc.Schema { return BoundedSchema(0, MaxIndex) }

// Chain returns the number of the chain.
func (c PathChain) Chain() key.Chain {
	if c == "Internal" {
		return key.Internal
	}
	return key.External
}

// FromAddress identifies an address of an HD wallet.
type FromAddress struct{ From *coin.From }

// WantFrom describes the accepted forms of a FromAddress.
const WantFrom = "an object with derivation_path, or with account_id, chain and address_id"

var errTwoPlaces = errors.New("from names an address twice: by derivation_path and by account_id, chain and address_id")

// UnmarshalParam implements rpc.Unmarshaler.
func (f *FromAddress) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	members, err := Object(raw, WantFrom, "derivation_path", "account_id", "chain", "address_id")
	if err != nil {
		return err
	}
	if members["derivation_path"] == nil {
		return f.Numbers(members)
	}
	if len(members) > 1 {
		return &rpc.ParamError{Err: errTwoPlaces}
	}
	const want = "a derivation path as m/44'/118'/0'/0/0"
	text, err := Unquote(members["derivation_path"], want)
	if err != nil {
		return Below("derivation_path", err)
	}
	path, err := key.ParsePath(text)
	if err != nil {
		return &rpc.ParamError{Path: "derivation_path", Want: want, Got: rpc.KindString, Err: err, Value: members["derivation_path"]}
	}
	f.From = &coin.From{Path: path}
	return nil
}

func (f *FromAddress) Numbers(members map[string]json.RawMessage) error {
	var ids [2]uint64
	for i, name := range []string{"account_id", "address_id"} {
		want := fmt.Sprintf("a whole number from 0 to %d", MaxIndex)
		if members[name] == nil {
			return &rpc.ParamError{Path: name, Want: want, Err: rpc.ErrMissing}
		}
		id, err := WholeNumber(members[name], want)
		if err != nil {
			return Below(name, err)
		}
		if id >= uint64(key.Hardened) {
			return &rpc.ParamError{Path: name, Want: want, Got: rpc.KindNumber, Err: rpc.ErrRange, Value: members[name]}
		}
		ids[i] = id
	}
	const wantChain = "External or Internal"
	if members["chain"] == nil {
		return &rpc.ParamError{Path: "chain", Want: wantChain, Err: rpc.ErrMissing}
	}
	name, err := Unquote(members["chain"], wantChain)
	if err != nil {
		return Below("chain", err)
	}
	chain := key.External
	switch name {
	case "External":
	case "Internal":
		chain = key.Internal
	default:
		return &rpc.ParamError{Path: "chain", Want: wantChain, Got: rpc.KindString, Err: rpc.ErrVariant, Value: members["chain"],
			Allowed: []string{"External", "Internal"}}
	}
	f.From = &coin.From{Account: uint32(ids[0]), Chain: chain, Address: uint32(ids[1])}
	return nil
}

// JSONSchema implements rpc.Described.
func (FromAddress) JSONSchema() *rpc.Schema {
	id := &rpc.Schema{Type: "integer", Minimum: "0"}
	return &rpc.Schema{Description: WantFrom, OneOf: []*rpc.Schema{
		{Type: "object", Required: []string{"derivation_path"}, Properties: rpc.Properties{
			{Name: "derivation_path", Schema: &rpc.Schema{Type: "string", Description: "m/44'/118'/0'/0/0"}}}},
		{Type: "object", Required: []string{"account_id", "chain", "address_id"}, Properties: rpc.Properties{
			{Name: "account_id", Schema: id},
			{Name: "chain", Schema: &rpc.Schema{Type: "string", Enum: []string{"External", "Internal"}}},
			{Name: "address_id", Schema: id}}},
	}}
}

// OptionalIndex is an HDIndex that may be null or absent.
type OptionalIndex struct{ Given *uint32 }

// UnmarshalParam implements rpc.Unmarshaler.
func (i *OptionalIndex) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	i.Given = new(uint32)
	return BoundedParam(i.Given, raw, 0, MaxIndex)
}

// JSONSchema implements rpc.Described.
func (OptionalIndex) JSONSchema() *rpc.Schema { return BoundedSchema(0, MaxIndex) }
