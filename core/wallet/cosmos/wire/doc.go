// Package wire is bytes only: the protobuf messages that Cosmos chains are asked with and
// answer with, and the parts of a transaction. It checks no address, no amount and no
// signature, and asks nobody.
//
// Fields that a message does not have here are skipped. Of a field that comes more than
// once the last one counts, but lists go on and messages are put together. Texts are taken as they are, valid UTF-8 or
// not, since a chain has them so.
//
// JSON tags are the names that members of messages have in amino JSON.
//
// Sources: the .proto files of Cosmos SDK 0.45 to 0.50 (cosmos/…/v1beta1) and of ibc-go
// (ibc/…/v1); ADR-027 for the one encoding that is signed.
//
// Invariant: decoding what was encoded gives the same message, and encoding it again
// the same bytes. Bytes that a chain's own programs wrote come out as they went in.
package wire
