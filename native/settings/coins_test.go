package settings

import (
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// folder creates a config folder with a config that has the given keys and a password.
func folder(t *testing.T, keys string) Sources {
	t.Helper()
	src := from(t, map[string]string{})
	src.ConfigFile = write(t, filepath.Join(src.DataDir, "MM2.json"), `{"rpc_password":"`+password+`"`+keys+`}`)
	return src
}

// with adds an environment variable to the sources.
func (src Sources) with(name, value string) Sources {
	inner := src.Getenv
	src.Getenv = func(n string) string {
		if n == name {
			return value
		}
		return inner(n)
	}
	return src
}

func TestCoinsFile(t *testing.T) {
	elsewhere := write(t, filepath.Join(t.TempDir(), "list.json"), `[{"coin":"ELSEWHERE"}]`)
	for _, c := range []struct {
		name, keys, nextTo, variable, override string
		want                                   string
		file                                   string // relative to the folder of the config
	}{
		{name: "none"},
		{name: "next to the config", nextTo: `[{"coin":"NEXT"}]`, want: "NEXT", file: "coins"},
		{name: "named", keys: `,"coins":"sub/named"`, nextTo: `[]`, want: "NAMED", file: "sub/named"},
		{name: "absolute", keys: `,"coins":"` + elsewhere + `"`, nextTo: `[]`, want: "ELSEWHERE", file: elsewhere},
		{name: "inline", keys: `,"coins":[{"coin":"INLINE"}]`, nextTo: `[]`, variable: elsewhere, want: "INLINE"},
		{name: "inline and empty", keys: `,"coins":[]`, nextTo: `[{"coin":"NEXT"}]`, want: "[]"},
		{name: "variable", nextTo: `[]`, variable: elsewhere, want: "ELSEWHERE", file: elsewhere},
		{name: "config over variable", keys: `,"coins":"sub/named"`, variable: elsewhere, want: "NAMED", file: "sub/named"},
		{name: "command line over config", keys: `,"coins":"sub/named"`, override: elsewhere, want: "ELSEWHERE", file: elsewhere},
		{name: "empty path", keys: `,"coins":""`, nextTo: `[{"coin":"NEXT"}]`, want: "NEXT", file: "coins"},
		{name: "null", keys: `,"coins":null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := folder(t, c.keys).with(foreignCoinsEnv, c.variable)
			write(t, filepath.Join(src.DataDir, "sub", "named"), `[{"coin":"NAMED"}]`)
			if c.nextTo != "" {
				write(t, filepath.Join(src.DataDir, "coins"), c.nextTo)
			}
			if c.override != "" {
				src.Overrides = map[string]string{"coins": c.override}
			}
			s, err := Load(src, rand.Reader)
			require.NoError(t, err)
			if c.want == "" {
				require.Nil(t, s.Config.CoinList)
			}
			require.Contains(t, string(s.Config.CoinList), c.want)
			if c.file != "" && !filepath.IsAbs(c.file) {
				c.file = filepath.Join(src.DataDir, c.file)
			}
			require.Equal(t, c.file, s.CoinsFile)
		})
	}
}

// A path on the command line is relative to the working directory.
func TestCoinsOnTheCommandLine(t *testing.T) {
	src := folder(t, "")
	here := t.TempDir()
	t.Chdir(here)
	write(t, filepath.Join(here, "mine"), `[{"coin":"MINE"}]`)
	src.Overrides = map[string]string{"coins": "mine", "dbdir": "db"}
	src.DataDir = ""
	s, err := Load(src, rand.Reader)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(here, "mine"), s.CoinsFile)
	require.Equal(t, filepath.Join(here, "db"), s.DataDir)
}

func TestBadCoinsFiles(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, maxCoins+1))
	for name, c := range map[string]struct{ path, text, says string }{
		"missing":  {"no/such", "", "no/such"},
		"folder":   {".", "", "is a directory"},
		"no JSON":  {"bad", `[{"coin":}]`, "is invalid JSON: invalid character '}' looking for beginning of value at byte 10"},
		"cut":      {"bad", `[{"coin"`, "unexpected end of JSON input at byte 8"},
		"empty":    {"bad", ``, "is invalid JSON"},
		"an entry": {"bad", `{"coin":"X"}`, "must hold a list of coins, and holds a JSON object"},
		"large":    {large, "", "has more than 33554432 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			src := folder(t, `,"coins":"`+c.path+`"`)
			if c.path == "bad" {
				write(t, filepath.Join(src.DataDir, "bad"), c.text)
			}
			_, err := Load(src, rand.Reader)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "coins: ")
			require.ErrorContains(t, err, filepath.Base(filepath.Join(src.DataDir, c.path)))
			_, err = Read(src)
			require.NoError(t, err, "a client does without the list")
		})
	}
}

// A start without a config leaves no files behind if it fails because of its coins.
func TestBadCoinsWriteNoConfig(t *testing.T) {
	src := from(t, nil)
	src.DataDir = filepath.Join(src.DataDir, "new")
	src.Overrides = map[string]string{"coins": "/no/such/list"}
	_, err := Load(src, rand.Reader)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoDirExists(t, src.DataDir)
}

// A folder of Komodo DeFi Framework works unchanged, from any working directory.
func TestForeignFolder(t *testing.T) {
	src := folder(t, `,"dbdir":"DB","gui":"theirs"`)
	list := `[{"coin":"IRIS"}]`
	write(t, filepath.Join(src.DataDir, "coins"), list)
	named := Sources{Getenv: src.with(foreignConfigEnv, src.ConfigFile).Getenv}
	s, err := Load(named, rand.Reader)
	require.NoError(t, err)
	require.Equal(t, "theirs", s.Config.GUI)
	require.Equal(t, src.ConfigFile, s.ConfigFile)
	require.Equal(t, filepath.Join(src.DataDir, "DB"), s.DataDir)
	require.Equal(t, json.RawMessage(list), s.Config.CoinList)
	require.Empty(t, s.Warnings)
}

func TestForeignConfigVariable(t *testing.T) {
	theirs := folder(t, `,"gui":"theirs"`).ConfigFile
	ours := folder(t, `,"gui":"ours"`)
	write(t, filepath.Join(ours.DataDir, FileName), `{"rpc_password":"`+password+`","gui":"folder"}`)
	for name, c := range map[string]struct {
		src   Sources
		gui   string
		warns bool
	}{
		"--config":  {Sources{ConfigFile: ours.ConfigFile, Getenv: ours.Getenv}, "ours", true},
		"--datadir": {Sources{DataDir: ours.DataDir, Getenv: ours.Getenv}, "folder", true},
		"variable":  {Sources{Getenv: ours.with(DataDirEnv, ours.DataDir).Getenv}, "folder", true},
		"nothing":   {Sources{Getenv: ours.Getenv}, "theirs", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Load(c.src.with(foreignConfigEnv, theirs), rand.Reader)
			require.NoError(t, err)
			require.Equal(t, c.gui, s.Config.GUI)
			require.Equal(t, c.warns, strings.Contains(strings.Join(s.Warnings, "\n"), "MM_CONF_PATH is not looked at: the config file is "+s.ConfigFile))
		})
	}
	missing := Sources{Getenv: ours.with(foreignConfigEnv, theirs+"x").Getenv}
	_, err := Load(missing, rand.Reader)
	require.ErrorIs(t, err, ErrNoConfig)
	require.NoFileExists(t, theirs+"x", "it is not ours to make")
}
