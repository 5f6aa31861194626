package airdrop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	key1 = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
	key2 = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
)

func TestRead(t *testing.T) {
	for name, file := range map[string]string{
		"heading":         "pubkey,amount\n" + key1 + ",5\n\n" + key2 + ",7\n",
		"spreadsheet":     "\xef\xbb\xbfPublic key,Number of tokens\r\n" + key1 + ",5\r\n\r\n" + key2 + ", 7\r\n",
		"quotes, no end":  "a,b\n\"" + key1 + "\",\"5\"\n\n " + key2 + " , 7",
		"letters, spaces": "a,b\n" + strings.ToUpper(key1) + ",5\n\n" + key2 + ",007\n",
	} {
		t.Run(name, func(t *testing.T) {
			list, err := Read([]byte(file))
			require.NoError(t, err)
			require.EqualValues(t, 12, list.Total)
			require.Len(t, list.Lines, 2)
			require.Equal(t, []int{2, 4}, []int{list.Lines[0].Number, list.Lines[1].Number})
			require.EqualValues(t, 7, list.Lines[1].Amount)
		})
	}
	list, err := Read([]byte(key1 + ",5"))
	require.NoError(t, err)
	require.Len(t, list.Lines, 1, "without a heading")
	for _, file := range []string{"", "pubkey,amount\n"} {
		_, err = Read([]byte(file))
		require.ErrorIs(t, err, ErrEmpty)
	}
}

// TestReadProblems names the line, the value and the allowed values of every error, and takes no
// line with a mistyped value for a heading.
func TestReadProblems(t *testing.T) {
	for file, says := range map[string]string{
		key1 + ",1O0\n":                         `line 1: amount "1O0" must be a whole number of tokens, 1 or more`,
		"a,b\n" + key1 + ",0":                   `line 2: amount "0" must be a whole number of tokens, 1 or more`,
		"a,b\n" + key1 + ",-1":                  `line 2: amount "-1" must be`,
		"a,b\n" + key1 + ",+1":                  `line 2: amount "+1" must be`,
		"a,b\n" + key1 + ",1.5":                 `line 2: amount "1.5" must be`,
		"a,b\n" + key1 + ",1e3":                 `line 2: amount "1e3" must be`,
		"a,b\n" + key1 + ",":                    `line 2: amount "" must be`,
		"a,b\n" + key1 + ",1,000":               "line 2: want 2 columns, a public key or address and an amount without thousands separators, got 3",
		"a,b\n" + key1 + ";5":                   "line 2: want 2 columns",
		"a,b\n" + key1 + ",9999999999999999999": `line 2: amount "9999999999999999999" must be`,
		"a,b\n" + key1[:64] + ",5":              `line 2: "` + key1[:64] + `" is neither a public key`,
		"xyz,5\n":                               `line 1: "xyz" is neither a public key`,
		"a,b\nxyz,5\n":                          `line 2: "xyz" is neither`,
		"a,b\nbGJwQTdU6rzbYNnEpfLrkvw,5":        "is neither a public key",
		"a,b\n" + key1 + ",5\n" + strings.ToUpper(key1) + ",5":                                 "line 3: " + strings.ToUpper(key1) + " has the key of line 2: pay each key once",
		"a,b\n" + key1 + ",9223372036854775807\n" + key2 + ",1":                                "line 3: the amounts up to here add up to more tokens than there can be",
		"a,b\n\"" + key1 + ",5":                                                                "line 2: ",
		"a,b\n" + "RJynHofDH6XDG4TGU5LY4euNvPB3V9X5Lu,5\nRJynHofDH6XDG4TGU5LY4euNvPB3V9X5Lu,5": "line 3: RJynHofDH6XDG4TGU5LY4euNvPB3V9X5Lu has the key of line 2",
	} {
		_, err := Read([]byte(file))
		require.ErrorAs(t, err, new(*Problems), "%q", file)
		require.ErrorContains(t, err, says)
	}
	var file strings.Builder
	for i := range 50 {
		fmt.Fprintf(&file, "%s,%d.5\n", key1, i)
	}
	_, err := Read([]byte(file.String()))
	var problems *Problems
	require.ErrorAs(t, err, &problems)
	require.Len(t, problems.Texts, maxProblems)
	require.Equal(t, 30, problems.More)
	require.True(t, strings.HasSuffix(err.Error(), "\nand 30 more"))
}
