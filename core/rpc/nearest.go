package rpc

import "strings"

// longestName is the longest name that Nearest looks at; what it costs grows with
// the square.
const longestName = 64

// Nearest returns the name most similar to a misspelled one. It finds none if all differ in
// more than a third of their letters; a wrong case counts as half a letter.
func Nearest(name string, names []string) (nearest string, found bool) {
	if name == "" || len(name) > longestName {
		return "", false
	}
	least := 2*max(len(name)/3, 1) + 1
	for _, candidate := range names {
		if candidate == name || len(candidate) > longestName {
			continue
		}
		if d := distance(name, candidate); d < least {
			least, nearest, found = d, candidate, true
		}
	}
	return nearest, found
}

// distance counts twice the letters that have to be added, dropped, replaced or
// swapped with their neighbour (the optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = 2 * j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = 2 * i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+2, row[j-1]+2, last[j-1]+difference(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+2)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func difference(a, b byte) int {
	switch {
	case a == b:
		return 0
	case strings.EqualFold(string(rune(a)), string(rune(b))):
		return 1
	}
	return 2
}
