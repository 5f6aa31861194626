package params_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
)

// chain returns the params of a chain named X with additional flags.
func chain(t testing.TB, args string) *params.Params {
	t.Helper()
	p, err := params.New(optionsOf(t, append([]string{"-ac_name=X"}, strings.Fields(args)...)))
	require.NoError(t, err)
	return p
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		args, key string
		want      error
	}{
		{"-ac_supply=1", "ac_name", params.ErrOptionValue},
		{"-ac_name=KMD", "ac_name", params.ErrOptionValue},
		{"-ac_name=X -ac_supply=10000000001 -ac_pubkey=" + key, "ac_supply", params.ErrOptionValue},
		{"-ac_name=X -ac_supply=10000000001 -ac_script=51", "ac_supply", params.ErrOptionValue},
		{"-ac_name=X -ac_perc=1", "ac_perc", params.ErrOptionValue},
		{"-ac_name=X -ac_founders=1", "ac_founders", params.ErrOptionValue},
		{"-ac_name=X -ac_founders=1 -ac_founders_reward=1 -ac_perc=1 -ac_script=51", "ac_founders_reward", params.ErrOptionValue},
		{"-ac_name=X -ac_founders_reward=1 -ac_script=51", "ac_founders_reward", params.ErrOptionValue},
		{"-ac_name=X -ac_ccenable=242", "ac_ccenable", params.ErrOptionValue},
		{"-ac_name=X -ac_overwinter=5", "ac_overwinter", params.ErrOptionValue},
		{"-ac_name=X -ac_overwinter=5 -ac_sapling=4", "ac_overwinter", params.ErrOptionValue},
		{"-ac_name=X -ac_notarypay=1", "ac_notarypay", params.ErrNotEnforced},
		{"-ac_name=X -ac_cc=2 -ac_cclib=sudoku", "ac_cclib", params.ErrNotEnforced},
		{"-ac_name=X -ac_algo=verushash", "ac_algo", params.ErrNotEnforced},
		{"-ac_name=X -ac_private=1", "ac_private", params.ErrNotEnforced},
		{"-ac_name=X -ac_staked=1", "ac_staked", params.ErrNotEnforced},
		{"-ac_name=X -ac_adaptivepow=1", "ac_adaptivepow", params.ErrNotEnforced},
		{"-ac_name=X -ac_txpow=1", "ac_txpow", params.ErrNotEnforced},
		{"-ac_name=X -ac_timelockgte=1", "ac_timelockgte", params.ErrNotEnforced},
		{"-ac_name=X -ac_import=PUBKEY", "ac_import", params.ErrNotEnforced},
		{"-ac_name=X -ac_beam=1", "ac_beam", params.ErrNotEnforced},
		{"-ac_name=X -ac_coda=1", "ac_coda", params.ErrNotEnforced},
		{"-ac_name=X -ac_mineropret=51", "ac_mineropret", params.ErrNotEnforced},
		{"-ac_name=X -ac_snapshot=1", "ac_snapshot", params.ErrNotEnforced},
		{"-ac_name=X -ac_earlytxidcontract=1", "ac_earlytxidcontract", params.ErrNotEnforced},
	} {
		t.Run(c.args, func(t *testing.T) {
			p, err := params.New(optionsOf(t, strings.Fields(c.args)))
			require.Nil(t, p)
			require.ErrorIs(t, err, c.want)
			var invalid *params.OptionError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, c.key, invalid.Key)
			require.True(t, strings.HasPrefix(err.Error(), c.key+": "), err)
		})
	}
}

// TestNewChecksFields checks that options set by a program are subject to the same limits as a
// user's options.
func TestNewChecksFields(t *testing.T) {
	for name, o := range map[string]params.Options{
		"ac_name":   {Name: "no spaces"},
		"ac_eras":   {Name: "X", Eras: 8},
		"ac_reward": {Name: "X", Reward: make([]uint64, 8)},
		"ac_pubkey": {Name: "X", PubKey: "02"},
		"ac_nk":     {Name: "X", NK: []uint64{1, 2}},
		"ac_supply": {Name: "X", Supply: 1 << 60},
	} {
		_, err := params.New(o)
		var invalid *params.OptionError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, name, invalid.Key)
		require.ErrorIs(t, err, params.ErrOptionValue)
	}
}

func TestNew(t *testing.T) {
	p, err := params.New(params.Options{Name: "TOKTEST", Supply: 100000, Reward: []uint64{1e8}, CC: 2, Sapling: 1})
	require.NoError(t, err)
	require.Equal(t, "TOKTEST", p.Name)
	require.Equal(t, uint32(0x7ab5dbea), p.Magic)
	require.Equal(t, [4]byte{0xea, 0xdb, 0xb5, 0x7a}, p.MessageStart)
	require.Equal(t, uint16(49666), p.P2PPort)
	require.Equal(t, uint16(49667), p.RPCPort)
	require.Equal(t, int64(100000), p.Supply)
	require.Equal(t, int64(60), p.Spacing)
	require.False(t, p.Regtest)
	require.Equal(t, uint64(60), p.Options().BlockTime)

	regtest := p.Options()
	regtest.Regtest = true
	r, err := params.New(regtest)
	require.NoError(t, err)
	require.Equal(t, p.Magic, r.Magic, "regtest does not change the magic")
	require.Equal(t, int64(150), r.Spacing)
	regtest.BlockTime = 30
	r, err = params.New(regtest)
	require.NoError(t, err)
	require.Equal(t, int64(30), r.Spacing)
}

func TestGenesis(t *testing.T) {
	for args, want := range map[string]string{
		"":         "027e3758c3a65b12aa1046462b486d0a63bfa1beae327897f56c5cfb7daaae71",
		"-regtest": "029f11d80ef9765602235e1bc9727e3eb6ba20839319f761fee920d63401e327",
	} {
		p := chain(t, args)
		block, hash := p.Genesis()
		require.Equal(t, want, hash.String())
		block[0]++
		again, _ := p.Genesis()
		require.NotEqual(t, block, again, "the caller's copy is its own")
	}
}

func TestMaturity(t *testing.T) {
	for args, want := range map[string]int{
		"":                             1,
		"-ac_reward=5":                 1,
		"-ac_eras=2":                   100,
		"-ac_cbmaturity=10":            10,
		"-ac_cbmaturity=10 -ac_eras=2": 10,
		"-ac_cbmaturity=0 -ac_eras=2":  100,
		"-ac_eras=2 -regtest=1":        1,
		"-ac_cbmaturity=10 -regtest=1": 10,
	} {
		require.Equal(t, want, chain(t, args).Maturity, args)
	}
}

func TestContracts(t *testing.T) {
	for _, c := range []struct {
		args        string
		id          int
		on, off     int // heights at which evals are and are not accepted; -1 if there is no such height
		enabled     bool
		sameMagicAs string
	}{
		{"", 0, -1, 1, false, ""},
		{"-ac_cc=1", 1, 0, -1, true, ""},
		{"-ac_cc=2", 2, 1, -1, true, ""},
		{"-ac_cc=100", 100, 1, -1, true, ""},
		{"-ac_cc=2 -ac_ccactivate=20", 2, 20, 19, true, "-ac_cc=2"},
		{"-ac_cc=3 -ac_ccactivate=20", 3, 20, 19, true, "-ac_cc=3"},
		{"-ac_reward=1 -ac_ccactivate=20", 2, 20, 19, true, "-ac_reward=1"},
		{"-ac_reward=1 -ac_cc=1 -ac_ccactivateht=242,20", 2, 1, -1, true, "-ac_reward=1 -ac_cc=1"},
	} {
		t.Run(c.args, func(t *testing.T) {
			p := chain(t, c.args)
			require.Equal(t, c.id, p.CCID)
			require.Equal(t, c.enabled, p.CCEnabled)
			require.True(t, c.on < 0 || p.CCActive(c.on))
			require.False(t, c.off >= 0 && p.CCActive(c.off))
			if c.sameMagicAs != "" {
				require.Equal(t, chain(t, c.sameMagicAs).Magic, p.Magic)
			}
		})
	}
}

func TestEvalEnabled(t *testing.T) {
	for _, c := range []struct {
		name, args string
		code       byte
		height     int
		want       bool
	}{
		{"no list", "-ac_cc=2", 0xf2, 1, true},
		{"in the list", "-ac_cc=2 -ac_ccenable=236,242", 0xf2, 1, true},
		{"not in the list", "-ac_cc=2 -ac_ccenable=236,240", 0xf2, 1000, false},
		{"before its height", "-ac_cc=2 -ac_ccenable=236 -ac_ccactivateht=242,20", 0xf2, 19, false},
		{"at its height", "-ac_cc=2 -ac_ccenable=236 -ac_ccactivateht=242,20", 0xf2, 20, false},
		{"after its height", "-ac_cc=2 -ac_ccenable=236 -ac_ccactivateht=242,20", 0xf2, 21, true},
		{"another code", "-ac_cc=2 -ac_ccenable=236 -ac_ccactivateht=242,20", 0xf1, 21, false},
		{"a height without a list", "-ac_cc=2 -ac_ccactivateht=242,20", 0xf2, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, chain(t, c.args).EvalEnabled(c.code, c.height))
		})
	}
}

func TestUpgrades(t *testing.T) {
	legacy := params.Format{Version: 1}
	v3 := params.Format{Overwintered: true, Version: 3, VersionGroupID: 0x03c48270}
	v4 := params.Format{Overwintered: true, Version: 4, VersionGroupID: 0x892f2085}
	for _, c := range []struct {
		args   string
		height int
		branch uint32
		format params.Format
		expiry uint32
		block  int
		tx     int
	}{
		{"", 1, 0, legacy, 0, 2000000, 100000},
		{"", 60, 0, legacy, 0, 2000000, 100000},
		{"", 61, 0x76b809bb, v4, 261, 4 << 20, 200000},
		{"-ac_sapling=1", 1, 0x76b809bb, v4, 201, 4 << 20, 200000},
		{"-ac_sapling=40", 39, 0, legacy, 0, 2000000, 100000},
		{"-ac_sapling=40", 40, 0x76b809bb, v4, 240, 4 << 20, 200000},
		{"-ac_overwinter=20 -ac_sapling=40", 19, 0, legacy, 0, 2000000, 100000},
		{"-ac_overwinter=20 -ac_sapling=40", 20, 0x5ba81b19, v3, 39, 2000000, 100000},
		{"-ac_overwinter=20 -ac_sapling=400", 20, 0x5ba81b19, v3, 220, 2000000, 100000},
		{"-ac_overwinter=20 -ac_sapling=40", 40, 0x76b809bb, v4, 240, 4 << 20, 200000},
		{"-ac_sapling=1 -regtest", 111, 0x76b809bb, v4, 311, 4 << 20, 200000},
	} {
		p := chain(t, c.args)
		require.Equal(t, c.branch, p.BranchID(c.height), "%s at %d", c.args, c.height)
		require.Equal(t, c.format, p.TxFormat(c.height))
		require.Equal(t, c.expiry, p.TxExpiry(c.height))
		require.Equal(t, c.block, p.MaxBlockSize(c.height))
		require.Equal(t, c.tx, p.MaxTxSize(c.height))
		require.Equal(t, c.format == v4, p.SaplingActive(c.height))
		require.Equal(t, c.format != legacy, p.OverwinterActive(c.height))
	}
}

func TestActivationAfter(t *testing.T) {
	const deadline = 1544832000
	timed, given := chain(t, ""), chain(t, "-ac_sapling=61")
	for _, c := range []struct {
		name       string
		p          *params.Params
		height     int
		prev, time uint32
		want       int
	}{
		{"the first block of today", timed, 1, 1231006505, deadline + 1, 61},
		{"the first block past the deadline", timed, 500, deadline, deadline + 1, 560},
		{"a block at the deadline", timed, 500, deadline - 1, deadline, 0},
		{"a later block", timed, 501, deadline + 1, deadline + 2, 0},
		{"a chain with a height", given, 1, 1231006505, deadline + 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			activation, crosses := c.p.ActivationAfter(c.height, c.prev, c.time)
			require.Equal(t, c.want, activation)
			require.Equal(t, c.want != 0, crosses)
		})
	}

	waiting := timed.ActivateAt(params.Never)
	require.Zero(t, waiting.BranchID(1<<30))
	moved := waiting.ActivateAt(560)
	require.Zero(t, moved.BranchID(559))
	require.Equal(t, uint32(params.SaplingBranch), moved.BranchID(560))
	require.Equal(t, 61, timed.SaplingHeight, "the original stays")
}
