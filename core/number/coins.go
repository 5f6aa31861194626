package number

import (
	"encoding/json"
	"fmt"
)

const (
	coinDecimals = 8
	coin         = 100_000_000
)

// Coins is an amount in satoshis, shown in whole coins with exactly eight
// decimals as komodod shows amounts: 0.00010000.
type Coins int64

// String is the amount in coins: -12.00000001.
func (c Coins) String() string {
	sign, n := "", uint64(c)
	if c < 0 {
		sign, n = "-", -n // exact for the least int64 too
	}
	return fmt.Sprintf("%s%d.%08d", sign, n/coin, n%coin)
}

// MarshalJSON writes a JSON number with its eight decimals.
func (c Coins) MarshalJSON() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalJSON takes a JSON number or a string of one, exactly. Its errors are
// those of ParseCoins.
func (c *Coins) UnmarshalJSON(data []byte) error {
	text := string(data)
	if text != "" && text[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	sat, err := ParseCoins(text)
	if err != nil {
		return err
	}
	*c = Coins(sat)
	return nil
}
