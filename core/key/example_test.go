package key_test

import (
	"fmt"

	"obverse/core/key"
)

func ExampleFromPassphrase() {
	private, err := key.FromPassphrase("bob passphrase")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer private.Wipe()
	fmt.Printf("%x\n", private.PublicKey())
	fmt.Println(private) // secrets are never printed
	// Output:
	// 022cd3021a2197361fb70b862c412bc8e44cff6951fa1de45ceabfdd9b4c520420
	// [private key]
}

func ExampleParsePath() {
	path, err := key.ParsePath("m/44'/118'")
	fmt.Println(path, err)
	_, err = key.ParsePath("44/118")
	fmt.Println(err)
	// Output:
	// m/44'/118' <nil>
	// invalid derivation path: it must begin with m, like m/44'/118'
}
