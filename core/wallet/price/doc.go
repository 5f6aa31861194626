// Package price asks a price service what coins are worth, now and at past times, and keeps the
// answers for a while. It knows no coin: its caller names the ids by which the service knows them.
//
// Sources: CoinGecko's API v3, /simple/price and /coins/{id}/market_chart/range
// (docs.coingecko.com); the price service of Komodo's wallets (tickers_v2).
//
// Invariant: a price is the decimal number that the service sent, exactly, and above zero; a
// price that the service does not have is absent, never zero.
package price
