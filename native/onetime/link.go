// Package onetime makes links with which one page can connect to the node without its password, once
// and within ten minutes. Anyone who sees the terminal at which the node was
// started can read the token of a link.
//
// Invariant: a token returns the password at most once, and the token itself is not stored.
package onetime

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"sync"
	"time"
)

// Limits of links.
const (
	Life     = 10 * time.Minute
	Pause    = time.Minute // for which wrong tokens are counted
	maxWrong = 10          // limit of wrong tokens within a Pause
	entropy  = 32          // bytes of a token
)

// Reasons for which a token is refused.
var (
	ErrUsed    = errors.New("this link was used already: restart the node for another one, or enter rpc_password")
	ErrExpired = errors.New("this link has expired: restart the node for another one, or enter rpc_password")
	ErrWrong   = errors.New("this link is not the one that the node printed when it started: use that one, or enter rpc_password")
	ErrLimit   = errors.New("too many wrong links, try again in a minute")
)

// Link is a link. It is safe for concurrent use.
type Link struct {
	now      func() time.Time
	userpass string

	mu      sync.Mutex
	digest  [sha256.Size]byte // of the token
	expires time.Time         // zero: there is no token
	used    bool
	wrong   []time.Time
}

// New returns a link for a password. It has no token before Token is called.
func New(userpass string, now func() time.Time) *Link { return &Link{now: now, userpass: userpass} }

// Token returns a new token. Earlier tokens become invalid.
func (l *Link) Token() string {
	var drawn [entropy]byte
	_, _ = rand.Read(drawn[:]) // rand.Read never fails
	token := base64.RawURLEncoding.EncodeToString(drawn[:])
	l.mu.Lock()
	defer l.mu.Unlock()
	l.digest, l.expires, l.used = sha256.Sum256([]byte(token)), l.now().Add(Life), false
	return token
}

// Redeem returns the password for the token, once. The right token is accepted, whatever wrong
// tokens came before.
func (l *Link) Redeem(token string) (userpass string, err error) {
	digest := sha256.Sum256([]byte(token))
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	switch {
	case l.expires.IsZero() || subtle.ConstantTimeCompare(digest[:], l.digest[:]) != 1:
		return "", l.countWrong(now)
	case l.used:
		return "", ErrUsed
	case !now.Before(l.expires):
		return "", ErrExpired
	}
	l.used = true
	return l.userpass, nil
}

func (l *Link) countWrong(now time.Time) error {
	for len(l.wrong) > 0 && now.Sub(l.wrong[0]) >= Pause {
		l.wrong = l.wrong[1:]
	}
	if len(l.wrong) >= maxWrong {
		return ErrLimit
	}
	l.wrong = append(l.wrong, now)
	return ErrWrong
}
