package key

import "fmt"

// redacted is all that printing a key shows.
const redacted = "[private key]"

// unprintable gives a struct that embeds it forms that show nothing of it.
type unprintable struct{}

// String shows no secret.
func (unprintable) String() string { return redacted }

// GoString shows no secret.
func (unprintable) GoString() string { return redacted }

// Format shows no secret, whatever the verb.
func (unprintable) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// MarshalText shows no secret.
func (unprintable) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON shows no secret.
func (unprintable) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// sealed keeps a secret where fmt does not find it. fmt ignores methods on the
// unexported fields of other structs and then follows one pointer (%!t(*T=&{…})),
// but not two.
type sealed[T any] struct{ at **T }

func seal[T any](secret *T) sealed[T] { return sealed[T]{&secret} }

func (s sealed[T]) open() *T { return *s.at }
