// Package guess bounds how fast a password can be guessed, and shuts nobody out who
// knows it. It compares nothing itself and knows no interface: both of them ask it for
// the turn of an origin before they look at a password, and tell it what came of that.
//
// A right password passes at once; so whoever may try as often as he likes learns from
// the lack of an answer that his guess was wrong, whatever delay a wrong one has. Hence
// passwords of one origin are looked at one after another with a pause after each wrong
// one, in the order in which they came. A caller that hangs up before its turn has tried
// nothing, and one that hangs up after it has not shortened the pause. A password that
// is long and random cannot be guessed at any speed: with one, the owner does not wait.
//
// Invariant: of a password that is not Strong, at most one guess of an origin is looked
// at per pause, and one of all origins that nobody is known to own per overall pause.
package guess
