package anvil

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/evm/nodetest/story"
	"obverse/native/fetch"
	"obverse/native/test/contracts"
)

// TestStory plays the story on a real network. OBVERSE_RECORD=1 records the responses.
func TestStory(t *testing.T) {
	n := Start(t, 1, "--timestamp", "1800000000")
	require.Equal(t, story.Contract6, n.Deploy(contracts.Token20, 6))
	require.Equal(t, story.Contract18, n.Deploy(contracts.Token20, 18))
	whole := func(text string) *big.Int {
		number, ok := new(big.Int).SetString(text, 10)
		require.True(t, ok)
		return number
	}
	n.Do(story.Contract6, "mint(address,uint256)", story.Address, whole(story.Tokens6))
	n.Do(story.Contract18, "mint(address,uint256)", story.Address, whole(story.Tokens18))
	n.Give(story.Address, whole(story.Coins))
	tape := &story.Tape{Network: fetch.New("obverse-test")}
	story.Play(t, tape, n.URL)
	if os.Getenv("OBVERSE_RECORD") != "1" {
		return
	}
	var text bytes.Buffer
	text.WriteString("[\n")
	for i, e := range tape.All {
		line, err := json.Marshal(e)
		require.NoError(t, err)
		if i > 0 {
			text.WriteString(",\n")
		}
		text.Write(line)
	}
	text.WriteString("\n]\n")
	path := filepath.Join("..", "..", "..", "core", "wallet", "evm", "nodetest", "story", "testdata", "anvil.json")
	require.NoError(t, os.WriteFile(path, text.Bytes(), 0o644))
}
