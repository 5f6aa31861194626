package mmrpc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
)

// attempt holds the passwords in the requests of one body. Each distinct password is checked
// once, and all wrong ones together count as one guess.
type attempt struct {
	caller rpc.Caller

	turn   chan struct{} // holds a token while a request is being checked; nil for a single request
	tried  []tried       // distinct passwords
	failed bool          // whether a password was wrong
}

// tried is a password that was checked, with the result.
type tried struct {
	password string
	err      error
}

// check returns the reason why a password is refused, or nil.
func (a *attempt) check(ctx context.Context, s *Server, given string) error {
	if a.turn != nil {
		a.turn <- struct{}{}
		defer func() { <-a.turn }()
	}
	for _, t := range a.tried {
		if t.password == given {
			return t.err
		}
	}
	err := s.try(ctx, a.caller, given, a.failed)
	a.failed = a.failed || err != nil
	a.tried = append(a.tried, tried{given, err})
	return err
}

// try checks a password. Wrong passwords beyond the allowed number are answered with a delay.
func (s *Server) try(ctx context.Context, caller rpc.Caller, given string, again bool) error {
	carrier := rpc.TransportOf(ctx)
	waiter := func(wait func(context.Context) error) error { return carrier.Wait(ctx, wait) }
	record, err := s.guesses.Try(ctx, auth.Attempt{
		Origin: auth.Origin(caller.Address), Again: again, Waiter: waiter,
		Right: func() bool { return s.options.Password.Matches(given) },
	})
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, auth.ErrWrong): // too many guesses are waiting, or the caller has disconnected
		return banned(time.Second)
	case record.Over > 0:
		if !again {
			_ = s.guesses.WaitDelay(ctx, record.Over, waiter) // an error means that the caller has disconnected, which does not change the answer
		}
		return banned(record.Ban)
	}
	return mmerr.UserpassInvalid.New(mmerr.Nested{Type: "NbAttemptsLeft", Data: record.Left},
		fmt.Sprintf("Userpass is invalid! - Rate Limit attempts left: %d", record.Left))
}

// banned returns the error for a wrong password, or one that was not checked.
func banned(wait time.Duration) error {
	seconds := int64((wait + time.Second - 1) / time.Second)
	return mmerr.Banned.New(mmerr.None{}, fmt.Sprintf("Your ip is banned. The right password passes, wrong ones are refused for %d seconds.", seconds))
}
