package daemon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"time"
)

// Reasons for which a credential is refused; both are answered with status 401.
var (
	// ErrNoCredential: no Authorization header at all. Answered at once.
	ErrNoCredential = errors.New("no credential")
	// ErrWrongCredential: a header that is not the credential. Answered late.
	ErrWrongCredential = errors.New("wrong credential")
)

// The delays of wrong credentials. komodod waits 250 ms each time; here every
// further one from an address within slowWindow waits twice as long, up to the last.
const (
	firstDelay  = 250 * time.Millisecond
	lastDelay   = 4 * time.Second
	slowWindow  = 10 * time.Minute
	maxWatched  = 4096 // addresses remembered at a time
	basicScheme = "Basic "
)

// Clock tells the time and waits. Sleep returns early, with ctx's error, when ctx
// ends. Both are called from many goroutines.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// Authorizer checks the Basic credential of one interface. Nobody is ever banned: a
// right credential passes at once whatever came before it from the same address.
type Authorizer struct {
	digest  [sha256.Size]byte
	anyUser bool
	closed  bool // no password is set, nothing passes
	clock   Clock

	mu    sync.Mutex
	wrong map[string]record
}

// record is what is remembered of an address with wrong credentials.
type record struct {
	count int
	last  time.Time
}

// NewAuthorizer checks for user and password. With an empty password nothing passes.
func NewAuthorizer(user, password string, clock Clock) *Authorizer {
	return newAuthorizer(user+":"+password, password == "", clock)
}

// NewPasswordAuthorizer checks for a password and takes any user.
func NewPasswordAuthorizer(password string, clock Clock) *Authorizer {
	a := newAuthorizer(password, password == "", clock)
	a.anyUser = true
	return a
}

func newAuthorizer(secret string, closed bool, clock Clock) *Authorizer {
	return &Authorizer{digest: sha256.Sum256([]byte(secret)), closed: closed, clock: clock, wrong: map[string]record{}}
}

// Check takes the values of the Authorization headers of a request from address and
// gives nil, ErrNoCredential, or after the delay ErrWrongCredential.
func (a *Authorizer) Check(ctx context.Context, address string, headers []string) error {
	if len(headers) == 0 {
		return ErrNoCredential
	}
	if a.matches(headers[0]) {
		a.forget(address)
		return nil
	}
	if err := a.clock.Sleep(ctx, a.delay(address)); err != nil {
		return errors.Join(ErrWrongCredential, err)
	}
	return ErrWrongCredential
}

// matches compares digests, so that the time it takes tells nothing of the secret
// or its length. The scheme is case-sensitive and spaces around the base64 are
// allowed, as in komodod.
func (a *Authorizer) matches(header string) bool {
	encoded, ok := strings.CutPrefix(header, basicScheme)
	if !ok || a.closed {
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

// delay counts a wrong credential and says how long its answer takes.
func (a *Authorizer) delay(address string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	r, known := a.wrong[address]
	if !known && len(a.wrong) >= maxWatched {
		delete(a.wrong, a.oldest())
	}
	if now.Sub(r.last) > slowWindow {
		r.count = 0
	}
	r = record{count: r.count + 1, last: now}
	a.wrong[address] = r
	d := firstDelay
	for i := 1; i < r.count && d < lastDelay; i++ {
		d *= 2
	}
	return min(d, lastDelay)
}

// oldest finds the address whose last wrong credential is longest ago.
func (a *Authorizer) oldest() string {
	var oldest string
	var when time.Time
	for address, r := range a.wrong {
		if oldest == "" || cmp.Or(r.last.Compare(when), strings.Compare(address, oldest)) < 0 {
			oldest, when = address, r.last
		}
	}
	return oldest
}

func (a *Authorizer) forget(address string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.wrong, address)
}
