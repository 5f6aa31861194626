package fetch

import (
	"strconv"
	"strings"
	"time"
)

// Delay is how long the server asks to be left alone, by its Retry-After: 0 if it does
// not ask, if the time is over, or if it is not understood.
func (r Response) Delay(now time.Time) time.Duration {
	text := strings.TrimSpace(r.RetryAfter)
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	for _, layout := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if at, err := time.Parse(layout, text); err == nil {
			return max(at.Sub(now), 0)
		}
	}
	return 0
}
