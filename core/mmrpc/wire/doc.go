// Package wire contains the code that the areas of the node API share: parameters and results
// in the forms of Komodo DeFi Framework, tasks, and the kinds for the errors of domain
// packages. It does not depend on methods.
//
// Sources: Komodo DeFi Framework's mm2_err_handle, rpc_task and coins; serde for the texts of
// errors.
//
// Invariant: a function that creates an error with a kind stays in a file of the same name,
// since error_path contains the names of files.
package wire
