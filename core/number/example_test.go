package number_test

import (
	"fmt"

	"obverse/core/number"
)

func ExampleParseCoins() {
	satoshis, err := number.ParseCoins("4.35")
	fmt.Println(satoshis, err)
	_, err = number.ParseCoins("1.5abc")
	fmt.Println(err)
	// Output:
	// 435000000 <nil>
	// not a decimal number
}

func ExampleParseRational() {
	third, _ := number.ParseRational("0.1")
	sum := third.Mul(number.Int(3))
	fmt.Println(sum)
	// Output:
	// 0.3
}
