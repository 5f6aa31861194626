package auth

import (
	"net/netip"
	"time"
)

const (
	// Allowed is how many wrong passwords an origin has before it is banned: the
	// further ones are.
	Allowed = 10
	// window is how long a wrong password is remembered.
	window = 10 * time.Minute
)

// The delays with which wrong passwords are answered. komodod waits 250 ms each time;
// here every further one of an origin waits twice as long, up to the last.
const (
	firstDelay = 250 * time.Millisecond
	lastDelay  = 4 * time.Second
)

// Record counts the wrong passwords of an origin.
type Record struct {
	Wrong int           // since the last right one, or since ten quiet minutes
	Left  int           // before it is banned
	Over  int           // those beyond Allowed, the last one among them; zero: that one was within
	Ban   time.Duration // for which it is banned if nothing more comes; zero: it is not
}

// Delay returns how late the nth wrong password is answered; n begins with 1.
func Delay(n int) time.Duration {
	d := firstDelay
	for i := 1; i < n && d < lastDelay; i++ {
		d *= 2
	}
	return min(d, lastDelay)
}

// history remembers the wrong passwords of an origin.
type history struct {
	count int
	over  int
	last  []time.Time // at most Allowed, the oldest first
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

// prune drops entries older than the window.
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

// networkBits is the length of the IPv6 prefix of one customer.
const networkBits = 64

// Origin names the group of addresses that is counted together: an IPv4 address, an IPv6
// network, and this machine once for each. Any other text is an origin by itself.
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

// isRemote reports whether an origin is a network or address of another machine: an attacker
// can have any number of these.
func isRemote(origin string) bool {
	if a, err := netip.ParseAddr(origin); err == nil {
		return !a.IsLoopback()
	}
	_, err := netip.ParsePrefix(origin)
	return err == nil
}

const (
	strongLength  = 32 // characters: 16 bytes in hexadecimal
	strongLetters = 8  // different ones among them; hexadecimal has 16
)

// Strong reports whether a password is as long and varied as generated ones are. Such
// a password cannot be found by guessing.
func Strong(password string) bool {
	letters := map[rune]bool{}
	length := 0
	for _, r := range password {
		letters[r] = true
		length++
	}
	return length >= strongLength && len(letters) >= strongLetters
}
