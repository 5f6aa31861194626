// Package price queries a price service for current and past prices of coins and caches the
// answers. Its callers map coins to the ids of the service.
//
// Sources: CoinGecko's API v3, /simple/price and /coins/{id}/market_chart/range
// (docs.coingecko.com); the price service of Komodo's wallets (tickers_v2).
//
// Invariant: a price is exactly the decimal number that the service sent, and above zero. A
// price that the service does not have is absent, never zero.
package price
