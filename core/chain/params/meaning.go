package params

// meanings explains the options whose rules are kept, for help and the reference. Shares
// are in 1/100,000,000.
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
	{"ac_founders_reward", "satoshis of such a payment, in place of ac_perc"},
	{"ac_cc", "0: no crypto-conditions, hence no tokens; any other number enables them"},
	{"ac_ccactivate", "height from which crypto-conditions are accepted"},
	{"ac_ccactivateht", "eval codes, each followed by the height from which it is accepted"},
	{"ac_ccenable", "the only eval codes that are accepted; none named: all"},
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

// Meaning explains an option in half a sentence. An option whose rules are not kept has one
// value that is accepted.
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

// Allowed says which values an option takes, "a whole number from 0 to 9".
func Allowed(key string) string {
	for _, option := range table {
		if option.key == key {
			return option.allowed
		}
	}
	return ""
}
