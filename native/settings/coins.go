package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

const (
	// coinsName is the coins file in the folder of the config, which is read if no setting names one,
	// as in Komodo DeFi Framework.
	coinsName = "coins"
	// maxCoins limits the size of a coins file to many times the size of the public list.
	maxCoins = 32 << 20
)

// readCoins sets the config's CoinList: from the list in the config, from the file
// that the config or MM_COINS_PATH names, or from the file in the folder of the config. Without
// any of these, CoinList stays nil.
func (s *Settings) readCoins(src Sources) error {
	path := s.Config.CoinsPath()
	switch {
	case path != "":
	case rpc.KindOf(s.Config.Coins) == rpc.KindArray:
		s.Config.CoinList = s.Config.Coins
		_, _, err := coin.ParseList(s.Config.CoinList)
		return err
	case src.Getenv(foreignCoinsEnv) != "":
		path = src.Getenv(foreignCoinsEnv)
	default:
		path = filepath.Join(filepath.Dir(s.ConfigFile), coinsName)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return nil
		}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("coins: %w", err)
	}
	list, err := readList(path)
	if err != nil {
		return fmt.Errorf("coins: %w", err)
	}
	if _, _, err := coin.ParseList(list); err != nil {
		return fmt.Errorf("coins: %s: %w", path, err)
	}
	s.Config.CoinList, s.CoinsFile = list, path
	return nil
}

// readList reads a file with a JSON list, without checking its entries.
func readList(path string) (json.RawMessage, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxCoins+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxCoins:
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxCoins)
	case !json.Valid(text):
		return nil, fmt.Errorf("%s is invalid JSON: %w", path, syntaxError(text))
	case rpc.KindOf(text) != rpc.KindArray:
		return nil, fmt.Errorf("%s must hold a list of coins, and holds a JSON %s", path, rpc.KindOf(text))
	}
	return text, nil
}

// syntaxError describes the first error in an invalid JSON text, with its position.
func syntaxError(text []byte) error {
	err := json.Unmarshal(text, new(any))
	if at := new(json.SyntaxError); errors.As(err, &at) {
		return fmt.Errorf("%w at byte %d", err, at.Offset)
	}
	return err
}
