package daemon

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"strings"

	"obverse/core/rpc/auth"
)

// Reasons for which a credential is refused; both are answered with status 401.
var (
	// ErrNoCredential: no Authorization header at all. Answered at once.
	ErrNoCredential = errors.New("no credential")
	// ErrWrongCredential: a header that is not the credential. Answered late.
	ErrWrongCredential = errors.New("wrong credential")
)

const basicScheme = "Basic "

// Authorizer checks the Basic credentials of one interface. It never bans an address: a correct
// credential passes even after failed attempts from the same address.
type Authorizer struct {
	digest  [sha256.Size]byte
	anyUser bool
	closed  bool // no password is set, nothing passes
	guesses *auth.Limiter
}

// NewAuthorizer checks for user and password. With an empty password nothing passes.
func NewAuthorizer(user, password string, clock auth.Clock) *Authorizer {
	return &Authorizer{digest: sha256.Sum256([]byte(user + ":" + password)), closed: password == "", guesses: auth.New(auth.Strong(password), clock)}
}

// NewPasswordAuthorizer checks for a password and accepts any user name. guesses limits the
// attempts at the password, including those at other interfaces.
func NewPasswordAuthorizer(password string, guesses *auth.Limiter) *Authorizer {
	return &Authorizer{digest: sha256.Sum256([]byte(password)), closed: password == "", anyUser: true, guesses: guesses}
}

// Check takes the values of the Authorization headers of a request from address and
// gives nil, ErrNoCredential, or after the delay ErrWrongCredential; auth.ErrBusy if it
// did not look. When ctx ends, the caller is gone.
func (a *Authorizer) Check(ctx context.Context, address string, headers []string) error {
	if len(headers) == 0 {
		return ErrNoCredential
	}
	right := func() bool { return a.matches(headers[0]) }
	record, err := a.guesses.Try(ctx, auth.Attempt{Origin: auth.Origin(address), Right: right})
	if errors.Is(err, auth.ErrWrong) {
		return errors.Join(ErrWrongCredential, a.guesses.WaitDelay(ctx, record.Wrong, nil))
	}
	return err
}

// matches compares digests, so that timing reveals neither the secret nor its length. Spaces
// around the base64 are allowed, as in komodod, which compares the scheme case-sensitively.
// Where any user has the password, the scheme is case-insensitive (RFC 9110, section 11.1).
func (a *Authorizer) matches(header string) bool {
	at := min(len(header), len(basicScheme))
	scheme, encoded := header[:at], header[at:]
	if a.closed || scheme != basicScheme && !(a.anyUser && strings.EqualFold(scheme, basicScheme)) {
		return false
	}
	given, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return false
	}
	secret := string(given)
	if a.anyUser {
		_, secret, _ = strings.Cut(secret, ":")
	}
	digest := sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(digest[:], a.digest[:]) == 1
}
