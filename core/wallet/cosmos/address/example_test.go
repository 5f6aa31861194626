package address_test

import (
	"fmt"

	"obverse/core/wallet/cosmos/address"
)

func ExampleCheck() {
	const text = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4"
	a, err := address.Check(text, "cosmos")
	fmt.Println(a, err)
	_, err = address.Check(text, "iaa")
	fmt.Println(err)
	// Output:
	// cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4 <nil>
	// an address of another chain: it begins with cosmos, those of this chain with iaa
}
