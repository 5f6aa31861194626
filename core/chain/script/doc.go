// Package script reads, builds, classifies and runs transaction scripts, and
// hashes what their signatures sign. It knows one transaction and the output an
// input spends; it knows no chain, no height and no token rule: those reach it as
// a branch id, flags and the Eval function of a Spend.
//
// Sources: komodod script/interpreter.cpp, script/script.cpp, script/standard.cpp,
// core_write.cpp and base58.cpp; ZIP 143 and ZIP 243 for signature hashes; BIP 16,
// BIP 62, BIP 65 and BIP 66 for the flags.
//
// Invariant: running a script never changes its bytes, and the error of a refused
// spend is an *Error whose Kind is the one upstream reports, text included.
package script
