package anvil

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"

	"obverse/core/text"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/ens"
	"obverse/native/test/npmprocess"
)

// registry is the address of the ENS registry on Ethereum.
const registry = "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e"

// Names holds the contracts of the Ethereum Name Service on a network, as compiled by the project.
type Names struct {
	n        *Network
	resolver string
}

// Names puts the registry at its address on Ethereum, with Rich as its owner, and deploys a
// resolver.
func (n *Network) Names() *Names {
	n.t.Helper()
	made := n.send("", n.artefact("ens", "ENSRegistry")).Contract
	var code string
	require.NoError(n.t, json.Unmarshal(n.Ask("eth_getCode", made, "latest"), &code))
	n.Ask("anvil_setCode", registry, code)
	slot := address.Keccak(make([]byte, 64)) // slot of the owner of the root's record, in the mapping at 0
	owner, err := address.Parse(Rich)
	require.NoError(n.t, err)
	n.Ask("anvil_setStorageAt", registry, text.Hex(slot[:]), "0x"+strings.Repeat("0", 24)+owner.Plain()[2:])
	return &Names{n, n.send("", append(n.artefact("resolver", "PublicResolver"), encode(n.t, []any{registry})...)).Contract}
}

// artefact returns the code of a contract in an npm package of ENS.
func (n *Network) artefact(npmPackage, contract string) []byte {
	n.t.Helper()
	folder := npmprocess.Folder(n.t, "test/anvil", "@ensdomains/"+npmPackage)
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", "@ensdomains", npmPackage, "build", "contracts", contract+".json"))
	require.NoError(n.t, err)
	var built struct{ Bytecode string }
	require.NoError(n.t, json.Unmarshal(text, &built))
	code, err := hex.DecodeString(strings.TrimPrefix(built.Bytecode, "0x"))
	require.NoError(n.t, err)
	return code
}

// Register registers the labels of a name for Rich. With resolves, it sets the resolver of the
// name.
func (s *Names) Register(name string, resolves bool) {
	s.n.t.Helper()
	labels, above := strings.Split(name, "."), new(big.Int)
	for i := len(labels) - 1; i >= 0; i-- {
		label := address.Keccak([]byte(labels[i]))
		s.n.Do(registry, "setSubnodeOwner(bytes32,bytes32,address)", above, new(big.Int).SetBytes(label[:]), Rich)
		above = node(strings.Join(labels[i:], "."))
	}
	if resolves {
		s.n.Do(registry, "setResolver(bytes32,address)", node(name), s.resolver)
	}
}

// Point sets the Ethereum address of a registered name.
func (s *Names) Point(name, to string) {
	s.n.t.Helper()
	s.n.Do(s.resolver, "setAddr(bytes32,address)", node(name), to)
}

// PointOn sets the address of a registered name on another network.
func (s *Names) PointOn(name string, chain int64, to string) {
	s.n.t.Helper()
	a, err := address.Parse(to)
	require.NoError(s.n.t, err)
	s.n.Do(s.resolver, "setAddr(bytes32,uint256,bytes)", node(name), big.NewInt(0x80000000|chain), string(a[:]))
}

func node(name string) *big.Int {
	hash := ens.Hash(name)
	return new(big.Int).SetBytes(hash[:])
}
