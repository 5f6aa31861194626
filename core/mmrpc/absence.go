package mmrpc

import (
	"errors"

	"obverse/core/wallet/coin"
)

// absence says, behind a text about a coin that is not there, what may help: how it is
// activated, or the nearest ticker that there is. It is empty if nothing is known.
func absence(err error) string {
	var unknown *coin.UnknownError
	if !errors.As(err, &unknown) || unknown.Registry == nil {
		return ""
	}
	entry, err := unknown.Registry.Lookup(unknown.Ticker)
	if err == nil {
		return activateFirst(entry)
	}
	var tickers []string
	for _, e := range unknown.Registry.Entries() {
		tickers = append(tickers, e.Ticker)
	}
	if help := didYouMean(unknown.Ticker, tickers); help != "" {
		return ", " + help
	}
	return ""
}

// activateFirst names the method for a coin that is configured.
func activateFirst(entry *coin.Entry) string {
	protocol, err := entry.Protocol()
	if err != nil {
		return ": its entry of the coins file has no protocol that is known, so that it cannot be activated"
	}
	method := map[coin.ProtocolType]string{
		coin.TypeTendermint: "enable_tendermint_with_assets", coin.TypeTendermintToken: "enable_tendermint_token",
		coin.TypeETH: "enable_eth_with_tokens", coin.TypeERC20: "enable_erc20", coin.TypeNFT: "enable_nft",
		coin.TypeLightning: enableLightning + "::init",
	}[protocol.Type]
	if method == "" {
		return ": this node cannot activate coins of protocol " + clip(string(protocol.Type))
	}
	return ": activate it first with " + method
}
