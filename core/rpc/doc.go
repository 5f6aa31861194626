// Package rpc holds method tables: typed Go functions with a plan of their parameters, made
// once when the method is registered, and the documents that follow from the types (JSON
// Schema, OpenRPC, TypeScript). It contains no methods, envelopes, authentication or transport;
// core/daemon and core/mmrpc provide those.
//
// Sources: JSON Schema 2020-12, OpenRPC 1.3.2; serde_json for the errors of invalid JSON.
//
// Invariant: a function runs only with parameters that were decoded completely, and every
// refusal names the parameter, its value's kind and the allowed values.
package rpc
