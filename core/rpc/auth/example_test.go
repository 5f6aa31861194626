package auth_test

import (
	"fmt"

	"obverse/core/rpc/auth"
)

// An IPv6 network counts as one origin, and so do all loopback addresses.
func ExampleOrigin() {
	fmt.Println(auth.Origin("2001:db8:1:2:3:4:5:6"))
	fmt.Println(auth.Origin("127.8.9.10"))
	// Output:
	// 2001:db8:1:2::/64
	// 127.0.0.1
}
