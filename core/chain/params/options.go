package params

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"obverse/core/chain/wire"
)

// maxEras is the maximum number of eras (ASSETCHAINS_MAX_ERAS).
const maxEras = 7

// coin is the number of satoshis in a coin. It is also the scale of shares such as ac_perc.
const coin = 100_000_000

const (
	maxHeight = 1<<31 - 1
	maxSupply = 90_000_000_000 // in coins
)

// Options are a chain's ac_* options as given by a user. A field with its zero value means that
// the option is not given, except for Supply, where it means a supply of zero: start from
// Defaults if ac_supply may be missing.
type Options struct {
	Name           string   // ac_name
	Supply         uint64   // ac_supply, whole coins
	Eras           uint64   // ac_eras, 1 to 7
	End            []uint64 // ac_end, height per era
	Reward         []uint64 // ac_reward, satoshis per block and era
	Halving        []uint64 // ac_halving, blocks per era
	Decay          []uint64 // ac_decay, share kept × 1e8
	NotaryPay      []uint64 // ac_notarypay
	Perc           uint64   // ac_perc, share × 1e8
	PubKey         string   // ac_pubkey, hex
	Script         string   // ac_script, hex
	Founders       uint64   // ac_founders, blocks between payments
	FoundersReward uint64   // ac_founders_reward, satoshis
	CC             uint64   // ac_cc
	CCActivate     uint64   // ac_ccactivate, height
	CCActivateAt   []uint64 // ac_ccactivateht: code, height, code, height, …
	CCEnable       []uint64 // ac_ccenable, eval codes
	CCLib          string   // ac_cclib
	Overwinter     uint64   // ac_overwinter, height
	Sapling        uint64   // ac_sapling, height
	NK             []uint64 // ac_nk, Equihash N and K
	Algo           string   // ac_algo
	BlockTime      uint64   // ac_blocktime, seconds
	CBMaturity     uint64   // ac_cbmaturity, blocks
	Public         uint64   // ac_public, 0 or 1
	Private        uint64   // ac_private, 0 or 1
	Staked         uint64   // ac_staked, percent
	AdaptivePoW    uint64   // ac_adaptivepow
	TxPoW          uint64   // ac_txpow
	TimeLockGTE    uint64   // ac_timelockgte, satoshis
	TimeUnlockFrom uint64   // ac_timeunlockfrom
	TimeUnlockTo   uint64   // ac_timeunlockto
	Import         string   // ac_import
	Beam, Coda     uint64   // ac_beam, ac_coda
	MinerOpReturn  string   // ac_mineropret, hex
	Snapshot       uint64   // ac_snapshot
	EarlyTxID      uint64   // ac_earlytxidcontract
	Regtest        bool     // regtest
}

// Defaults returns the options of a komodod that was started without options.
func Defaults() Options { return Options{Supply: 10, Eras: 1, BlockTime: 60} }

// option describes an option and its field.
type option struct {
	key     string
	allowed string // completes the message "… is not"
	blank   string // canonical text of an option that is not set
	plain   bool   // whether it is a number or boolean, which JSON writes without quotes
	set     func(o *Options, text string) bool
	get     func(o *Options) string // returns the canonical text
}

// table lists the options in their canonical order, the name first.
var table = []option{
	text("ac_name", "1 to 64 letters, digits, '-' or '_'", isName, func(o *Options) *string { return &o.Name }),
	always(number("ac_supply", 0, maxSupply, 0, func(o *Options) *uint64 { return &o.Supply })),
	number("ac_eras", 1, maxEras, 1, func(o *Options) *uint64 { return &o.Eras }),
	eras("ac_end", maxHeight, func(o *Options) *[]uint64 { return &o.End }),
	eras("ac_reward", maxSupply*coin, func(o *Options) *[]uint64 { return &o.Reward }),
	eras("ac_halving", maxHeight, func(o *Options) *[]uint64 { return &o.Halving }),
	eras("ac_decay", coin, func(o *Options) *[]uint64 { return &o.Decay }),
	eras("ac_notarypay", maxSupply*coin, func(o *Options) *[]uint64 { return &o.NotaryPay }),
	number("ac_perc", 0, coin, 0, func(o *Options) *uint64 { return &o.Perc }),
	text("ac_pubkey", "66 hexadecimal digits that begin with 02 or 03", isPubKey, func(o *Options) *string { return &o.PubKey }),
	text("ac_script", "a script in hexadecimal", isHex, func(o *Options) *string { return &o.Script }),
	number("ac_founders", 0, maxHeight, 0, func(o *Options) *uint64 { return &o.Founders }),
	number("ac_founders_reward", 0, maxSupply*coin, 0, func(o *Options) *uint64 { return &o.FoundersReward }),
	number("ac_cc", 0, 0xffff, 0, func(o *Options) *uint64 { return &o.CC }),
	number("ac_ccactivate", 0, maxHeight, 0, func(o *Options) *uint64 { return &o.CCActivate }),
	list("ac_ccactivateht", "eval codes, each followed by its height", isActivations, func(o *Options) *[]uint64 { return &o.CCActivateAt }),
	list("ac_ccenable", "different eval codes from 1 to 255", isCodes, func(o *Options) *[]uint64 { return &o.CCEnable }),
	text("ac_cclib", "a name", isName, func(o *Options) *string { return &o.CCLib }),
	number("ac_overwinter", 1, maxHeight, 0, func(o *Options) *uint64 { return &o.Overwinter }),
	number("ac_sapling", 1, maxHeight, 0, func(o *Options) *uint64 { return &o.Sapling }),
	list("ac_nk", "one of 200,9 210,9 150,5 144,5 96,5 48,5", isEquihash, func(o *Options) *[]uint64 { return &o.NK }),
	text("ac_algo", "one of "+strings.Join(algorithms[:], " "), isAlgorithm, func(o *Options) *string { return &o.Algo }),
	number("ac_blocktime", 1, 1<<20, 60, func(o *Options) *uint64 { return &o.BlockTime }),
	number("ac_cbmaturity", 0, maxHeight, 0, func(o *Options) *uint64 { return &o.CBMaturity }),
	number("ac_public", 0, 1, 0, func(o *Options) *uint64 { return &o.Public }),
	number("ac_private", 0, 1, 0, func(o *Options) *uint64 { return &o.Private }),
	number("ac_staked", 0, 100, 0, func(o *Options) *uint64 { return &o.Staked }),
	number("ac_adaptivepow", 0, 0xff, 0, func(o *Options) *uint64 { return &o.AdaptivePoW }),
	number("ac_txpow", 0, 3, 0, func(o *Options) *uint64 { return &o.TxPoW }),
	number("ac_timelockgte", 1, maxSupply*coin, 0, func(o *Options) *uint64 { return &o.TimeLockGTE }),
	number("ac_timeunlockfrom", 0, maxHeight, 0, func(o *Options) *uint64 { return &o.TimeUnlockFrom }),
	number("ac_timeunlockto", 0, maxHeight, 0, func(o *Options) *uint64 { return &o.TimeUnlockTo }),
	text("ac_import", "a name", isName, func(o *Options) *string { return &o.Import }),
	number("ac_beam", 0, 0xffff, 0, func(o *Options) *uint64 { return &o.Beam }),
	number("ac_coda", 0, 0xffff, 0, func(o *Options) *uint64 { return &o.Coda }),
	text("ac_mineropret", "hexadecimal", isHex, func(o *Options) *string { return &o.MinerOpReturn }),
	number("ac_snapshot", 0, maxHeight, 0, func(o *Options) *uint64 { return &o.Snapshot }),
	number("ac_earlytxidcontract", 0, maxHeight, 0, func(o *Options) *uint64 { return &o.EarlyTxID }),
	{
		key: "regtest", allowed: "true or false", blank: "false", plain: true,
		set: func(o *Options, s string) (ok bool) {
			o.Regtest = s == "true" || s == "1"
			return o.Regtest || s == "false" || s == "0"
		},
		get: func(o *Options) string { return strconv.FormatBool(o.Regtest) },
	},
}

// number describes an option that is a whole number from min to max. A field of zero represents
// the value unset.
func number(key string, min, max, unset uint64, field func(*Options) *uint64) option {
	return option{
		key:     key,
		allowed: "a whole number from " + decimal(min) + " to " + decimal(max),
		blank:   decimal(unset),
		plain:   true,
		set: func(o *Options, s string) bool {
			n, ok := parseDecimal(s)
			*field(o) = n
			return ok && n >= min && n <= max
		},
		get: func(o *Options) string {
			if n := *field(o); n != 0 {
				return decimal(n)
			}
			return decimal(unset)
		},
	}
}

// always marks an option that is written even if it is zero.
func always(o option) option {
	o.blank = ""
	return o
}

// list returns an option that is a comma-separated list of numbers.
func list(key, allowed string, valid func([]uint64) bool, field func(*Options) *[]uint64) option {
	return option{
		key: key, allowed: allowed, plain: true,
		set: func(o *Options, s string) bool {
			var values []uint64
			for part := range strings.SplitSeq(s, ",") {
				n, ok := parseDecimal(strings.TrimSpace(part))
				if !ok {
					return false
				}
				values = append(values, n)
			}
			*field(o) = values
			return valid(values)
		},
		get: func(o *Options) string {
			var parts []string
			for _, n := range *field(o) {
				parts = append(parts, decimal(n))
			}
			return strings.Join(parts, ",")
		},
	}
}

// eras returns an option that is a list with one number per era.
func eras(key string, max uint64, field func(*Options) *[]uint64) option {
	allowed := "1 to " + decimal(maxEras) + " whole numbers from 0 to " + decimal(max) + " with commas between them"
	return list(key, allowed, func(values []uint64) bool {
		return len(values) <= maxEras && slices.Max(values) <= max
	}, field)
}

// text returns an option that is a string.
func text(key, allowed string, valid func(string) bool, field func(*Options) *string) option {
	return option{
		key: key, allowed: allowed,
		set: func(o *Options, s string) bool { *field(o) = s; return valid(s) },
		get: func(o *Options) string { return *field(o) },
	}
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// parseDecimal parses a number that consists of digits only, without sign, space or exponent.
func parseDecimal(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

func isName(s string) bool {
	return 0 < len(s) && len(s) <= 64 && strings.IndexFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && !(r >= '0' && r <= '9') && r != '-' && r != '_'
	}) < 0
}

func isHex(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && s != ""
}

func isPubKey(s string) bool {
	return len(s) == 66 && isHex(s) && (s[:2] == "02" || s[:2] == "03")
}

func isCodes(codes []uint64) bool {
	seen := map[uint64]bool{}
	for _, code := range codes {
		if code < 1 || code > 0xff || seen[code] {
			return false
		}
		seen[code] = true
	}
	return true
}

func isActivations(values []uint64) bool {
	if len(values)%2 != 0 {
		return false
	}
	var codes []uint64
	for pair := range slices.Chunk(values, 2) {
		codes = append(codes, pair[0])
		if pair[1] < 1 || pair[1] > maxHeight {
			return false
		}
	}
	return isCodes(codes)
}

// isEquihash reports whether komodod supports the given N and K (equihash_params_possible).
func isEquihash(nk []uint64) bool {
	if len(nk) != 2 {
		return false
	}
	switch nk[1] {
	case 9:
		return slices.Contains([]uint64{200, 210}, nk[0])
	case 5:
		return slices.Contains([]uint64{150, 144, 96, 48}, nk[0])
	}
	return false
}

// algorithms are the names of ac_algo. Their indexes affect the magic.
var algorithms = [...]string{"equihash", "verushash", "verushash11"}

func isAlgorithm(s string) bool { return slices.Contains(algorithms[:], s) }

// meanings explains the supported options in help texts and the reference. Shares are in
// 1/100,000,000.
var meanings = []struct{ key, text string }{
	{"ac_name", "name of the chain, part of its magic"},
	{"ac_supply", "whole coins that block 1 pays out in addition to its reward"},
	{"ac_eras", "number of eras; lists have a value for each"},
	{"ac_end", "height at which an era ends; 0: never"},
	{"ac_reward", "satoshis that a block pays"},
	{"ac_halving", "blocks between reductions of the reward"},
	{"ac_decay", "share of the reward that a reduction leaves; 0: half of it"},
	{"ac_perc", "commission: the share of a block's outputs that ac_pubkey or ac_script gets"},
	{"ac_pubkey", "public key that gets premine, commission and founders reward"},
	{"ac_script", "script that gets commission and founders reward in place of ac_pubkey"},
	{"ac_founders", "blocks between two payments of the founders reward"},
	{"ac_founders_reward", "satoshis of a payment of the founders reward, in place of ac_perc"},
	{"ac_cc", "0: no crypto-conditions, hence no tokens; any other number enables them"},
	{"ac_ccactivate", "height from which crypto-conditions are accepted"},
	{"ac_ccactivateht", "eval codes, each followed by the height from which it is accepted"},
	{"ac_ccenable", "the only eval codes that are accepted; empty: all"},
	{"ac_overwinter", "height from which the rules of Overwinter hold; without it that of ac_sapling"},
	{"ac_sapling", "height from which the rules of Sapling hold; without it the times of blocks decide, as in komodod"},
	{"ac_nk", "Equihash's N and K, part of the magic"},
	{"ac_blocktime", "komodod's goal for the seconds between blocks; chain.blockinterval sets the interval here"},
	{"ac_cbmaturity", "confirmations that a coinbase needs to be spent; 0: 1, or 100 with more than one era"},
	{"ac_public", "1: shielded outputs are invalid"},
	{"ac_timeunlockfrom", "bound of the unlock heights of ac_timelockgte"},
	{"ac_timeunlockto", "bound of the unlock heights of ac_timelockgte"},
	{"regtest", "komodod's regtest: no relay policy, and blocks only by generate or submitblock"},
}

// Meaning returns an explanation of an option, which is not a full sentence. An unsupported
// option has only one accepted value.
func Meaning(key string) string {
	for _, m := range meanings {
		if m.key == key {
			return m.text
		}
	}
	for _, rule := range notEnforced {
		if rule.key == key {
			return "unsupported, since this node does not keep the rules of " + rule.what
		}
	}
	return ""
}

// Allowed describes the values that an option accepts, such as "a whole number from 0 to 9".
func Allowed(key string) string {
	for _, option := range table {
		if option.key == key {
			return option.allowed
		}
	}
	return ""
}

// Limits of consensus (consensus/consensus.h, script/script.h). Sizes are in bytes.
const (
	MaxBlockSizeSapling = wire.MaxBlockSize
	MaxBlockSizeLegacy  = 2_000_000 // before Sapling
	MaxTxSizeSapling    = 200_000
	MaxTxSizeLegacy     = 100_000     // before Sapling
	MaxScriptSize       = 10_001      // size of an output script
	MaxBlockSigOps      = 60_000      // signature operations in a block
	ExpiryThreshold     = 500_000_000 // expiry heights must be lower
	MaxFutureSeconds    = 60          // how far a block's time may be ahead of the clock, in seconds
)

// MaxBlockSize returns the size limit of a block at height.
func (p *Params) MaxBlockSize(height int) int {
	if p.SaplingActive(height) {
		return MaxBlockSizeSapling
	}
	return MaxBlockSizeLegacy
}

// MaxTxSize returns the size limit of a transaction in a block at height.
func (p *Params) MaxTxSize(height int) int {
	if p.SaplingActive(height) {
		return MaxTxSizeSapling
	}
	return MaxTxSizeLegacy
}
