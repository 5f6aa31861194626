// Program split calls functions of package late in all the ways that there are, each before
// the package is there: the argument says which.
package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall/js"
	"time"

	"obverse/core/guard"
	"obverse/wasm/parts"
	"obverse/web/test/testdata/split/late"
)

type shape interface {
	Area() int
	Grow(by *int)
}

var ways = map[string]func(){
	"call": func() {
		side := 3
		fmt.Println(late.New(&side).Area(), late.Here())
	},
	"arguments": func() {
		a, b := 1, 20 // they are on the stack, which moves
		fmt.Println(late.Sum(&a, strings.Repeat("ab", 2), []*int{&b, new(int)}, map[string]int{"abab": 300}, a, b == 20))
		fmt.Println(a, b)
	},
	"interface": func() {
		side, by := 3, 2
		var s shape = &late.Square{Side: &side}
		s.Grow(&by)
		fmt.Println(s.Area(), side)
	},
	"method value": func() {
		side, by := 4, 1
		s := &late.Square{Side: &side}
		grow := s.Grow
		s = nil
		grow(&by)
		fmt.Println(side)
	},
	"generic": func() {
		prefix := fmt.Sprint("n", len(os.Args))
		fmt.Println(late.Each([]int{1, 2}, func(n int) string { return prefix + fmt.Sprint(n) }))
	},
	"reflection": func() {
		side := 5
		fmt.Println(reflect.ValueOf(late.Square{Side: &side}).MethodByName("Area").Call(nil)[0].Int())
	},
	"goroutines": func() {
		to := make(chan int)
		go late.Send(to, 100)
		more := make(chan int)
		go late.Send(more, 100)
		sum := 0
		for n := range to {
			sum += n + <-more
		}
		fmt.Println(sum)
	},
	"defer": func() {
		var what string
		func() {
			defer late.Heal(&what)
			panic("first")
		}()
		fmt.Println(what)
	},
	"panic": func() {
		text := "text"
		func() {
			defer func() { fmt.Println(recover(), text) }()
			late.Boom(&text)
		}()
	},
	"depth": func() {
		ticks := make(chan bool)
		go func() {
			for range 10 {
				ticks <- true
			}
		}()
		fmt.Println(up(400, func() {
			for range 10 {
				<-ticks
			}
			collect()
		}))
	},
	"crash": func() {
		text := "text"
		late.Boom(&text)
	},
	"stacks": func() {
		seen := make(chan bool)
		go func() {
			time.Sleep(time.Millisecond)
			all := make([]byte, 1<<20)
			all = all[:runtime.Stack(all, true)]
			seen <- strings.Contains(string(all), "\nmain.main(")
		}()
		a := 1
		fmt.Println(late.Sum(&a, "x", nil, nil))
		fmt.Println(<-seen)
	},
	"again": func() {
		side := 3
		area := func() (what string) {
			defer func() {
				if v := recover(); v != nil {
					_, unavailable := v.(guard.Unavailable)
					what = fmt.Sprint(v, unavailable)
				}
			}()
			return fmt.Sprint(late.Square{Side: &side}.Area())
		}
		fmt.Println(area())
		fmt.Println(area())
	},
}

func up(depth int, do func()) int {
	return late.Down(depth, func(left int) int {
		if left == 0 {
			return late.Down(0, nil, do)
		}
		return up(left-1, do) + 1
	}, do)
}

// collect makes garbage of what is not on a stack, and moves the stack.
func collect() {
	debug.FreeOSMemory()
	for range 100 {
		_ = make([]byte, 1<<12)
	}
	deep(200)
	runtime.GC()
}

func deep(n int) int {
	var room [64]int
	if n > 0 {
		room[n%64] = deep(n - 1)
	}
	return room[n%64] + 1
}

// load asks the host, and collects garbage while the part comes.
func load(number int64) error {
	collect()
	done := make(chan error, 1)
	there := js.FuncOf(func(js.Value, []js.Value) any { done <- nil; return nil })
	failed := js.FuncOf(func(_ js.Value, args []js.Value) any { done <- errors.New(args[0].Get("message").String()); return nil })
	js.Global().Get("obverse").Call("part", number).Call("then", there, failed)
	err := <-done
	collect()
	return err
}

func main() {
	parts.Enable(load)
	ways[os.Args[1]]()
}
