package params

import (
	"crypto/sha256"
	_ "embed" // the two genesis blocks
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"slices"

	"obverse/core/chain/wire"
)

// foundersShare is the ac_perc implied by ac_founders if neither a share nor a fixed reward is
// set: 35 % of the total.
const foundersShare = 53_846_154

// era returns the value of a list for an era, counted from 0. The last value applies to all
// later eras.
func era(list []uint64, i uint64) uint64 {
	if len(list) == 0 {
		return 0
	}
	return list[min(i, uint64(len(list)-1))]
}

// effective returns the options with the defaults filled in, and without the options that
// komodod ignores with a log message, before anything is computed from them.
func (o Options) effective() Options {
	o.Eras = max(o.Eras, 1)
	if o.BlockTime == 0 {
		o.BlockTime = 60
	}
	if o.PubKey == "" && o.Script == "" {
		o.Perc, o.Founders = 0, 0
	} else if o.Perc == 0 && o.Founders != 0 && o.FoundersReward == 0 {
		o.Perc = foundersShare
	}
	if o.CC == 0 {
		o.CCEnable, o.CCLib = nil, ""
	}
	if o.TimeUnlockFrom > o.TimeUnlockTo {
		o.TimeLockGTE = 0
	}
	return o
}

// hashesExtra reports whether any option besides name and supply affects the magic. ac_cc and
// ac_staked are hashed along with the others, but do not count here.
func (o *Options) hashesExtra() bool {
	for _, n := range []uint64{
		era(o.End, 0), era(o.Reward, 0), era(o.Halving, 0), era(o.Decay, 0), era(o.NotaryPay, 0),
		o.Perc, o.Public, o.Private, o.TxPoW, o.Founders, o.FoundersReward, o.TimeLockGTE,
		o.Eras - 1, o.Beam, o.Coda, o.BlockTime - 60, o.Snapshot, o.EarlyTxID, o.CBMaturity, o.AdaptivePoW,
		uint64(o.algorithm()), uint64(len(o.CCEnable)), uint64(len(o.NK)),
	} {
		if n != 0 {
			return true
		}
	}
	return o.Script+o.Import+o.PubKey+o.CCLib+o.MinerOpReturn != ""
}

// algorithm returns the index of ac_algo.
func (o *Options) algorithm() uint32 { return uint32(max(slices.Index(algorithms[:], o.Algo), 0)) }

// ExtraHashInput returns the bytes that komodod hashes for options other than name and supply
// (komodo_args). It returns nil if there are no such options.
func ExtraHashInput(options Options) []byte {
	o := options.effective()
	if !o.hashesExtra() {
		return nil
	}
	var key [33]byte
	copy(key[:], unhex(o.PubKey))
	b := o.appendEras(key[:])
	b = o.appendLocks(b)
	b = append64(b, o.Perc|o.Staked<<32|o.CC<<40|o.Public<<7|o.Private<<6|o.TxPoW)
	b = o.appendFounders(b)
	b = append(append(b, unhex(o.Script)...), o.Import...)
	if o.Beam != 0 {
		b = append(b, 'b')
	}
	if o.Coda != 0 {
		b = append(b, 'c')
	}
	b = o.appendDisabled(b)
	if len(o.CCLib) > 1 {
		b = append(b, o.CCLib...)
	}
	if o.BlockTime != 60 {
		b = append32(b, o.BlockTime)
	}
	b = append(b, unhex(o.MinerOpReturn)...)
	for _, n := range o.NK {
		b = append64(b, n)
	}
	for _, n := range []uint64{o.Snapshot, o.EarlyTxID, o.CBMaturity} {
		if n != 0 {
			b = append32(b, n)
		}
	}
	if o.AdaptivePoW != 0 {
		b = append(b, byte(o.AdaptivePoW))
	}
	return b
}

func (o *Options) appendEras(b []byte) []byte {
	for i := range o.Eras {
		for _, list := range [][]uint64{o.End, o.Reward, o.Halving, o.Decay} {
			b = append64(b, era(list, i))
		}
		if era(o.NotaryPay, 0) != 0 {
			b = append64(b, era(o.NotaryPay, i))
		}
	}
	if o.Eras > 1 {
		b = append64(b, o.Eras-1)
	}
	return b
}

func (o *Options) appendLocks(b []byte) []byte {
	if o.TimeLockGTE != 0 {
		b = append64(append64(append64(b, o.TimeLockGTE), o.TimeUnlockFrom), o.TimeUnlockTo)
	}
	if i := o.algorithm(); i != 0 {
		b = append32(b, uint64(i))
	}
	return b
}

func (o *Options) appendFounders(b []byte) []byte {
	if o.Founders == 0 {
		return b
	}
	b = append(b, 1)
	if o.Founders > 1 {
		b = append32(b, o.Founders)
	}
	if o.FoundersReward != 0 {
		b = append64(b, o.FoundersReward)
	}
	return b
}

// appendDisabled appends the bit set of the eval codes that ac_ccenable does not list. Code 0
// counts as enabled.
func (o *Options) appendDisabled(b []byte) []byte {
	if len(o.CCEnable) == 0 {
		return b
	}
	var bits [32]byte
	for i := range bits {
		bits[i] = 0xff
	}
	for _, code := range append([]uint64{0}, o.CCEnable...) {
		bits[code>>3&31] &^= 1 << (code & 7)
	}
	return append(b, bits[:]...)
}

// Magic returns the chain's network magic (komodo_assetmagic).
func Magic(o Options) uint32 {
	b := append(append64(nil, o.Supply), o.Name...)
	var seed uint32
	if extra := ExtraHashInput(o); extra != nil {
		sum := sha256.Sum256(extra)
		seed = binary.LittleEndian.Uint32(sum[:4])
	}
	return crc32.Update(seed, crc32.IEEETable, b)
}

// Ports returns the default ports for peers and for RPC (komodo_assetport).
func Ports(o Options) (p2p, rpc uint16) {
	magic := Magic(o)
	if ExtraHashInput(o) == nil {
		p2p = uint16(8000 + magic%7777)
	} else {
		p2p = uint16(16000 + magic%49500)
	}
	return p2p, p2p + 1
}

func append32(b []byte, n uint64) []byte { return binary.LittleEndian.AppendUint32(b, uint32(n)) }
func append64(b []byte, n uint64) []byte { return binary.LittleEndian.AppendUint64(b, n) }

// unhex decodes a value that Set has accepted. It returns nil for anything else.
func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		return nil
	}
	return b
}

// The genesis blocks as recorded from komodod: assetGenesis, which all asset chains share, and
// regtestGenesis.
//
//go:embed genesis/asset.block
var assetGenesis string

//go:embed genesis/regtest.block
var regtestGenesis string

// Genesis returns the chain's first block and its hash. The outputs of its coinbase never
// become spendable coins.
func (p *Params) Genesis() (block []byte, hash wire.Hash) {
	block = []byte(assetGenesis)
	if p.Regtest {
		block = []byte(regtestGenesis)
	}
	header := wire.ReadHeader(wire.NewReader(block))
	return block, header.Hash()
}

// GenesisValue returns the value of the genesis block's coinbase, in satoshis. komodod includes
// it in the supply, although it cannot be spent.
func (p *Params) GenesisValue() int64 {
	if p.Regtest {
		return 0
	}
	return genesisValue
}
