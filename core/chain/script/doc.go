// Package script reads, builds, classifies and runs transaction scripts, and hashes what their
// signatures sign. It knows one transaction and the output an input spends; chain, height and
// token rules reach it as a branch id, flags and the Eval function of a Spend.
//
// Sources: komodod script/interpreter.cpp, script/script.cpp, script/standard.cpp,
// core_write.cpp and base58.cpp; ZIP 143 and ZIP 243 for signature hashes; BIP 16,
// BIP 62, BIP 65 and BIP 66 for the flags.
//
// Invariant: running a script never changes its bytes, and a refused spend returns an *Error
// with the Kind, and the text, that upstream reports.
package script
