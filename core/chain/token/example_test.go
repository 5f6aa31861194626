package token_test

import (
	"fmt"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
)

// The module's own address holds the markers that list tokens.
func ExampleGlobalKey() {
	global := token.GlobalKey()
	fmt.Println(script.PubKeyAddress(global[:]))
	fmt.Println(script.IsPayToCondition(token.MarkerScript()))
	// Output:
	// RCNgAngYAdrfzujYyPgfbjCGNVQZzCgTad
	// true
}
