package ledger

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Version is an app's.
type Version struct{ Major, Minor, Patch int }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Before reports whether v is older than other.
func (v Version) Before(other Version) bool {
	return cmp.Or(cmp.Compare(v.Major, other.Major), cmp.Compare(v.Minor, other.Minor), cmp.Compare(v.Patch, other.Patch)) < 0
}

// parseVersion reads three numbers; what follows a hyphen is left out.
func parseVersion(text string) (v Version, ok bool) {
	text, _, _ = strings.Cut(text, "-")
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return v, false
	}
	for i, into := range []*int{&v.Major, &v.Minor, &v.Patch} {
		n, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil {
			return Version{}, false
		}
		*into = int(n)
	}
	return v, true
}
