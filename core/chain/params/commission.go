package params

import (
	"bytes"
	"crypto/sha256"
	"errors"

	//lint:ignore SA1019 addresses are made with RIPEMD-160
	"golang.org/x/crypto/ripemd160"

	"obverse/core/chain/wire"
)

// What is wrong with a coinbase of a chain with payments to ac_pubkey or ac_script.
var (
	ErrPremine      = errors.New("block 1 does not pay the premine to ac_pubkey or ac_script")
	ErrCommission   = errors.New("coinbase output 1 is not the commission due")
	ErrCoinbaseDust = errors.New("coinbase output below 5000 satoshis")
	ErrCoinbaseMore = errors.New("coinbase outputs after the first are too much")
)

const (
	commissionBase = 1_000_000 * coin // the most that a commission is taken of
	minCommission  = 10_000           // satoshis; less is not paid
	coinbaseDust   = 5_000            // satoshis
)

const (
	opReturn      = 0x6a
	opDup         = 0x76
	opEqualVerify = 0x88
	opHash160     = 0xa9
	opCheckSig    = 0xac
)

// PaysCommission reports whether the chain has a share or a founders reward.
func (p *Params) PaysCommission() bool { return p.options.Perc != 0 || p.options.FoundersReward != 0 }

// Commission returns the amount, in satoshis, that output 1 of the coinbase must pay in a block
// of these transactions; 0 when none is due (komodo_commission). Its base is every output of
// the block but that one, so it counts token outputs and change, or with ac_founders the
// subsidy alone.
func (p *Params) Commission(height int, txs []*wire.Tx) int64 {
	if !p.PaysCommission() || height < 2 || p.options.hasNoRewards() {
		return 0
	}
	due := p.share(txs)
	if p.options.Founders != 0 {
		due = p.founders(height)
	}
	if due < minCommission {
		return 0
	}
	return int64(due)
}

func (p *Params) share(txs []*wire.Tx) uint64 {
	var total uint64
	for i, tx := range txs {
		for j, out := range tx.Outputs {
			if i != 0 || j != 1 {
				total = min(total+uint64(out.Value), commissionBase)
			}
		}
	}
	return total / 10_000 * p.options.Perc / 10_000
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

// CommissionScript is where a block's producer sends the commission: ac_script,
// or ac_pubkey itself; nil without either.
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

// paysDestination also takes a payment to the hash of ac_pubkey.
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

// CheckCoinbase keeps the rules about the outputs of a block's coinbase that an
// asset chain adds to the limit of subsidy, fees and commission
// (komodo_checkPOW, komodo_check_deposit). The coinbase has an output.
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

// checkFurtherOutputs bounds what follows output 0. Without a commission due they
// share the subsidy with it; an output 0 above the subsidy lifts the bound, since
// komodod compares without a sign, and leaves the block to the general limit.
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
