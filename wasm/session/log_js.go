package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"obverse/core/config"
)

// Logger writes lines at and above a level. It removes secrets from them, as package logging
// does in a native node.
type Logger struct {
	write    func(level, line string)
	minLevel int // index of config.LogLevels
	hidden   *strings.Replacer
}

// shortest is the minimum length of a text that is treated as a secret.
const shortest = 4

// NewLogger returns a logger with a level. The secrets of the config are replaced in its lines.
func NewLogger(write func(level, line string), level string, secrets ...config.Secret) *Logger {
	var pairs []string
	for _, s := range secrets {
		text := s.Reveal()
		if len(text) < shortest {
			continue
		}
		pairs = append(pairs, text, s.String())
		quoted := strconv.Quote(text)
		pairs = append(pairs, quoted[1:len(quoted)-1], s.String())
	}
	return &Logger{write, slices.Index(config.LogLevels(), level), strings.NewReplacer(pairs...)}
}

// Error implements core.Logger.
func (l *Logger) Error(message string, pairs ...any) { l.log("error", message, pairs) }

// Warn implements core.Logger.
func (l *Logger) Warn(message string, pairs ...any) { l.log("warn", message, pairs) }

// Info implements core.Logger.
func (l *Logger) Info(message string, pairs ...any) { l.log("info", message, pairs) }

func (l *Logger) log(level, message string, pairs []any) {
	if slices.Index(config.LogLevels(), level) > l.minLevel {
		return
	}
	line := message
	for i := 0; i+1 < len(pairs); i += 2 {
		value := fmt.Sprint(pairs[i+1])
		if value == "" || strings.ContainsAny(value, " \"=\n") {
			value = strconv.Quote(value)
		}
		line += " " + fmt.Sprint(pairs[i]) + "=" + value
	}
	l.write(level, l.hidden.Replace(line))
}
