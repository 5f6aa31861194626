// Package wallet builds the transactions of a node's one key: token creations,
// token transfers and payments. It is komodod's builder, byte for byte: the same
// coins, in the same order, with the same outputs, fee and signatures.
//
// It keeps no state, broadcasts nothing and looks nothing up by itself: a Source
// shows it the coins of one moment, which is a Snapshot in a running node. It is not a general signer: it spends plain
// outputs of its key and the token conditions that its key holds.
//
// Source: komodod cc/CCtx.cpp (AddNormalinputsRemote, CC_vinselect, FinalizeCCTx),
// cc/CCtokens.cpp (CreateToken, TokenTransfer, AddTokenCCInputs) and
// wallet/rpcwallet.cpp (checks and their texts).
//
// Invariant: the same Source gives the same bytes, since nothing is random (RFC
// 6979 signatures) and no map is walked.
package wallet
