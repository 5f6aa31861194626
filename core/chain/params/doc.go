// Package params turns the ac_* options of a chain into its constants: magic, ports, genesis,
// reward schedule, commission, activation heights, limits and the difficulty rule. It reads no
// state: all values that depend on the chain are functions of the caller's arguments.
//
// Chains for which komodod has special rules (LABS…, HUSH3, …) get the general rules here.
//
// Source: komodod, komodo_utils.cpp, komodo_globals.cpp,
// komodo_bitcoind.cpp, pow.cpp and chainparams.cpp, checked against recordings of
// a running daemon.
//
// Invariant: two chains with the same Options have the same Params, and options with rules that
// are not implemented here never become Params.
package params
