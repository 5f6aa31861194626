// Package token holds the rules of the tokens module (eval code f2): the payload
// in the last output, the conditions that hold tokens, how many tokens an output
// carries, and whether a transaction may move them.
//
// It does no I/O and keeps no state: the caller brings the spent outputs and looks
// up creations. Source: komodod cc/CCtokens.cpp and cc/CCtokenutils.cpp.
//
// Invariant: what an output carries (Claim, token id) depends only on its
// transaction, the outputs that it spends and the creation of its token, so it is
// settled when the transaction enters a block and never changes there.
package token
