// Package rpc implements method tables: typed Go functions with plans for decoding their
// parameters, and the documents that are derived from the types (JSON Schema, OpenRPC,
// TypeScript). It contains no methods, envelopes, authentication or transport; core/daemon and
// core/mmrpc provide those.
//
// Sources: JSON Schema 2020-12, OpenRPC 1.3.2; serde_json for the errors of invalid JSON.
//
// Invariant: a function runs only with parameters that were decoded completely, and every error
// about a parameter contains its name, the kind of its value and the accepted values.
package rpc
