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
		return fmt.Sprintf("priv_key_policy names another wallet of policy %s than the one that %s is activated with", e.Has, e.Ticker)
	}
	return fmt.Sprintf("priv_key_policy is %s, but %s is activated with %s", e.Request, e.Ticker, e.Has)
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
