package parts

//lint:file-ignore U1000 web/slim/split.js lets functions of a part that is missing call these

import "unsafe"

// enter makes wait load the part with the number in the register RET0, and preserves the
// register CTXT. It returns to the function that was called, or to fail. The gates of split.js
// call it; split.js finds it and fail by their names.
func enter()

// load loads a part, by its number.
var load = func(int64) error { return nil }

// entered is set so that the linker keeps what only gates call.
var entered func()

// Enable has parts loaded by a function, which may wait, and is called again for a part that
// it failed to load.
func Enable(by func(number int64) error) {
	load, entered = by, enter
}

// failed is why a part could not be loaded last, for fail.
var failed error

// wait loads a part. It gives closure back, the one of the function that was called, so that
// the garbage collector knows of it.
func wait(closure unsafe.Pointer, number int64) (same unsafe.Pointer, loaded bool) {
	err := load(number)
	if err != nil {
		failed = err
	}
	return closure, err == nil
}

// fail takes the place of a function whose part cannot be loaded.
func fail() { panic(Error{failed}) }

// Error is the panic of a call of a function whose part cannot be loaded; package guard makes
// an error of it.
type Error struct{ error }

// Unavailable implements guard.Unavailable.
func (Error) Unavailable() {}

// Unwrap returns the error of the loading.
func (e Error) Unwrap() error { return e.error }
