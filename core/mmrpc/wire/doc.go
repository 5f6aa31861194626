// Package wire has what the areas of the node API share: parameters and results in the
// shapes of Komodo DeFi Framework, tasks, and the kinds of the errors of the packages
// below. It knows no method.
//
// Sources: Komodo DeFi Framework's mm2_err_handle, rpc_task and coins; serde for the words
// of refusals.
//
// Invariant: a function that makes an error of a kind stays in a file of the same name,
// since error_path has the names of files.
package wire
