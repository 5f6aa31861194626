package auth

import (
	"net/netip"
	"time"
)

const (
	// Allowed is the number of wrong passwords that an origin may send before it is banned.
	Allowed = 10
	// window is the time for which a wrong password is remembered.
	window = 10 * time.Minute
)

// Delays of answers to wrong passwords. komodod always waits 250 ms. Here, the delay doubles
// with every further wrong password of an origin, up to lastDelay.
const (
	firstDelay = 250 * time.Millisecond
	lastDelay  = 4 * time.Second
)

// Record summarizes the wrong passwords of an origin.
type Record struct {
	Wrong int           // number since the last correct one, or since ten quiet minutes
	Left  int           // number left before a ban
	Over  int           // number beyond Allowed, including the last one; zero if the last one was allowed
	Ban   time.Duration // remaining duration of the ban if there are no more wrong passwords; zero if not banned
}

// Delay returns the delay of the answer to the nth wrong password, counted from 1.
func Delay(n int) time.Duration {
	d := firstDelay
	for i := 1; i < n && d < lastDelay; i++ {
		d *= 2
	}
	return min(d, lastDelay)
}

// history stores the wrong passwords of an origin.
type history struct {
	count int
	over  int
	last  []time.Time // at most Allowed, oldest first
}

func (h *history) add(now time.Time) {
	h.prune(now)
	h.count++
	if len(h.last) < Allowed {
		h.over = 0
	} else {
		h.over++
		h.last = append(h.last[:0], h.last[1:]...)
	}
	h.last = append(h.last, now)
}

// prune removes entries older than the window.
func (h *history) prune(now time.Time) {
	for len(h.last) > 0 && now.Sub(h.last[0]) >= window {
		h.last = h.last[1:]
	}
	if len(h.last) == 0 {
		*h = history{}
	}
}

func (h *history) record(now time.Time) Record {
	h.prune(now)
	r := Record{Wrong: h.count, Left: Allowed - len(h.last), Over: h.over}
	if r.Left == 0 {
		r.Ban = window - now.Sub(h.last[0])
	}
	return r
}

// networkBits is the length of the IPv6 prefix of a single customer.
const networkBits = 64

// Origin returns the name of the group of addresses that are counted together: an IPv4 address,
// an IPv6 network, or this machine for all loopback addresses. Any other text is an origin by
// itself.
func Origin(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	switch {
	case a.IsLoopback() && a.Is4():
		return "127.0.0.1"
	case a.Is4(), a.IsLoopback():
		return a.String()
	}
	network, err := a.Prefix(networkBits)
	if err != nil {
		return address
	}
	return network.String()
}

// isRemote reports whether an origin is an address or a network of another machine. An attacker
// may have any number of these.
func isRemote(origin string) bool {
	if a, err := netip.ParseAddr(origin); err == nil {
		return !a.IsLoopback()
	}
	_, err := netip.ParsePrefix(origin)
	return err == nil
}

const (
	strongLength  = 32 // in characters: 16 bytes in hexadecimal
	strongLetters = 8  // number of different characters; hexadecimal has 16
)

// Strong reports whether a password is as long and varied as a generated one. Such a password
// cannot be guessed.
func Strong(password string) bool {
	letters := map[rune]bool{}
	length := 0
	for _, r := range password {
		letters[r] = true
		length++
	}
	return length >= strongLength && len(letters) >= strongLetters
}
