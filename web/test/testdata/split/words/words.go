// Package words is another part of program split, which package late calls.
package words

import (
	"path"
	"strconv"
)

// Place returns the name of a file, and a line in it.
func Place(file string, line int) string { return join(path.Base(file), strconv.Itoa(line)) }

func join(a, b string) string { return a + ":" + b }
