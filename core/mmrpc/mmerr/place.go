package mmerr

import (
	"errors"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// Place is the line of the source at which an Error was created. It is not a stack trace, and
// contains no user data.
//
// Source: Komodo DeFi Framework mm2_err_handle/src/mm_error.rs, for the two formats.
type Place struct {
	File string // base name without .go
	Line int
}

// Caller returns the place of the call of the function that calls Caller, or of the function
// skip levels above it.
func Caller(skip int) Place {
	_, file, line, _ := runtime.Caller(skip + 2)
	return Place{strings.TrimSuffix(path.Base(file), ".go"), line}
}

// Places returns the places at which err and the errors it wraps were created, outermost first.
func Places(err error) []Place {
	var places []Place
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(*Error); ok {
			places = append(places, e.place)
		}
	}
	return places
}

// Path returns the error_path: the names of the files separated by dots, such as "stream.hub".
// Consecutive places in the same file are listed once.
func Path(places []Place) string {
	var files []string
	for _, p := range places {
		if len(files) == 0 || files[len(files)-1] != p.File {
			files = append(files, p.File)
		}
	}
	return strings.Join(files, ".")
}

// Trace returns the error_trace: all places, such as "stream:35] hub:120]".
func Trace(places []Place) string {
	elements := make([]string, len(places))
	for i, p := range places {
		elements[i] = p.File + ":" + strconv.Itoa(p.Line) + "]"
	}
	return strings.Join(elements, " ")
}
