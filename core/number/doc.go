// Package number reads and writes exact amounts: decimal amounts of coins with eight
// decimals, and rational numbers in the forms of the node API. It knows no coin limit
// and no interface: a caller names the parameter that was wrong.
//
// Sources: komodod rpc/server.cpp ValueFromAmount (eight decimals, always) and
// cc/CCtokens.cpp (token amounts are whole numbers); spec, NumericFormatsValue, and
// Komodo DeFi Framework's mm2_number with num-bigint 0.4 and bigdecimal 0.3 for the
// digits of its renderings.
//
// Invariant: nothing here passes through a floating-point number; a text is
// taken exactly or refused.
package number
