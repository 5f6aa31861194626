package coin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/number"
)

func TestUnseenFee(t *testing.T) {
	decimal := func(text string) number.Rational {
		n, err := number.ParseRational(text)
		require.NoError(t, err)
		return n
	}
	for _, c := range []struct {
		name, usual, fee, fails string
	}{
		{"one coin, usual fee unknown", "", "1", ""},
		{"more than one coin, usual fee unknown", "", "2", "estimated fee 2 ATOM exceeds the limit of 1 ATOM; set the fee explicitly to send anyway"},
		{"ten times the usual fee", "0.0025", "0.025", ""},
		{"more than ten times the usual fee", "0.0025", "0.025000000000000001", "estimated fee 0.025000000000000001 ATOM exceeds the limit of 0.025 ATOM; "},
		{"one coin where the usual fee is higher", "0.5", "1", ""},
		{"more than one coin where the usual fee is higher", "0.5", "1.000001", "exceeds the limit of 1 ATOM"},
		{"no fee on a network without fees", "0", "0", ""},
		{"a fee on a network without fees", "0", "0.000001", "exceeds the limit of 0 ATOM"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var usual *number.Rational
			if c.usual != "" {
				n := decimal(c.usual)
				usual = &n
			}
			err := CheckUnseenFee("ATOM", decimal(c.fee), FeeLimit(usual), NameFee)
			if c.fails == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.fails)
			var refused *InvalidError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, FieldFee, refused.Field)
		})
	}
}
