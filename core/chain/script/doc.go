// Package script parses, builds, classifies and runs transaction scripts, and computes the
// hashes that their signatures sign. It knows one transaction and the output that an input
// spends. Rules that depend on the chain, the height or tokens are represented by a branch id,
// flags and the Eval function of a Spend.
//
// Sources: komodod script/interpreter.cpp, script/script.cpp, script/standard.cpp,
// core_write.cpp and base58.cpp; ZIP 143 and ZIP 243 for signature hashes; BIP 16, BIP 62, BIP
// 65 and BIP 66 for the flags.
//
// Invariant: running a script never changes its bytes, and the error for a refused spend is an
// *Error with the Kind and the text that komodod reports.
package script
