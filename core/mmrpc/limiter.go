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

// attempt holds the passwords that the requests of one body try: each is checked once, and
// wrong ones count as one together.
type attempt struct {
	caller rpc.Caller

	turn   chan struct{} // holds one token for the request being checked; nil: one request only
	tried  []tried       // different ones
	failed bool          // one was wrong
}

// tried is a password, and why it does not let the caller in.
type tried struct {
	password string
	err      error
}

// check says why a password does not let the caller in, or nil.
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

// try looks at a password. A wrong one beyond those that are allowed is answered late.
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
	case !errors.Is(err, auth.ErrWrong): // too many wait, or the caller is gone
		return banned(time.Second)
	case record.Over > 0:
		if !again {
			_ = s.guesses.WaitDelay(ctx, record.Over, waiter) // the answer is the same to a caller that is gone
		}
		return banned(record.Ban)
	}
	return mmerr.UserpassInvalid.New(mmerr.Nested{Type: "NbAttemptsLeft", Data: record.Left},
		fmt.Sprintf("Userpass is invalid! - Rate Limit attempts left: %d", record.Left))
}

// banned refuses a wrong password, or one that was not looked at, and no right one.
func banned(wait time.Duration) error {
	seconds := int64((wait + time.Second - 1) / time.Second)
	return mmerr.Banned.New(mmerr.None{}, fmt.Sprintf("Your ip is banned. The right password passes, wrong ones are refused for %d seconds.", seconds))
}
