// Package auth rate-limits password guesses without locking out callers that know the password.
// It does not compare passwords itself: both interfaces wait for the turn of the caller's
// origin, check the password, and report the result.
//
// A correct password is answered immediately, so a missing answer reveals a wrong guess,
// however long wrong passwords are delayed. Therefore, the passwords of one origin are checked
// one after another, in the order of their arrival, with a pause after each wrong one. A caller
// that disconnects before its turn has not made a guess; one that disconnects afterwards does
// not shorten the pause. A Strong password cannot be guessed at any rate, so callers that know
// it never wait.
//
// Invariant: unless the password is Strong, at most one guess per pause is checked for each
// origin, and at most one per overall pause for all remote origins that have not used the
// correct password.
package auth
