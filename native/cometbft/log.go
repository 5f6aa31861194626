package cometbft

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/libs/log"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"obverse/core/text"
)

// logger writes CometBFT's log lines to the node's log. CometBFT writes several lines at level info for each
// block, so they get level debug.
type logger struct {
	to       *slog.Logger
	failed   func(error)
	stopping *atomic.Bool // while CometBFT stops, it reports each closed connection as an error
}

var _ log.Logger = logger{}

func (l logger) Debug(string, ...any) {}

func (l logger) Info(msg string, pairs ...any) { l.write(slog.LevelDebug, msg, pairs) }

// consensusFailure is CometBFT's log line for a failed consensus, after which the process would continue without it.
const consensusFailure = "CONSENSUS FAILURE!!!"

func (l logger) Error(msg string, pairs ...any) {
	if msg == consensusFailure {
		l.failed(fmt.Errorf("CometBFT stopped: %v", pairs[1]))
		return
	}
	level := slog.LevelWarn
	if l.stopping.Load() {
		level = slog.LevelDebug
	}
	l.write(level, msg, pairs)
}

func (l logger) With(pairs ...any) log.Logger {
	return logger{l.to.With(texts(pairs)...), l.failed, l.stopping}
}

func (l logger) write(level slog.Level, msg string, pairs []any) {
	if l.to.Enabled(context.Background(), level) {
		l.to.Log(context.Background(), level, "CometBFT: "+msg, texts(pairs)...)
	}
}

// maxText limits the length of a value in the log, because some values are whole blocks.
const maxText = 300

func texts(pairs []any) []any {
	out := make([]any, len(pairs))
	for i, v := range pairs {
		if i%2 == 0 {
			out[i] = fmt.Sprint(v)
			continue
		}
		value := ""
		switch v := v.(type) {
		case []byte:
			value = hex.EncodeToString(v)
		default:
			value = strings.Join(strings.Fields(fmt.Sprint(v)), " ")
		}
		out[i] = text.Truncate(value, maxText)
	}
	return out
}

// unfit is the advice for a store and CometBFT's data that do not match.
const unfit = "if its data and the node's store do not fit together, restore both from one backup, or join again: " +
	"delete obverse.db and all of cometbft/data but priv_validator_state.json"

// errFile means that a file other than CometBFT's data is damaged.
var errFile = errors.New("damaged file")

// explain adds advice to the reason why CometBFT does not start. The advice is about CometBFT's data,
// unless the error is about a setting or another file.
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

// named adds the name of the setting to an error about an address that cannot be used.
func named(err error) error {
	if setting := listener(err); setting != "" {
		return fmt.Errorf("%s: %w", setting, err)
	}
	return err
}

// listener returns the setting with the address that cannot be used; "" for other errors.
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

// checkAddressBook rejects a damaged list of peers, on which CometBFT would panic.
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

// Figures returns CometBFT's metrics about heights, rounds, peers and its mempool. CometBFT collects them
// in Prometheus' default registry, whose other metrics the node collects itself.
func Figures() prometheus.Gatherer {
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		families, err := prometheus.DefaultGatherer.Gather()
		return slices.DeleteFunc(families, func(f *dto.MetricFamily) bool { return !strings.HasPrefix(f.GetName(), "cometbft_") }), err
	})
}
