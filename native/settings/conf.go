package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"obverse/core/config"
)

// confLine is an option of a conf file.
type confLine struct {
	value string
	line  int
}

// readConf takes a komodod conf file over what the config has.
func (s *Settings) readConf(path string) error {
	if path == "" {
		return nil
	}
	data, err := s.readNear(&path)
	if err != nil {
		return err
	}
	values := map[string]string{}
	s.confFile, s.confLines = path, map[string]int{}
	var unknown []string
	conf := parseConf(string(data))
	for _, name := range slices.Sorted(maps.Keys(conf)) {
		option, known := Komodod(name, conf[name].value)
		if !known {
			unknown = append(unknown, name)
		}
		if known && option.Warning != "" {
			s.Warnings = append(s.Warnings, path+": "+option.Warning)
		}
		for key, value := range option.Set {
			values[key], s.confLines[key] = value, conf[name].line
		}
	}
	if len(unknown) > 0 {
		s.Warnings = append(s.Warnings, path+": unknown options, which have no effect: "+strings.Join(unknown, ", "))
	}
	s.warnOfMode(path)
	if err := s.Config.Override(values); err != nil {
		return s.inConf(err)
	}
	return nil
}

// looksLikeConf reports whether a text is no JSON object and sets an option of komodod.
func looksLikeConf(text []byte) bool {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return false
	}
	for name, line := range parseConf(string(text)) {
		if _, known := Komodod(name, line.value); known {
			return true
		}
	}
	return false
}

// readNear reads a conf file; komodod looks for one in the data folder.
func (s *Settings) readNear(path *string) ([]byte, error) {
	data, err := readFile(*path)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(*path) && s.DataDir != "" {
		near := filepath.Join(s.DataDir, *path)
		if data, err := readFile(near); err == nil {
			*path = near
			return data, nil
		}
	}
	return data, err
}

// inConf gives an error the line of the conf file where its key is set.
func (s *Settings) inConf(err error) error {
	bad := new(config.Error)
	if errors.As(err, &bad) && s.confLines[bad.Key] > 0 {
		return fmt.Errorf("%s:%d: %w", s.confFile, s.confLines[bad.Key], err)
	}
	return fmt.Errorf("%s: %w", s.confFile, err)
}

// parseConf reads name=value lines as komodod does: # begins a comment wherever it
// stands, and the first of several values counts.
func parseConf(text string) map[string]confLine {
	values, number := map[string]confLine{}, 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if _, seen := values[name]; ok && name != "" && !seen {
			values[name] = confLine{strings.TrimSpace(value), number}
		}
	}
	return values
}
