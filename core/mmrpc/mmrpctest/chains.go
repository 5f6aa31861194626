package mmrpctest

import (
	"testing"

	"obverse/core/wallet/cosmos/nodetest"
	evmtest "obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/nft/nfttest"
)

// Chains returns a node of each Cosmos chain used in the vectors. The passphrase of States owns
// coins on the chains. The argument recordings is the folder core/wallet/cosmos/testdata.
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

// Contracts of the tokens on Networks.
const (
	SixContract  = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359" // a token with six decimals
	HugeContract = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB" // a token with 18 decimals and the maximum supply
)

// bob is the address of the passphrase of States on EVM networks.
const bob = "0xf5c3bf03cBA4E343484588932e423A7C8BFf102d"

// Networks returns a node of each EVM network used in the vectors. The passphrase of States
// owns coins on the networks.
func Networks() (eth, polygon *evmtest.Node) {
	const maxUint256 = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	eth, polygon = evmtest.New(1, 20590537), evmtest.New(137, 60937035)
	eth.Give(bob, "2500000000000000001").Deploy(SixContract, 6).SetOwner(SixContract, HugeContract).GiveToken(SixContract, bob, "12345678").
		Deploy(HugeContract, 18).GiveToken(HugeContract, bob, maxUint256)
	polygon.Give(bob, "1").Deploy(SixContract, 6).Deploy(HugeContract, 18)
	return eth, polygon
}

// NFTs returns an indexer with the NFTs that the passphrase of States owns on the same
// networks, including the NFTs in documented calls.
func NFTs() *nfttest.Server {
	const smurfs = "0x48c75fbf0452fa8ff2928ddf46b0fe7629cca2ff"
	five := nfttest.NewItem(smurfs, "5", "ERC1155", "18446744073709551617").With("metadata", `{"name":"Forest Mushrooms","image":"data:image/gif;base64,R0lGODlh"}`)
	s := &nfttest.Server{}
	s.Hold("ETH", bob, five, five.With("token_id", "6", "amount", "1", "metadata", nil), five.With("token_id", "7", "amount", "1", "name", "Win at smurfs.example", "possible_spam", true),
		five.With("contract_type", nil))
	s.Hold("POLYGON", bob, five, nfttest.NewItem("0xc28a19e9a663d966cf99532bdb1229df1b0e344b", "1", "ERC1155", "1"),
		nfttest.NewItem("0xd25f13e4ba534ef625c75b84934689194b7bd59e", "14", "ERC721", "1"))
	s.Moved("ETH", bob, nfttest.NewTransfer(smurfs, "5", "ERC1155", "18446744073709551617", smurfs, "0xf5c3bf03cba4e343484588932e423a7c8bff102d", 7, 1))
	return s
}
