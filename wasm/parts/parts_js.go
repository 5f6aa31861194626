package parts

//lint:file-ignore U1000 web/slim/split.js lets functions of a part that is missing call these

import "unsafe"

// enter calls wait to load the part with the number in the register RET0, and preserves the
// register CTXT. It returns to the called function, or to fail. The gates of split.js
// call it; split.js finds enter and fail by their names.
func enter()

// load loads the part with a number.
var load = func(int64) error { return nil }

// entered makes the linker keep functions that only gates call.
var entered func()

// Enable sets the function that loads parts. It may wait, and is called again for a part that
// it failed to load.
func Enable(by func(number int64) error) {
	load, entered = by, enter
}

// failed is the last error of loading a part, for fail.
var failed error

// wait loads a part. It returns closure, which belongs to the called function, so that
// the garbage collector knows about it.
func wait(closure unsafe.Pointer, number int64) (same unsafe.Pointer, loaded bool) {
	err := load(number)
	if err != nil {
		failed = err
	}
	return closure, err == nil
}

// fail is called instead of a function whose part cannot be loaded.
func fail() { panic(Error{failed}) }

// Error is the panic of calling a function whose part cannot be loaded. Package guard converts it to
// an error.
type Error struct{ error }

// Unavailable implements guard.Unavailable.
func (Error) Unavailable() {}

// Unwrap returns the reason why the part could not be loaded.
func (e Error) Unwrap() error { return e.error }
