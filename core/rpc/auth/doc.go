// Package auth rate-limits password guesses without locking out callers that know the
// password. It compares no passwords itself: both interfaces wait for the turn of the
// caller's origin, check the password, and report the result.
//
// A right password is answered at once, so a missing answer reveals a wrong guess however
// long the answer to a wrong one is delayed. Hence the passwords of one origin are checked
// one after another, in order of arrival, with a pause after each wrong one. A caller that
// hangs up before its turn has tried nothing; one that hangs up afterwards does not shorten
// the pause. A Strong password cannot be guessed at any rate: with one, its owner never
// waits.
//
// Invariant: unless the password is Strong, at most one guess per pause is checked for each
// origin, and one per overall pause for all remote origins without a right password.
package auth
