package address_test

import (
	"fmt"

	"obverse/core/wallet/evm/address"
)

// The case of an address's digits is its checksum (EIP-55).
func ExampleParse() {
	a, err := address.Parse("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
	fmt.Println(a, err)
	_, err = address.Parse("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	fmt.Println(err)
	// Output:
	// 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed <nil>
	// checksum of the address is wrong
}
