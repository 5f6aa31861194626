package script_test

import (
	"encoding/hex"
	"fmt"

	"obverse/core/chain/script"
)

func ExamplePubKeyAddress() {
	pub, _ := hex.DecodeString("0227fac751b9a096aa38a029a9a11db2f8a650e6caf2a30c6c37c43a48ccbd00cd")
	address := script.PubKeyAddress(pub)
	fmt.Println(address)
	fmt.Println(script.Disasm(address.PkScript(), false))
	// Output:
	// RXx5QDrPH1QrrTs8coDU4xmfpRErk37p5i
	// OP_DUP OP_HASH160 f8ad6a69b9f3d2e8fce82acb2bfa93dfd9750ce0 OP_EQUALVERIFY OP_CHECKSIG
}

func ExampleParseAddress() {
	_, err := script.ParseAddress("RJynHofDH6XDG4TGU5LY4euNvPB3V9X5Lu")
	fmt.Println(err)
	_, err = script.ParseAddress("RJynHofDH6XDG4TGU5LY4euNvPB3V9X5Lv")
	fmt.Println(err)
	// Output:
	// <nil>
	// address has a wrong checksum
}
