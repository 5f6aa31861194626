package params

import (
	_ "embed" // the two genesis blocks

	"obverse/core/chain/wire"
)

// The genesis blocks as recorded from komodod: one that every asset chain shares,
// and regtest's.
//
//go:embed genesis/asset.block
var assetGenesis string

//go:embed genesis/regtest.block
var regtestGenesis string

// Genesis is the chain's first block and its hash. The outputs of its coinbase
// never enter the unspent set.
func (p *Params) Genesis() (block []byte, hash wire.Hash) {
	block = []byte(assetGenesis)
	if p.Regtest {
		block = []byte(regtestGenesis)
	}
	header := wire.ReadHeader(wire.NewReader(block))
	return block, header.Hash()
}

// GenesisValue returns the amount that the coinbase of the genesis block pays, in satoshis.
// komodod counts it in the supply, although it cannot be spent.
func (p *Params) GenesisValue() int64 {
	if p.Regtest {
		return 0
	}
	return genesisValue
}
