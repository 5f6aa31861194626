// Package trace remembers through which places of the source an error went. Interface
// B shows them to its callers, who put them into reports. It is not a stack trace:
// only the places where an error was made or passed on with Here are in it.
//
// Source: facts of Komodo DeFi Framework, mm2_err_handle/src/mm_error.rs, for the two
// renderings.
//
// Invariant: a place is a file's base name and a line; nothing of a user is in it.
package trace

import (
	"errors"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// Place is a line of the source.
type Place struct {
	File string // base name without .go
	Line int
}

// Caller is the place that called the function that calls Caller, or skip callers
// above that.
func Caller(skip int) Place {
	_, file, line, _ := runtime.Caller(skip + 2)
	return Place{strings.TrimSuffix(path.Base(file), ".go"), line}
}

// Placer is an error that knows where it was made.
type Placer interface {
	error
	Place() Place
}

type placed struct {
	error
	place Place
}

func (p *placed) Unwrap() error { return p.error }

// Place implements Placer.
func (p *placed) Place() Place { return p.place }

// Here notes that err passed its caller. It changes neither the text nor what
// errors.Is and errors.As find. A nil error stays nil.
func Here(err error) error {
	if err == nil {
		return nil
	}
	return &placed{err, Caller(0)}
}

// Places lists where err was, from the outermost place to its origin.
func Places(err error) []Place {
	var places []Place
	for ; err != nil; err = errors.Unwrap(err) {
		if p, ok := err.(Placer); ok {
			places = append(places, p.Place())
		}
	}
	return places
}

// Path joins the files with points: "stream.hub". Neighbours of one file count once.
func Path(places []Place) string {
	var files []string
	for _, p := range places {
		if len(files) == 0 || files[len(files)-1] != p.File {
			files = append(files, p.File)
		}
	}
	return strings.Join(files, ".")
}

// Trace writes every place: "stream:35] hub:120]".
func Trace(places []Place) string {
	elements := make([]string, len(places))
	for i, p := range places {
		elements[i] = p.File + ":" + strconv.Itoa(p.Line) + "]"
	}
	return strings.Join(elements, " ")
}
