package abi_test

import (
	"fmt"

	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

func ExampleCall() {
	owner, _ := address.Parse("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	fmt.Printf("%x\n", abi.Call(abi.BalanceOf, abi.Address(owner)))
	// Output:
	// 70a082310000000000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed
}
