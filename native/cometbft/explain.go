package cometbft

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"

	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
)

// unfit says what can be done about data of different moments.
const unfit = "if its data and the node's store do not fit together, restore both from one backup, or join again: " +
	"delete obverse.db and all of cometbft/data but priv_validator_state.json"

// errFile says that a file other than CometBFT's data is to blame.
var errFile = errors.New("damaged file")

// explain says what an operator can do about why CometBFT does not start. Its data are to blame
// unless the error is one of a setting or of a file.
func (s *Settings) explain(err error) error {
	var lookup p2p.ErrNetAddressLookup
	var invalid p2p.ErrNetAddressInvalid
	setting := listener(err)
	switch {
	case setting != "":
	case errors.As(err, &lookup), errors.As(err, &invalid):
		setting = "validator.listen, validator.external_address or validator.peers"
	case errors.Is(err, privval.ErrConnectionTimeout):
		setting = "validator.signer: no signer has connected"
	case errors.Is(err, ErrGenesis), errors.Is(err, errFile):
		return fmt.Errorf("start CometBFT: %w", err)
	default:
		return fmt.Errorf("start CometBFT on %s: %w; %s", s.Home, err, unfit)
	}
	return fmt.Errorf("start CometBFT: %s: %w", setting, err)
}

// named is an error with the setting whose address cannot be listened on.
func named(err error) error {
	if setting := listener(err); setting != "" {
		return fmt.Errorf("%s: %w", setting, err)
	}
	return err
}

// listener is the setting whose address cannot be listened on; "" if the error is another one.
func listener(err error) string {
	var operation *net.OpError
	switch {
	case !errors.As(err, &operation) || operation.Op != "listen":
		return ""
	case strings.Contains(err.Error(), "private validator"): // node/setup.go
		return "validator.signer"
	}
	return "validator.listen"
}

// checkAddressBook refuses a list of peers that is damaged, on which CometBFT would panic.
func checkAddressBook(config *cfg.Config) error {
	path := config.P2P.AddrBookFile()
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !json.Valid(content) {
		err = fmt.Errorf("%w: %s is not valid JSON: delete it, CometBFT collects the addresses of other nodes again", errFile, path)
	}
	return err
}
