package mmrpctest

import (
	"testing"

	evmtest "obverse/core/evm/nodetest"
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

// Contracts of tokens that Networks have.
const (
	SixContract  = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359" // six decimals
	HugeContract = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB" // 18 decimals, and as many as there can be
)

// Networks makes a node of each of the EVM networks that vectors know, with something on
// them for the passphrase of States.
func Networks() (eth, polygon *evmtest.Node) {
	const bob = "0xf5c3bf03cBA4E343484588932e423A7C8BFf102d"
	const most = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	eth, polygon = evmtest.New(1, 20590537), evmtest.New(137, 60937035)
	eth.Give(bob, "2500000000000000001").Deploy(SixContract, 6).GiveToken(SixContract, bob, "12345678").
		Deploy(HugeContract, 18).GiveToken(HugeContract, bob, most)
	polygon.Give(bob, "1").Deploy(SixContract, 6).Deploy(HugeContract, 18)
	return eth, polygon
}
