package cometbft

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/crypto/ed25519"
	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/types"

	"obverse/core/chain/engine"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/text"
)

// appVersion is the version of the meaning of blocks. Nodes with different versions do not connect.
const appVersion = 1

// maxBlockBytes limits a block of CometBFT. A Komodo block may have 4 MB, but such blocks
// took longer to reach the other validators than a proposer has time, and the chain stopped.
const maxBlockBytes = 1 << 20

// state holds the token chain's part of the genesis.
type state struct {
	Chain  params.Options `json:"chain"`
	Payee  string         `json:"payee"` // public key in hexadecimal that receives subsidies and fees
	From   int            `json:"from"`  // height of the validators' first block
	Tip    string         `json:"tip,omitempty"`
	Format int            `json:"format"`
}

// stateFormat is the format of state.
const stateFormat = 1

// Genesis is the data that the validators of a chain agree on before its first block.
type Genesis struct {
	ChainID    string
	Time       time.Time
	Options    params.Options
	Terms      engine.Terms
	Validators []types.GenesisValidator
}

// ErrGenesis means that a genesis is invalid.
var ErrGenesis = errors.New("invalid genesis")

// ChainIDOf returns CometBFT's id of a chain that validators make from a block on. After each
// handover the chain has another id, even after a second handover at the same block, so that earlier
// signatures do not count.
func ChainIDOf(o params.Options, from int, at time.Time) string {
	const longest = types.MaxChainIDLen - len("obverse--2147483647-99999999999")
	return fmt.Sprintf("obverse-%s-%d-%d", strings.ToLower(o.Name[:min(len(o.Name), longest)]), from, at.Unix())
}

// doc returns the genesis in CometBFT's form.
func (g *Genesis) doc() (*types.GenesisDoc, error) {
	s := state{Chain: g.Options, Payee: hex.EncodeToString(g.Terms.Payee[:]), From: g.Terms.From, Format: stateFormat}
	if g.Terms.From > 1 {
		s.Tip = g.Terms.Tip.String()
	}
	app, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	consensus := types.DefaultConsensusParams()
	consensus.Block.MaxBytes = maxBlockBytes
	consensus.Version.App = appVersion
	doc := &types.GenesisDoc{GenesisTime: g.Time.UTC(), ChainID: g.ChainID, InitialHeight: 1,
		ConsensusParams: consensus, Validators: g.Validators, AppState: app}
	return doc, doc.ValidateAndComplete()
}

// Save writes the genesis to a folder of CometBFT.
func (g *Genesis) Save(home string) error {
	doc, err := g.doc()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGenesis, err)
	}
	return doc.SaveAs(filepath.Join(home, genesisFile))
}

// ReadGenesis reads the genesis from a folder of CometBFT.
func ReadGenesis(home string) (*Genesis, error) {
	path := filepath.Join(home, genesisFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the genesis: %w", err)
	}
	g, err := parseGenesis(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrGenesis, err)
	}
	return g, nil
}

func parseGenesis(content []byte) (*Genesis, error) {
	if err := checkKeys(content); err != nil {
		return nil, err
	}
	doc, err := types.GenesisDocFromJSON(content)
	if err != nil {
		return nil, err
	}
	s := state{Chain: params.Defaults()}
	decoder := json.NewDecoder(bytes.NewReader(doc.AppState))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return nil, fmt.Errorf("app_state: %w", err)
	}
	if s.Format != stateFormat || s.From < 1 {
		return nil, fmt.Errorf("app_state: format %d from block %d, want format %d from a block of at least 1", s.Format, s.From, stateFormat)
	}
	g := &Genesis{ChainID: doc.ChainID, Time: doc.GenesisTime, Options: s.Chain, Validators: doc.Validators, Terms: engine.Terms{From: s.From}}
	key, err := hex.DecodeString(s.Payee)
	if err == nil {
		_, err = btcec.ParsePubKey(key)
	}
	if err != nil || len(key) != len(g.Terms.Payee) {
		return nil, fmt.Errorf("app_state: payee %q is not a compressed public key of 66 hexadecimal digits", s.Payee)
	}
	copy(g.Terms.Payee[:], key)
	if err := checkValidators(g.Validators); err != nil {
		return nil, err
	}
	if s.From > 1 {
		if g.Terms.Tip, err = wire.ParseHash(s.Tip); err != nil {
			return nil, fmt.Errorf("app_state: tip: %w", err)
		}
	}
	return g, nil
}

// checkKeys rejects keys of validators on which CometBFT would panic, or that its errors would not name. All keys
// must be valid, because all nodes must have the same validators.
func checkKeys(content []byte) error {
	var doc map[string]json.RawMessage // with exact names, as CometBFT decodes it
	var all []map[string]json.RawMessage
	if json.Unmarshal(content, &doc) != nil || doc["validators"] == nil || json.Unmarshal(doc["validators"], &all) != nil {
		return nil // CometBFT returns the error
	}
	for i, v := range all {
		key, err := keyOf(v["pub_key"])
		if err != nil {
			return fmt.Errorf("validators[%d].pub_key must be {\"type\": %q, \"value\": \"...\"} with %d bytes in base64, got %s",
				i, ed25519.PubKeyName, ed25519.PubKeySize, text.Clip(cmp.Or(string(v["pub_key"]), "none"), 120))
		}
		if address := v["address"]; address != nil {
			if want := key.Address().String(); !strings.EqualFold(string(address), `"`+want+`"`) && string(address) != `""` {
				return fmt.Errorf("validators[%d].address must be empty or the address of its pub_key, %s, got %s", i, want, text.Clip(string(address), 60))
			}
		}
	}
	return nil
}

func keyOf(raw json.RawMessage) (ed25519.PubKey, error) {
	var given map[string]json.RawMessage
	var name string
	var key ed25519.PubKey
	err := errors.Join(json.Unmarshal(raw, &given), json.Unmarshal(given["type"], &name), json.Unmarshal(given["value"], (*[]byte)(&key)))
	if err == nil && (name != ed25519.PubKeyName || len(key) != ed25519.PubKeySize) {
		err = errors.New("another kind of key")
	}
	return key, err
}

// checkValidators rejects validators on which CometBFT would panic.
func checkValidators(all []types.GenesisValidator) error {
	if len(all) == 0 {
		return errors.New("validators is empty: at least one must make the blocks")
	}
	known, total := map[string]bool{}, int64(0)
	for i, v := range all {
		switch address := v.PubKey.Address().String(); {
		case known[address]:
			return fmt.Errorf("validators[%d] has the key of an earlier one, %s: each validator needs its own key", i, address)
		case v.Power < 1 || v.Power > types.MaxTotalVotingPower-total:
			return fmt.Errorf("validators[%d].power is %d: all together must have 1 to %d", i, v.Power, types.MaxTotalVotingPower)
		default:
			known[address] = true
			total += v.Power
		}
	}
	return nil
}

// Check rejects a genesis for another chain than that of the settings.
func (g *Genesis) Check(o params.Options) error {
	if field, differs := params.Diff(g.Options, o); differs {
		return fmt.Errorf("%w: chain.%s is %q there and %q in the settings", ErrGenesis, field, g.Options.Value(field), o.Value(field))
	}
	return nil
}

// Votes reports whether the node's key belongs to a validator.
func (g *Genesis) Votes(id Identity) bool {
	return slices.ContainsFunc(g.Validators, func(v types.GenesisValidator) bool { return v.PubKey.Equals(id.Validator.PubKey) })
}

// GenesisFile returns the path of the genesis in a folder of CometBFT.
func GenesisFile(home string) string { return filepath.Join(home, genesisFile) }

// begunKey is the key under which CometBFT stores the genesis of a node's first start (node/setup.go).
const begunKey = "genesisDoc"

// checkGenesis rejects a genesis file that differs from the genesis of the node's first start.
// CometBFT reads the file only once. It would ignore a change, and the node would not be on the
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

// differentField returns the name of the first field in which two documents differ. Formatting
// does not matter.
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
