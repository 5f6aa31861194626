// Package number parses and formats exact amounts: decimal amounts of coins with eight
// decimals, and rational numbers in the formats of the node API. It does not know the limits of
// coins or the interfaces: callers add the name of a parameter to its errors.
//
// Sources: komodod rpc/server.cpp ValueFromAmount (always eight decimals) and cc/CCtokens.cpp
// (token amounts are whole numbers); Komodo DeFi Framework's mm2_number with num-bigint 0.4 and
// bigdecimal 0.3 for the digits of its formats.
//
// Invariant: floating-point numbers are not used. A text is either parsed exactly or refused.
package number
