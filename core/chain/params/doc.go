// Package params turns the ac_* options of a chain into its constants: magic,
// ports, genesis, reward schedule, commission, activation heights, limits and the
// difficulty rule. It reads no state: whatever depends on the chain is a function
// of what the caller passes.
//
// Names of chains to which komodod gives rules of their own (LABS…, HUSH3, …) get
// the general rules here.
//
// Source: komodod, komodo_utils.cpp, komodo_globals.cpp,
// komodo_bitcoind.cpp, pow.cpp and chainparams.cpp, checked against recordings of
// a running daemon.
//
// Invariant: two chains with the same Options have the same Params, and options
// whose rules are not kept here never become Params.
package params
