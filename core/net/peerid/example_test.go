package peerid_test

import (
	"fmt"

	"obverse/core/net/peerid"
)

func ExampleParse() {
	id, err := peerid.Parse("12D3KooWEsuiKcQaBaKEzuMtT6uFjs89P1E8MK3wGRZbeuCbCw6P")
	fmt.Println(id, err)
	_, err = peerid.Parse("12D3KooW")
	fmt.Println(err)
	// Output:
	// 12D3KooWEsuiKcQaBaKEzuMtT6uFjs89P1E8MK3wGRZbeuCbCw6P <nil>
	// invalid multihash
}
