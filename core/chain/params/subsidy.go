package params

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math"

	//lint:ignore SA1019 addresses require RIPEMD-160
	"golang.org/x/crypto/ripemd160"

	"obverse/core/chain/wire"
)

const (
	baseReward   = 10_000         // satoshis per block on a chain with neither ac_reward nor ac_end
	spreadSupply = 10_000_000_000 // in coins; a larger premine is spread over several blocks
	spreadShare  = 1_000_000_000  // coins per block of a spread premine
)

// Subsidy returns the amount that a block at height creates, in satoshis, without fees. In
// block 1 it is the premine plus the low 24 bits of the magic (komodo_ac_block_subsidy).
func (p *Params) Subsidy(height int) int64 {
	o := &p.schedule
	reward := o.reward(uint64(height))
	mark := uint64(p.Magic & 0xffffff)
	switch {
	case o.Supply > spreadSupply && uint64(height) <= o.Supply/spreadShare:
		reward += spreadShare * coin
		if height == 1 {
			reward += o.Supply%spreadShare*coin + mark
		}
	case o.Supply > spreadSupply:
	case height != 1:
		if o.hasNoRewards() {
			return 0
		}
	case o.Eras == 1:
		reward = o.Supply*coin + mark
	default:
		reward += o.Supply*coin + mark
	}
	return int64(reward)
}

// BlockOneValue returns the amount that block 1 creates.
func (p *Params) BlockOneValue() int64 { return p.Subsidy(1) }

// reward returns the scheduled reward, without the premine.
func (o *Options) reward(height uint64) uint64 {
	if era(o.End, 0) == 0 && era(o.Reward, 0) == 0 {
		return baseReward
	}
	i, start := o.eraAt(height)
	if i == o.Eras {
		return 0
	}
	reward, next := era(o.Reward, i), uint64(0)
	if i+1 < o.Eras {
		next = era(o.Reward, i+1)
	}
	interval, decay, end := era(o.Halving, i), era(o.Decay, i), era(o.End, i)
	if interval == 0 || reward == 0 && next == 0 {
		return reward
	}
	steps := (height - start) / interval
	switch {
	case steps == 0:
		return reward
	case decay == 0:
		return reward >> steps
	case decay == coin && end != 0:
		whole := int64(end - start)
		done := int64(steps * interval)
		return uint64(int64(reward) - (int64(reward)-int64(next))*done/whole)
	}
	return decayed(reward, decay, steps)
}

// eraAt returns the era of a height and the height at which it began. It returns o.Eras if all
// eras are over. An era without an end lasts forever.
func (o *Options) eraAt(height uint64) (i, start uint64) {
	for ; i < o.Eras; i++ {
		end := era(o.End, i)
		if end > height || end == 0 {
			return i, start
		}
		start = end
	}
	return i, start
}

// decayed multiplies a reward by decay / 1e8 in each step, rounding in each step like komodod.
func decayed(reward, decay, steps uint64) uint64 {
	if decay == coin {
		return reward
	}
	for ; steps > 0 && reward != 0; steps-- {
		reward = reward * decay / coin
	}
	return reward
}

const (
	supplyBlocks = 10_000_000    // number of blocks that MAX_MONEY includes
	genesisValue = 5_000_000_000 // value of the genesis coinbase, in satoshis
	defaultMagic = 4_665_246     // low 24 bits of the default magic, used before the chain's magic is known
	fungibleID   = 100           // value of ac_cc from which on chains share their coins
	minFungible  = 1_000_000     // minimum MAX_MONEY of such a chain, in coins
)

// maxMoney returns komodo_current_supply(10000000), the limit of every amount. It reproduces
// komodod's arithmetic including its overflows, since a different limit would be a different
// consensus rule: the base reward is computed in 32 bits, and an era without halving includes
// all blocks.
func maxMoney(o Options) int64 {
	total := (o.Supply+1)*coin + defaultMagic + genesisValue
	if o.Eras == 1 && era(o.Reward, 0) == 0 {
		blocks := uint32(supplyBlocks)
		total += uint64(blocks * baseReward)
	} else {
		total += o.minedSupply()
	}
	if total <= math.MaxInt64 {
		total += total / coin * o.Perc
	}
	if o.CC >= fungibleID {
		total = max(total, minFungible*coin)
	}
	return int64(min(total, math.MaxInt64))
}

// minedSupply returns the total reward of all eras that begin before the last block included in
// MAX_MONEY.
func (o *Options) minedSupply() (total uint64) {
	for i := range o.Eras {
		if i > 0 && o.over(i) {
			break
		}
		var start uint64
		if i > 0 {
			start = era(o.End, i-1)
		}
		end := uint64(supplyBlocks)
		if e := era(o.End, i); e != 0 {
			end = min(end, e)
		}
		reward, period, decay := era(o.Reward, i), era(o.Halving, i), era(o.Decay, i)
		switch {
		case reward == 0:
		case period == 0:
			total += reward * (supplyBlocks - 1)
		case decay == coin:
			total += o.linearSupply(i, start, end)
		default:
			total += steppedSupply(reward, period, decay, start, end)
		}
	}
	return total
}

// over reports whether there are no rewards after era i-1.
func (o *Options) over(i uint64) bool {
	before := era(o.End, i-1)
	lasting := era(o.Reward, i) == 0 && (i+1 == o.Eras || era(o.Decay, i) != coin)
	return supplyBlocks <= before || before == 0 && lasting
}

// steppedSupply returns the total reward of an era. Every period counts in full, and the
// remainder once more.
func steppedSupply(reward, period, decay, start, end uint64) (total uint64) {
	rest := (end - start) % period
	for from := start; from < end && reward != 0; from += period {
		total += period * reward
		if decay == 0 {
			reward >>= 1
		} else {
			reward = reward * decay / coin
		}
	}
	return total + rest*reward
}

// linearSupply returns the total reward of an era whose reward changes linearly to that of the
// next era, as computed by komodod.
func (o *Options) linearSupply(i, start, end uint64) uint64 {
	reward, period := int64(era(o.Reward, i)), era(o.Halving, i)
	var next int64
	if i+1 < o.Eras {
		next = int64(era(o.Reward, i+1))
	}
	steps := uint32((end - start) / period)
	whole := max(uint64(steps)*period, 1)
	stepsWide, length := int64(steps), int64(end-start)
	if reward < next {
		step := int64(period * uint64(next-reward) / whole)
		triangle, below := int64(period*uint64(step)>>1), int64(steps-1)
		return uint64(triangle*below + triangle*below*below + step*stepsWide + reward*length)
	}
	step := int64(period * uint64(reward-next) / whole)
	triangle := int64(period * uint64(step) >> 1)
	lowest := reward - step*stepsWide
	return uint64(triangle*stepsWide + triangle*stepsWide*stepsWide + lowest*length)
}

// Errors of a coinbase on a chain with payments to ac_pubkey or ac_script.
var (
	ErrPremine      = errors.New("block 1 does not pay the premine to ac_pubkey or ac_script")
	ErrCommission   = errors.New("coinbase output 1 is not the commission due")
	ErrCoinbaseDust = errors.New("coinbase output below 5000 satoshis")
	ErrCoinbaseMore = errors.New("coinbase outputs after the first are too much")
)

const (
	commissionBase = 1_000_000 * coin // maximum value on which a commission is computed
	minCommission  = 10_000           // minimum commission in satoshis; less is not paid
	coinbaseDust   = 5_000            // in satoshis
)

const (
	opReturn      = 0x6a
	opDup         = 0x76
	opEqualVerify = 0x88
	opHash160     = 0xa9
	opCheckSig    = 0xac
)

// PaysCommission reports whether the chain pays a share or a founders reward.
func (p *Params) PaysCommission() bool { return p.options.Perc != 0 || p.options.FoundersReward != 0 }

// Commission returns the amount, in satoshis, that output 1 of the coinbase must pay in a block
// with the given transactions, or 0 if none is due (komodo_commission). It is computed from the
// value of all outputs of the block except that one, including token outputs and change, or
// with ac_founders from the subsidy alone.
func (p *Params) Commission(height int, txs []*wire.Tx) int64 {
	var total uint64
	for i, tx := range txs {
		for j, out := range tx.Outputs {
			if i != 0 || j != 1 {
				total = addOutput(total, out.Value)
			}
		}
	}
	return p.commissionOf(height, total)
}

// commissionOf returns the commission of a block whose outputs have the given total value.
func (p *Params) commissionOf(height int, total uint64) int64 {
	if !p.PaysCommission() || height < 2 || p.options.hasNoRewards() {
		return 0
	}
	due := total / 10_000 * p.options.Perc / 10_000
	if p.options.Founders != 0 {
		due = p.founders(height)
	}
	if due < minCommission {
		return 0
	}
	return int64(due)
}

// addOutput adds the value of an output to the total from which a commission is computed.
func addOutput(total uint64, value int64) uint64 { return min(total+uint64(value), commissionBase) }

// AddOutputs adds the outputs of a transaction to total, for FitsCoinbase.
func AddOutputs(total uint64, tx *wire.Tx) uint64 {
	for i := range tx.Outputs {
		total = addOutput(total, tx.Outputs[i].Value)
	}
	return total
}

// FitsCoinbase reports whether a coinbase can pay the subsidy, the fees and the commission of a
// block whose other transactions have outputs with the given total value. Every output counts
// towards the commission, even if the same coins are moved several times, but the value of a
// coinbase is limited to MaxMoney.
func (p *Params) FitsCoinbase(height int, total uint64, fees int64) bool {
	reward := p.Subsidy(height) + fees
	due := p.commissionOf(height, addOutput(total, reward))
	return due == 0 || due < p.MaxMoney && reward <= p.MaxMoney-due
}

func (p *Params) founders(height int) uint64 {
	o := &p.options
	due := uint64(p.Subsidy(height)) * o.Perc / coin
	switch {
	case o.Founders == 1:
		return due
	case uint64(height)%o.Founders != 0:
		return 0
	case o.FoundersReward != 0:
		return o.FoundersReward
	}
	return due * o.Founders
}

// CommissionScript returns the script to which a producer pays the commission: ac_script, or a
// script that pays to ac_pubkey. It returns nil if neither is set.
func (p *Params) CommissionScript() []byte {
	if p.options.Script != "" {
		return unhex(p.options.Script)
	}
	if p.options.PubKey == "" {
		return nil
	}
	key := unhex(p.options.PubKey)
	return append(append([]byte{byte(len(key))}, key...), opCheckSig)
}

// paysDestination reports whether a script pays to ac_script, ac_pubkey or the hash of
// ac_pubkey.
func (p *Params) paysDestination(script []byte) bool {
	if bytes.Equal(script, p.CommissionScript()) {
		return true
	}
	return p.options.Script == "" && bytes.Equal(script, payToHash(unhex(p.options.PubKey)))
}

func payToHash(key []byte) []byte {
	sum := sha256.Sum256(key)
	hash := ripemd160.New()
	hash.Write(sum[:])
	return append(hash.Sum([]byte{opDup, opHash160, 20}), opEqualVerify, opCheckSig)
}

// CheckCoinbase checks the rules about coinbase outputs that an asset chain has in addition to
// the limit of subsidy, fees and commission (komodo_checkPOW, komodo_check_deposit). The
// coinbase must have an output.
func (p *Params) CheckCoinbase(height int, txs []*wire.Tx) error {
	outputs := txs[0].Outputs
	if height < 2 {
		if p.options.Perc != 0 && !bytes.Equal(outputs[0].Script, p.CommissionScript()) {
			return ErrPremine
		}
		return nil
	}
	due := p.Commission(height, txs)
	if due != 0 {
		if len(outputs) < 2 || outputs[1].Value != due || !p.paysDestination(outputs[1].Script) {
			return ErrCommission
		}
	}
	if !p.PaysCommission() && !p.SaplingActive(height) {
		return nil
	}
	return p.checkFurtherOutputs(height, outputs, due)
}

// checkFurtherOutputs limits the outputs after output 0. If no commission is due, all outputs
// together are limited to the subsidy. If output 0 exceeds the subsidy, there is no limit here,
// since komodod compares unsigned numbers, and only the general limit applies.
func (p *Params) checkFurtherOutputs(height int, outputs []wire.TxOut, due int64) error {
	var total int64
	for i, out := range outputs[1:] {
		if out.Value < 0 || out.Value >= p.MaxMoney || out.Value > p.MaxMoney-total {
			return ErrCoinbaseMore
		}
		total += out.Value
		data := len(out.Script) > 0 && out.Script[0] == opReturn
		if i > 0 && !data && out.Value < coinbaseDust {
			return ErrCoinbaseDust
		}
	}
	if due == 0 {
		due = p.Subsidy(height) - outputs[0].Value
	}
	if due >= 0 && total > due {
		return ErrCoinbaseMore
	}
	return nil
}
