// Package rpc holds method tables: typed Go functions with a plan of their
// parameters, made once when the method is registered, and the documents that
// follow from the types (JSON Schema, OpenRPC, TypeScript). It knows no method, no envelope,
// no authentication and no transport; core/daemon and core/mmrpc bring those.
//
// Sources: JSON Schema 2020-12, OpenRPC 1.3.2; serde_json for what is wrong with a text.
//
// Invariant: a function runs only with parameters that were decoded completely,
// and every refusal names the parameter, what it may be and what it was.
package rpc
