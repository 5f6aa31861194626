package cometbft

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"obverse/core/text"

	"github.com/cometbft/cometbft/libs/log"
)

// logger gives CometBFT's lines to the node's log. Its own "info" has several lines for each
// block, so they are lines for those who look for a fault.
type logger struct {
	to       *slog.Logger
	failed   func(error)
	stopping *atomic.Bool // while CometBFT stops, it reports each closed connection as an error
}

var _ log.Logger = logger{}

func (l logger) Debug(string, ...any) {}

func (l logger) Info(msg string, pairs ...any) { l.write(slog.LevelDebug, msg, pairs) }

// consensusFailure is the log line of a failed consensus. The process would stay.
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

// maxText limits the length of a value in the log: some values are whole blocks.
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
