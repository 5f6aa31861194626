package mmerr

import (
	"errors"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// Place is a line of the source where an Error was made. It is not a stack trace, and
// holds nothing of a user.
//
// Source: Komodo DeFi Framework mm2_err_handle/src/mm_error.rs, for the two renderings.
type Place struct {
	File string // base name without .go
	Line int
}

// Caller returns the place that called the function that calls Caller, or skip callers
// above that.
func Caller(skip int) Place {
	_, file, line, _ := runtime.Caller(skip + 2)
	return Place{strings.TrimSuffix(path.Base(file), ".go"), line}
}

// Places lists where err and the errors below it were made, the outermost first.
func Places(err error) []Place {
	var places []Place
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(*Error); ok {
			places = append(places, e.place)
		}
	}
	return places
}

// Path is error_path: the files joined with points, "stream.hub". Adjacent places in one
// file count once.
func Path(places []Place) string {
	var files []string
	for _, p := range places {
		if len(files) == 0 || files[len(files)-1] != p.File {
			files = append(files, p.File)
		}
	}
	return strings.Join(files, ".")
}

// Trace is error_trace: every place, "stream:35] hub:120]".
func Trace(places []Place) string {
	elements := make([]string, len(places))
	for i, p := range places {
		elements[i] = p.File + ":" + strconv.Itoa(p.Line) + "]"
	}
	return strings.Join(elements, " ")
}
