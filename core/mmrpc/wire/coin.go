package wire

import (
	"context"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// Categories of methods that are in several areas.
const (
	CategoryCoins     = "Coins"
	CategoryEth       = "Ethereum"
	CategoryLightning = "Lightning"
	CategoryNFTs      = "NFTs"
	CategorySending   = "Sending"
)

// Absence says, behind a text about a coin that is not there, what may help: how it is
// activated, or the nearest ticker that there is. It is empty if nothing is known.
func Absence(err error) string {
	var unknown *coin.UnknownError
	if !errors.As(err, &unknown) || unknown.Registry == nil {
		return ""
	}
	entry, err := unknown.Registry.Lookup(unknown.Ticker)
	if err == nil {
		return ActivateFirst(entry)
	}
	var tickers []string
	for _, e := range unknown.Registry.Entries() {
		tickers = append(tickers, e.Ticker)
	}
	if help := DidYouMean(unknown.Ticker, tickers); help != "" {
		return ", " + help
	}
	return ""
}

// ActivateFirst names the method for a coin that is configured.
func ActivateFirst(entry *coin.Entry) string {
	protocol, err := entry.Protocol()
	if err != nil {
		return ": its entry of the coins file has no protocol that is known, so that it cannot be activated"
	}
	method := map[coin.ProtocolType]string{
		coin.TypeTendermint: "enable_tendermint_with_assets", coin.TypeTendermintToken: "enable_tendermint_token",
		coin.TypeETH: "enable_eth_with_tokens", coin.TypeERC20: "enable_erc20", coin.TypeNFT: "enable_nft",
		coin.TypeLightning: LightningTask + "::init",
	}[protocol.Type]
	if method == "" {
		return ": this node cannot activate coins of protocol " + Clip(string(protocol.Type))
	}
	return ": activate it first with " + method
}

// BalanceInfo is the spec's balance info.
type BalanceInfo struct {
	Spendable   string `json:"spendable" doc:"what can be sent, a decimal number"`
	Unspendable string `json:"unspendable" doc:"what is held but cannot be sent now, a decimal number"`
}

// InfoOf returns a balance as methods show it.
func InfoOf(b coin.Balance) BalanceInfo {
	return BalanceInfo{b.Spendable.String(), b.Unspendable.String()}
}

// NoSuchCoin is for a coin that has to be active and is not.
func NoSuchCoin(err error, ticker string) error {
	return mmerr.NoSuchCoin.From(err, mmerr.Coin{Coin: ticker}, "No such coin "+Clip(ticker)+Absence(err))
}

// LightningTask is the kind of tasks that activate Lightning coins.
const LightningTask = "task::enable_lightning"

// Gap says why a list may lack items.
type Gap struct {
	Part   string    `json:"of,omitempty" doc:"the chain or ticker whose items may be missing; absent: any"`
	Reason gapReason `json:"reason" doc:"NoAnswer (the servers could not be asked, or failed), TooMany (a limit cuts the list), NoLogs (nodes do not have older blocks, or their logs), InProgress (some are still to be loaded), NoIndexer (no history_indexer is set, without which what others sent of the network's own coin is not listed), Restoring (it was active when the node last ran, and is restored in the background)"`
	Error  string    `json:"error,omitempty" doc:"the last failure, in words"`
}

// gapReason is a coin.GapReason.
type gapReason coin.GapReason

var _ rpc.Enum = gapReason("")

// Values implements rpc.Enum.
func (gapReason) Values() (all []string) {
	for _, r := range []coin.GapReason{coin.GapNoAnswer, coin.GapTooMany, coin.GapNoLogs, coin.GapInProgress, coin.GapNoIndexer, coin.GapRestoring} {
		all = append(all, string(r))
	}
	return all
}

// ViewGaps shows why a list may lack items.
func ViewGaps(gaps []coin.Gap) (all []Gap) {
	for _, g := range gaps {
		all = append(all, Gap{g.Part, gapReason(g.Reason), g.Err})
	}
	return all
}

// Heighted is a coin that knows the height of its chain.
type Heighted interface {
	Height(ctx context.Context) (uint64, error)
}

// Owned is a coin that knows where its key is.
type Owned interface{ Owner() account.Owner }
