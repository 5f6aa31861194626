package cometbft

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	cfg "github.com/cometbft/cometbft/config"
	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/types"
)

// begunKey is CometBFT's key of the genesis that a node began with (node/setup.go).
const begunKey = "genesisDoc"

// checkGenesis refuses a genesis file that is not the one that the node's data began with.
// CometBFT reads the file only once: it would ignore a change, and the node would not be on the
// chain that its operator sees in the file.
func checkGenesis(config *cfg.Config) (err error) {
	states, closeStates, err := opened(config, "state")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStates()) }()
	stored, err := states.Get([]byte(begunKey))
	if err != nil || len(stored) == 0 {
		return err
	}
	var begun *types.GenesisDoc
	if err := cmtjson.Unmarshal(stored, &begun); err != nil {
		return fmt.Errorf("read the genesis in CometBFT's data: %w", err)
	}
	file, err := types.GenesisDocFromFile(config.GenesisFile())
	if err != nil {
		return fmt.Errorf("read the genesis: %w", err)
	}
	field, differs, err := differentField(begun, file)
	if err != nil {
		return err
	}
	if differs {
		return fmt.Errorf("%w: %s: %s differs from the genesis that the node's data began with; restore that genesis, or change the validators with `obverse validator migrate`",
			ErrGenesis, config.GenesisFile(), field)
	}
	return nil
}

// differentField is the first field in which two documents differ, by its name. How they are
// written does not matter.
func differentField(a, b *types.GenesisDoc) (field string, differs bool, err error) {
	one, err := fields(a)
	if err != nil {
		return "", false, err
	}
	two, err := fields(b)
	if err != nil {
		return "", false, err
	}
	names := slices.Concat(slices.Collect(maps.Keys(one)), slices.Collect(maps.Keys(two)))
	slices.Sort(names)
	for _, name := range names {
		if !reflect.DeepEqual(one[name], two[name]) {
			return name, true, nil
		}
	}
	return "", false, nil
}

func fields(doc *types.GenesisDoc) (values map[string]any, err error) {
	if err := doc.ValidateAndComplete(); err != nil {
		return nil, err
	}
	text, err := cmtjson.Marshal(doc)
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	return values, err
}
