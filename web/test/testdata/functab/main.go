// Program functab prints what Go's runtime takes from its tables of functions.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

type value struct{ n *int }

func (v value) Get() int { return *v.n }

type getter interface{ Get() int }

var nobody getter = (*value)(nil)

type healer struct{ what *string }

func (h healer) Heal() { *h.what = fmt.Sprint("recovered ", recover()) }

// promoted has Heal by a method that the compiler makes, which recover has to look through.
type promoted struct{ healer }

func here() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprint(path.Base(file), ":", line)
}

func generic[T any](v T) string { return fmt.Sprintf("%T %s", v, here()) }

func heal(do func()) (what string) {
	defer promoted{healer{&what}}.Heal()
	do()
	return "no panic"
}

func healByInterface(do func()) (what string) {
	var h interface{ Heal() } = &promoted{healer{&what}}
	defer h.Heal()
	do()
	return "no panic"
}

func healTooDeep(do func()) (what string) {
	defer func() { what = fmt.Sprint("outside ", recover()) }()
	defer func() { func() { what = fmt.Sprint("inside ", recover()) }() }()
	do()
	return "no panic"
}

// deep has pointers in every frame while the stack grows and its garbage is collected.
func deep(n int) int {
	p, text := new(n), fmt.Sprint(n)
	if n == 0 {
		runtime.GC()
		return *p
	}
	rest := deep(n - 1)
	if n%500 == 0 {
		runtime.GC()
	}
	return *p + rest + len(text) - len(fmt.Sprint(n))
}

func main() {
	fmt.Println(here(), generic(7), generic([]string{}), func() string { return here() }())
	fmt.Println(runtime.FuncForPC(reflect.ValueOf(generic[int8]).Pointer()).Name())

	fmt.Println(heal(func() { nobody.Get() }))
	fmt.Println(healByInterface(func() { fmt.Println([]int{}[len(os.Args)]) }))
	fmt.Println(healTooDeep(func() { panic("at " + here()) }))
	fmt.Println(heal(func() { slices.SortFunc(make([]int, 9), func(a, b int) int { panic(here()) }) }))

	sums := make(chan int)
	for range 20 {
		go func() { sums <- deep(3000) }()
	}
	for range 20 {
		fmt.Print(<-sums, " ")
	}
	add := func(in []reflect.Value) []reflect.Value {
		runtime.GC()
		return []reflect.Value{reflect.ValueOf(new(in[0].Elem().Int() + int64(deep(200))))}
	}
	made := reflect.MakeFunc(reflect.TypeFor[func(*int) *int64](), add).Interface().(func(*int) *int64)
	method := reflect.ValueOf(value{new(5)}).MethodByName("Get").Interface().(func() int)
	text, err := json.Marshal(map[string]any{"made": *made(new(1)), "method": method(), "lines": strings.Fields(" a  b ")})
	fmt.Println(string(text), err)

	slices.SortFunc([]int{1, 2}, func(a, b int) int {
		fmt.Printf("%s\n", debug.Stack())
		return 0
	})
	var m map[string]int
	m[here()] = 1 // ends the program
}
