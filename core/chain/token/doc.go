// Package token implements the rules of the tokens module (eval code f2): the payload in the
// last output, the conditions that hold tokens, the number of tokens that an output carries,
// and whether a transaction may move them.
//
// It does no I/O and keeps no state: the caller provides the spent outputs and looks up
// creations. Source: komodod cc/CCtokens.cpp and cc/CCtokenutils.cpp.
//
// Invariant: the tokens that an output carries (Claim, token id) depend only on its
// transaction, the outputs that it spends and the creation of the token. They are determined
// when the transaction is included in a block, and never change afterwards.
package token
