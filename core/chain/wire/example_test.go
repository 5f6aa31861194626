package wire_test

import (
	"fmt"

	"obverse/core/chain/wire"
)

// Hashes are printed with their bytes reversed, as komodod does.
func ExampleParseHash() {
	id, err := wire.ParseHash("96385f282198471162cb4b9af74b410654ae8c234947f10196257ffad3543357")
	fmt.Println(id[31] == 0x96, id, err)
	_, err = wire.ParseHash("96")
	fmt.Println(err)
	// Output:
	// true 96385f282198471162cb4b9af74b410654ae8c234947f10196257ffad3543357 <nil>
	// hash must be 64 hexadecimal digits
}
