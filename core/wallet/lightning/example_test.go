package lightning_test

import (
	"fmt"

	"obverse/core/wallet/lightning"
)

func ExampleParseAddress() {
	address, err := lightning.ParseAddress("029f9cb46798a70c3b8bd5c1b2d99f016734601ab5a6a159b4c7d1ad9807c57085@127.0.0.1:9735")
	fmt.Println(address, err)
	_, err = lightning.ParseAddress("127.0.0.1:9735")
	fmt.Println(err)
	// Output:
	// 029f9cb46798a70c3b8bd5c1b2d99f016734601ab5a6a159b4c7d1ad9807c57085@127.0.0.1:9735 <nil>
	// invalid node address "127.0.0.1:9735"
}
