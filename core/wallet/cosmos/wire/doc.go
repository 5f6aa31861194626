// Package wire encodes and decodes the protobuf messages of queries to Cosmos chains and of
// transactions. It does not check addresses, amounts or signatures.
//
// Unknown fields are skipped. If a field occurs more than once, the last occurrence counts,
// except that lists are continued and messages are merged. Strings may be invalid UTF-8, as
// they may be on a chain.
//
// JSON tags are the names of members in amino JSON.
//
// Sources: the .proto files of Cosmos SDK 0.45 to 0.50 (cosmos/…/v1beta1) and of ibc-go
// (ibc/…/v1); ADR-027 for the encoding that is signed.
//
// Invariant: Decoding an encoded message returns the same message, and encoding it again
// returns the same bytes. Messages that were encoded by a chain's own programs are also encoded
// to the same bytes again.
package wire
