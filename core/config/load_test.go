package config

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPosition(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\n  \"gui\": 5}", "2:10"},
		{"{\"gui\":\"é\",\n\t\"daemon\": {\"rpcuser\": \"é\", \"rpcport\": 80}}", "2:40"},
		{"{\"gui\":\"é\", \"rpcport\": 80}", "1:24"},
		{"{\"rpcport\":7000,\n\"rpcport\":80}", "2:11"},
		{"{\"nft\":\n7}", "2:1"},
		{"{\"chain\":{\"ac_supply\":\"x\"}}", "1:23"},
		{"{\n  \"gui\": \"a\"\n  \"netid\": 1}", "3:3"},
		{"{\n  \"gui\": \"a\",\n", "3:1"},
		{"", "1:1"},
		{"{\"rpc_password\":\"weak\"}", "1:17"},
		{"[]", "none"},
	} {
		config := valid(t)
		_, err := config.Merge([]byte(c.text))
		if err == nil {
			err = config.Validate()
		}
		require.Error(t, err, c.text)
		got := "none"
		if line, column, ok := Position([]byte(c.text), err); ok {
			got = fmt.Sprintf("%d:%d", line, column)
		}
		require.Equal(t, c.want, got, "%s\n%v", c.text, err)
	}
}

func FuzzPosition(f *testing.F) {
	f.Add([]byte("{\"daemon\":{\"rpcport\":\n80}}"))
	f.Add([]byte("{\"a\":[1,{}],\"daemon\":[]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		config := Default()
		if _, err := config.Merge(text); err != nil {
			line, column, ok := Position(text, err)
			require.Equal(t, ok, line > 0 && column > 0)
		}
	})
}
