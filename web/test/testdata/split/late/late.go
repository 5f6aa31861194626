// Package late is the part of program split that is loaded when it is needed.
package late

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"obverse/web/test/testdata/split/words"
)

// calls counts the calls of functions.
var calls int

// count makes a function one that calls another of the part: those that call none stay in the first module.
func count() { calls++ }

// New calls no function of the part.
func New(side *int) Square { return Square{side} }

// Square is made by others, and has its methods here.
type Square struct{ Side *int }

func (s Square) Area() int {
	count()
	return *s.Side * *s.Side
}

func (s *Square) Grow(by *int) {
	count()
	*s.Side += *by
}

// Sum has arguments of many kinds, some of them pointers.
//
//go:noinline
func Sum(a *int, text string, list []*int, many map[string]int, more ...any) (int, error) {
	count()
	sum := *a + len(text) + many[text] + len(fmt.Sprint(more...))
	for _, one := range list {
		sum += *one
	}
	return sum, errors.New("sum of " + text)
}

// Down calls do so many times below each other, by turns with up.
func Down(depth int, up func(int) int, do func()) int {
	count()
	if depth == 0 {
		do()
		return 0
	}
	return up(depth-1) + 1
}

// Boom panics, in a function of its own.
func Boom(text *string) {
	count()
	defer func() { *text += " deferred" }()
	func() {
		var none map[string]int
		none[*text] = 1
	}()
}

// Heal recovers, if it is deferred.
func Heal(what *string) {
	count()
	*what = fmt.Sprint("recovered ", recover())
}

// Here is the place of its caller, and its own.
func Here() string {
	count()
	var all []string
	for skip := range 2 {
		_, file, line, _ := runtime.Caller(skip)
		all = append(all, words.Place(file, line))
	}
	return strings.Join(all, " ")
}

// Send counts to a channel.
func Send(to chan<- int, most int) {
	count()
	defer close(to)
	for n := range most {
		to <- n
	}
}

// Each is generic.
func Each[T any](all []T, do func(T) string) (made []string) {
	count()
	for _, one := range all {
		made = append(made, do(one))
	}
	return made
}
