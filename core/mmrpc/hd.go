package mmrpc

import (
	"context"
	"errors"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

const categoryHD = "HD wallets"

// HD is the area of the methods about accounts and addresses of HD wallets.
type HD struct {
	Active *coin.Active
	Tasks  *task.Manager
}

// Methods implements Area.
func (h HD) Methods() []rpc.Method {
	list := []rpc.Method{
		rpc.Handle("account_balance", rpc.Doc{Reads: true,
			Summary: "Show what the known addresses of an account hold, page by page", Category: categoryHD,
		}, h.page).Raises(hdKinds()...),
		rpc.Handle("get_new_address", rpc.Doc{Whole: true,
			Summary:  "Make the next address of an account known",
			Detail:   "While as many of the last ones as the gap limit are unused it is refused: wallets that find addresses by themselves would not look so far.",
			Category: categoryHD,
		}, h.newAddress).Raises(newAddressKinds()...),
	}
	list = append(list, accountBalanceTask().methods(h.Tasks, rpc.Handle(accountBalanceTask().name+"::init", rpc.Doc{
		Summary: "Begin to ask what the known addresses of an account hold", Category: categoryHD,
	}, h.beginBalance).Raises(hdKinds()...))[:withoutAction]...)
	list = append(list, newAddressTask().methods(h.Tasks, rpc.Handle(newAddressTask().name+"::init", rpc.Doc{
		Summary: "Begin to make the next address of an account known", Detail: "As get_new_address.", Category: categoryHD,
	}, h.beginAddress).Raises(newAddressKinds()...))...)
	list = append(list, scanTask().methods(h.Tasks, rpc.Handle(scanTask().name+"::init", rpc.Doc{
		Summary: "Begin to look for used addresses of an account",
		Detail: "From the last known address on, until as many in a row as the gap limit are unused. What is found is known afterwards, and so are the unused " +
			"addresses before it. Internal addresses are not looked for: these chains have no change.",
		Category: categoryHD,
	}, h.beginScan).Raises(hdKinds()...))[:withoutAction]...)
	return append(list, newAccountTask().methods(h.Tasks, rpc.Handle(newAccountTask().name+"::init", rpc.Doc{
		Summary: "Begin to create an account", Category: categoryHD,
	}, h.beginAccount).Raises(append(hdKinds(), kinds(mmerr.AccountLimitReached)...)...))...)
}

// withoutAction is how many methods tasks have that ask their user nothing.
const withoutAction = 3

func hdKinds() []rpc.ErrorKind {
	return append(kinds(mmerr.NoSuchHDCoin, mmerr.CoinIsActivatedNotWithHDWallet, mmerr.UnknownAccount, mmerr.ErrorDerivingAddress, mmerr.WalletStorageError,
		mmerr.Transport), keyKinds()...)
}

func newAddressKinds() []rpc.ErrorKind {
	return append(hdKinds(), kinds(mmerr.EmptyAddressesLimitReached, mmerr.AddressLimitReached)...)
}

func hdTask(name, what, first, result string) taskKind {
	return taskKind{name: name, category: categoryHD, what: what, first: first, next: first, limit: activationLimit,
		details: "In progress, details are " + first + ". With Ok, they are " + result + ". Errors in details are those of init, and TaskTimedOut."}
}

const requestingBalance = "RequestingAccountBalance"

func accountBalanceTask() taskKind {
	return hdTask("task::account_balance", "a question for an account's balance", requestingBalance, "account_index, derivation_path, total_balance and addresses, as in the accounts of enable_eth_with_tokens")
}

func newAddressTask() taskKind {
	return hdTask("task::get_new_address", "a new address", requestingBalance, "the result of get_new_address")
}

func scanTask() taskKind {
	return hdTask("task::scan_for_new_addresses", "a scan for addresses", "InProgress", "account_index, derivation_path and new_addresses")
}

func newAccountTask() taskKind {
	return hdTask("task::create_new_account", "a new account", requestingBalance, "the account, as those of enable_eth_with_tokens")
}

// hdAddress is a known address.
type hdAddress struct {
	Address string                 `json:"address"`
	Path    string                 `json:"derivation_path"`
	Chain   pathChain              `json:"chain"`
	Balance map[string]balanceInfo `json:"balance" doc:"by ticker"`
	Unknown map[string]string      `json:"unknown_balance,omitempty" doc:"by ticker: why a balance is unknown, which balance then does not have"`
}

// hdAccount is a known account.
type hdAccount struct {
	Index     uint32                 `json:"account_index"`
	Path      string                 `json:"derivation_path"`
	Total     map[string]balanceInfo `json:"total_balance" doc:"of all addresses, by ticker; without coins whose balance is unknown of one of them"`
	Addresses []hdAddress            `json:"addresses"`
}

// viewHeld shows the balances that are known, and why others are not.
func viewHeld(held []coin.TickerBalance) (all map[string]balanceInfo, unknown map[string]string) {
	all = map[string]balanceInfo{}
	for _, of := range held {
		if of.Unknown == nil {
			all[of.Ticker] = infoOf(of.Balance)
			continue
		}
		if unknown == nil {
			unknown = map[string]string{}
		}
		unknown[of.Ticker] = wireText(of.Unknown)
	}
	return all, unknown
}

func viewHDAddress(a hd.Address) hdAddress {
	chain := pathChain("External")
	if a.Chain == key.Internal {
		chain = "Internal"
	}
	held, unknown := viewHeld(a.Holds)
	return hdAddress{a.Address, a.Path.String(), chain, held, unknown}
}

func viewHDAddresses(list []hd.Address) []hdAddress {
	all := make([]hdAddress, len(list))
	for n, a := range list {
		all[n] = viewHDAddress(a)
	}
	return all
}

func viewHDAccount(a hd.Account) hdAccount {
	total, _ := viewHeld(a.Total)
	return hdAccount{a.Index, a.Path.String(), total, viewHDAddresses(a.Addresses)}
}

// coin finds an active coin.
func (h HD) coin(ticker string) (coin.Coin, error) {
	active, err := h.Active.Get(ticker)
	if err != nil {
		return nil, mmerr.NoSuchHDCoin.From(err, mmerr.Coin{Coin: ticker}, "No such coin "+clip(ticker)+absence(err))
	}
	return active, nil
}

// begin starts work on an active coin's accounts as a task. That a coin has none is the
// task's error, as upstream.
func (h HD) begin(ctx context.Context, kind taskKind, ticker string, work func(context.Context, hd.View) (any, error)) (startedTask, error) {
	active, err := h.coin(ticker)
	if err != nil {
		return startedTask{}, err
	}
	return kind.start(ctx, h.Tasks, func(ctx context.Context) (any, error) {
		view, err := accountsOf(active)
		if err != nil {
			return nil, err
		}
		result, err := work(ctx, view)
		return result, hdFailure(err)
	})
}

func accountsOf(active coin.Coin) (hd.View, error) {
	of, is := active.(hd.Coin)
	if !is {
		return hd.View{}, hdFailure(hd.ErrNotHD)
	}
	view, err := of.HD()
	return view, hdFailure(err)
}

// hdFailure gives the errors of accounts their kinds, in the words and with the statuses of
// Komodo DeFi Framework coins/rpc_command/hd_account_balance_rpc_error.rs.
func hdFailure(err error) error {
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
		return refuseFrom(err, fault{exists.Error(), `parameter "account_id" must be the number of an account that does not exist`, exists})
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
		return mmerr.Transport.From(err, wireText(err), "Transport: "+wireText(err))
	}
	return KeyError(err)
}
