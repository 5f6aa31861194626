// Package apitest has the tests of whole nodes through the node API: the vectors of its states, wallets
// elsewhere, HD wallets, and what no method may tell. It has nothing else.
package apitest
