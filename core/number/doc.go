// Package number reads and writes exact decimal amounts. It knows no coin limit
// and no interface: a caller names the parameter that was wrong.
//
// Sources: komodod rpc/server.cpp ValueFromAmount (eight decimals, always) and
// cc/CCtokens.cpp (token amounts are whole numbers).
//
// Invariant: nothing here passes through a floating-point number; a text is
// taken exactly or refused.
package number
