package mmrpctest

import (
	"testing"

	"obverse/core/tendermint/nodetest"
)

// Chains makes a node of each of the chains that vectors know, with something on them
// for the passphrase of States. recordings is the folder core/tendermint/testdata.
func Chains(t testing.TB, recordings string) (hub, iris *nodetest.Node) {
	t.Helper()
	hub, iris = nodetest.Open(t, recordings, "gaiad"), nodetest.Open(t, recordings, "iris")
	hub.OnChain("cosmoshub-4")
	iris.OnChain("irishub-1")
	const onHub, onIris = "cosmos1k5rq3z4z5w6tk8dr52dlqr8p54gw580ea4f9sp", "iaa1k5rq3z4z5w6tk8dr52dlqr8p54gw580eghf5js"
	hub.Give(onHub, "uatom", "1003381")
	iris.Give(onIris, "uiris", "44147264")
	iris.Give(onIris, "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2", "28306")
	return hub, iris
}
