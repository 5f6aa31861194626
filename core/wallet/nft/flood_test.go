package nft

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFair: neither a flood nor spam takes the places of NFTs of other contracts.
func TestFair(t *testing.T) {
	var all []NFT
	for n := range 3_900 {
		all = append(all, NFT{Token: Token{ETH, fmt.Sprint("0xf", n%2), fmt.Sprint(n)}, Spam: n < 1_000})
	}
	late := NFT{Token: Token{ETH, "0xaa", "1"}}
	first := fair(append(all, late))[:maxHeld]
	require.Contains(t, first, late)
	for _, n := range first {
		require.False(t, n.Spam)
	}
}
