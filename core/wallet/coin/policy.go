package coin

import (
	"fmt"
	"reflect"

	"obverse/core/key"
)

// Keyed is a coin that tells whose key it uses.
type Keyed interface {
	Coin
	Policy() key.Policy
}

// PolicyError says that a coin that is there already uses another key than the one that
// a request names.
type PolicyError struct {
	Ticker       string
	Has, Request key.PolicyName
}

func (e *PolicyError) Error() string {
	if e.Has == e.Request {
		return fmt.Sprintf("%s is activated with another wallet of policy %s", e.Ticker, e.Has)
	}
	return fmt.Sprintf("%s is activated with policy %s, not %s", e.Ticker, e.Has, e.Request)
}

// CheckPolicy fails with a *PolicyError if a coin uses another key than a request names.
// A nil request names none, and a policy without its data any of its kind.
func CheckPolicy(c Coin, request key.Policy) error {
	keyed, is := c.(Keyed)
	if request == nil || !is {
		return nil
	}
	has := keyed.Policy()
	if has == request || has.Name() == request.Name() && reflect.ValueOf(request).IsZero() {
		return nil
	}
	return &PolicyError{c.Ticker(), has.Name(), request.Name()}
}
