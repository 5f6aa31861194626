package wire

import (
	"context"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// Categories of methods in several areas.
const (
	CategoryCoins     = "Coins"
	CategoryEth       = "Ethereum"
	CategoryLightning = "Lightning"
	CategoryNFTs      = "NFTs"
	CategorySending   = "Sending"
)

// Absence returns a hint that is appended to the text of an error about an inactive coin: how
// to activate the coin, or the most similar known ticker. It is empty if there is no hint.
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

// ActivateFirst returns a hint with the method that activates a configured coin.
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

// BalanceInfo is a balance in a result.
type BalanceInfo struct {
	Spendable   string `json:"spendable" doc:"spendable balance, a decimal number"`
	Unspendable string `json:"unspendable" doc:"balance that cannot be sent now, a decimal number"`
}

// InfoOf converts a balance to a BalanceInfo.
func InfoOf(b coin.Balance) BalanceInfo {
	return BalanceInfo{b.Spendable.String(), b.Unspendable.String()}
}

// NoSuchCoin returns the error for a coin that must be active and is not.
func NoSuchCoin(err error, ticker string) error {
	return mmerr.NoSuchCoin.From(err, mmerr.Coin{Coin: ticker}, "No such coin "+Clip(ticker)+Absence(err))
}

// LightningTask is the name of the kind of tasks that activate Lightning coins.
const LightningTask = "task::enable_lightning"

// Gap is a reason why a list may be incomplete.
type Gap struct {
	Part   string    `json:"of,omitempty" doc:"chain or ticker with possibly missing items; absent if it may be any"`
	Reason gapReason `json:"reason" doc:"NoAnswer (the servers were unreachable or failed), TooMany (a limit truncates the list), NoLogs (the nodes do not have older blocks or their logs), InProgress (some items are not loaded yet), NoIndexer (history_indexer is not set, without which the list does not contain received coins of the network), Restoring (the coin was active when the node last ran, and is being restored in the background)"`
	Error  string    `json:"error,omitempty" doc:"text of the last error"`
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

// ViewGaps converts gaps to their form in results.
func ViewGaps(gaps []coin.Gap) (all []Gap) {
	for _, g := range gaps {
		all = append(all, Gap{g.Part, gapReason(g.Reason), g.Err})
	}
	return all
}

// Heighted is a coin that returns the height of its chain.
type Heighted interface {
	Height(ctx context.Context) (uint64, error)
}

// Owned is a coin that knows the owner of its key.
type Owned interface{ Owner() account.Owner }
