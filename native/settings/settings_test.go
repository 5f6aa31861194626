package settings

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
)

const password = "Ent3r_Un1Qu3-X"

// from returns sources with a new data folder and the given environment variables.
func from(t *testing.T, variables map[string]string) Sources {
	t.Helper()
	return Sources{DataDir: t.TempDir(), Getenv: func(name string) string { return variables[name] }}
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestMissingConfigIsWritten(t *testing.T) {
	src := from(t, nil)
	src.DataDir = filepath.Join(src.DataDir, "deep", "folder")
	s, err := Load(src, rand.Reader)
	require.NoError(t, err)
	require.True(t, s.IsNew())
	require.NoDirExists(t, src.DataDir, "Load writes nothing")
	require.NoError(t, s.Save())
	require.Empty(t, s.Warnings)
	require.NoError(t, s.Config.Validate())
	require.NoError(t, config.CheckPassword(s.Config.RPCPassword.Reveal()))
	require.NoError(t, config.CheckPassword(s.Config.Daemon.RPCPassword.Reveal()))
	info, err := os.Stat(filepath.Join(src.DataDir, FileName))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	folder, err := os.Stat(src.DataDir)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), folder.Mode().Perm())

	again, err := Load(src, rand.Reader)
	require.NoError(t, err)
	require.False(t, again.IsNew())

	half := filepath.Join(filepath.Dir(again.ConfigFile), "."+FileName+".1234.half")
	hidden := filepath.Join(filepath.Dir(again.ConfigFile), "."+FileName+".bak")
	require.NoError(t, os.WriteFile(hidden, []byte("a person's copy, perhaps the only one with the passphrase"), 0o600))
	require.NoError(t, os.WriteFile(half, []byte("secrets of a Save that was killed"), 0o600))
	require.NoError(t, again.Save())
	require.NoFileExists(t, half)
	require.FileExists(t, hidden)
	require.Equal(t, s.Config, again.Config)
}

func TestARefusedStartLeavesNothing(t *testing.T) {
	for key, value := range map[string]string{"nosuch": "1", "rpcport": "80", "chain.ac_staked": "50"} {
		src := from(t, nil)
		src.DataDir = filepath.Join(src.DataDir, "new")
		src.Overrides = map[string]string{key: value}
		_, err := Load(src, rand.Reader)
		require.ErrorContains(t, err, strings.TrimPrefix(key, "chain."))
		require.NoDirExists(t, src.DataDir)
	}
}

// If many processes save at once, one of them writes the config.
func TestManySaves(t *testing.T) {
	src := from(t, nil)
	const many = 16
	saved, all := make(chan *Settings, many), make([]*Settings, many)
	for n := range all {
		s, err := Load(src, rand.Reader)
		require.NoError(t, err)
		all[n] = s
	}
	for _, s := range all {
		go func() {
			if s.Save() != nil {
				s = nil
			}
			saved <- s
		}()
	}
	written := 0
	for range many {
		if s := <-saved; s != nil {
			again, err := Read(src)
			require.NoError(t, err)
			require.Equal(t, again.Config, s.Config)
			written++
		}
	}
	require.LessOrEqual(t, written, 1)
	files, err := os.ReadDir(src.DataDir)
	require.NoError(t, err)
	require.Len(t, files, written)
}

func TestConfigThatCannotBeWritten(t *testing.T) {
	src := from(t, nil)
	src.DataDir = filepath.Join(src.DataDir, "disk")
	require.NoError(t, os.Symlink("not mounted", src.DataDir))
	s, err := Load(src, rand.Reader)
	require.NoError(t, err)
	require.ErrorContains(t, s.Save(), src.DataDir)

	src = from(t, nil)
	write(t, filepath.Join(src.DataDir, "file"), "")
	src.DataDir = filepath.Join(src.DataDir, "disk")
	s, err = Load(src, rand.Reader)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(src.DataDir, nil, 0o600))
	require.ErrorIs(t, s.Save(), ErrNotWritten)

	src = from(t, nil)
	require.NoError(t, os.Symlink("not there", filepath.Join(src.DataDir, FileName)))
	_, err = Load(src, rand.Reader)
	require.ErrorContains(t, err, "a symbolic link to a file that does not exist")
}

func TestInitLeavesAFileAlone(t *testing.T) {
	src := from(t, nil)
	s, err := Init(src, rand.Reader)
	require.NoError(t, err)
	late, err := Init(src, rand.Reader)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(src.DataDir, FileName), s.ConfigFile)
	require.NoError(t, s.Save())
	require.NoError(t, s.Save(), "a second time changes nothing")
	before, err := os.ReadFile(s.ConfigFile)
	require.NoError(t, err)
	_, err = Init(src, rand.Reader)
	require.ErrorIs(t, err, ErrExists)
	require.ErrorIs(t, late.Save(), ErrExists)
	after, err := os.ReadFile(s.ConfigFile)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestSecretsOfTheEnvironmentStayOutOfTheFile(t *testing.T) {
	src := from(t, map[string]string{"OBVERSE_PASSPHRASE": "bob passphrase"})
	s, err := Load(src, rand.Reader)
	require.NoError(t, err)
	require.Equal(t, "bob passphrase", s.Config.Passphrase.Reveal())
	require.True(t, s.HasGivenKey())
	require.NoError(t, s.Save())
	text, err := os.ReadFile(s.ConfigFile)
	require.NoError(t, err)
	require.Contains(t, string(text), `"passphrase": ""`)
}

func TestLaterSourcesWin(t *testing.T) {
	src := from(t, nil)
	write(t, filepath.Join(src.DataDir, FileName), `{"gui":"file","rpcport":1111,"rpc_password":"`+password+`",
		"daemon":{"rpcport":2222,"rpcuser":"file","rpcpassword":"file"}}`)
	src.ConfFile = write(t, filepath.Join(src.DataDir, "TOKTEST.conf"), "rpcuser=conf\nrpcpassword=conf\nrpcport=3333\n")
	src.Overrides = map[string]string{"daemon.rpcport": "4444"}
	src.Getenv = func(name string) string {
		return map[string]string{"OBVERSE_DAEMON_RPCPASSWORD": "environment"}[name]
	}
	s, err := Load(src, rand.Reader)
	require.NoError(t, err)
	require.Equal(t, 7783, config.Default().RPCPort)
	require.Equal(t, 1111, s.Config.RPCPort, "file over default")
	require.Equal(t, "conf", s.Config.Daemon.RPCUser, "conf over file")
	require.Equal(t, "environment", s.Config.Daemon.RPCPassword.Reveal(), "environment over conf")
	require.Equal(t, 4444, s.Config.Daemon.RPCPort, "command line over conf")
}

func TestDataFolder(t *testing.T) {
	home, flag, variable, dbdir := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	config := write(t, filepath.Join(t.TempDir(), "c.json"), `{"dbdir":"`+dbdir+`","rpc_password":"`+password+`"}`)
	for _, c := range []struct {
		name, flag, variable, config, want, wantConfig string
	}{
		{"option", flag, variable, config, flag, config},
		{"variable", "", variable, config, variable, config},
		{"config", "", "", config, dbdir, config},
		{"home", "", "", "", filepath.Join(home, ".obverse"), filepath.Join(home, ".obverse", FileName)},
		{"config in the variable's folder", "", variable, "", variable, filepath.Join(variable, FileName)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Load(Sources{DataDir: c.flag, ConfigFile: c.config, Getenv: func(name string) string {
				if name == DataDirEnv {
					return c.variable
				}
				return ""
			}}, rand.Reader)
			require.NoError(t, err)
			require.Equal(t, c.want, s.DataDir)
			require.Equal(t, c.wantConfig, s.ConfigFile)
		})
	}
}

func TestNoHomeFolder(t *testing.T) {
	t.Setenv("HOME", "")
	_, err := Read(Sources{Getenv: func(string) string { return "" }})
	require.ErrorContains(t, err, "--datadir or OBVERSE_DATADIR")
}

func TestSecretsOfTheEnvironment(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "secret"), "from the file\r\n")
	empty := write(t, filepath.Join(t.TempDir(), "empty"), "\n")
	for _, c := range []struct {
		name      string
		variables map[string]string
		want      map[string]string
		err       string
	}{
		{"none", nil, map[string]string{}, ""},
		{"values", map[string]string{"OBVERSE_RPC_PASSWORD": "a", "OBVERSE_PASSPHRASE": " b ", "OBVERSE_DAEMON_RPCPASSWORD": "c"},
			map[string]string{"rpc_password": "a", "passphrase": " b ", "daemon.rpcpassword": "c"}, ""},
		{"file", map[string]string{"OBVERSE_PASSPHRASE_FILE": file}, map[string]string{"passphrase": "from the file"}, ""},
		{"both", map[string]string{"OBVERSE_PASSPHRASE_FILE": file, "OBVERSE_PASSPHRASE": "b"}, nil, "are both set"},
		{"empty file", map[string]string{"OBVERSE_RPC_PASSWORD_FILE": empty}, nil, "is empty"},
		{"no file", map[string]string{"OBVERSE_RPC_PASSWORD_FILE": file + "x"}, nil, "OBVERSE_RPC_PASSWORD_FILE: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := from(t, c.variables).secrets(new(Settings))
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				require.NotContains(t, err.Error(), "from the file")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	variables := map[string]string{}
	for _, key := range config.SecretKeys() {
		variables[key.Env()] = "given " + key.Name
	}
	got, err := from(t, variables).secrets(new(Settings))
	require.NoError(t, err)
	require.Len(t, got, len(config.SecretKeys()), "each can be given outside the config")
	require.Equal(t, "given passphrase", got["passphrase"])
}

func TestConfFile(t *testing.T) {
	src := from(t, nil)
	src.ConfFile = write(t, filepath.Join(src.DataDir, "X.conf"), strings.Join([]string{
		"# made by komodod", "", " rpcuser = user1 ", "rpcpassword=pass # comment", "rpcpassword=second",
		"rpcport=9000", "rpcbind=0.0.0.0", "server=1", "txindex=1", "nosuch=1", "addnode=1.2.3.4", "no equals sign", "=7",
		"ac_name=TOKTEST", "ac_cc=2", "regtest=1",
		"pubkey=021d580113c3261f07156f1b82c339d4e1145a5ff479115e64903ff994a229ab75",
	}, "\r\n"))
	s, err := Read(src)
	require.NoError(t, err, "the conf file of a daemon is enough for a client")
	d := s.Config.Daemon
	require.Equal(t, "user1", d.RPCUser)
	require.Equal(t, "pass", d.RPCPassword.Reveal())
	require.Equal(t, 9000, d.RPCPort)
	require.Equal(t, "0.0.0.0", d.RPCIP)
	require.Equal(t, "021d580113c3261f07156f1b82c339d4e1145a5ff479115e64903ff994a229ab75", d.PubKey)
	require.Equal(t, "TOKTEST", s.Config.Chain.Options.Name)
	require.True(t, s.Config.Chain.Options.Regtest)
	require.Equal(t, []string{
		src.ConfFile + ": addnode has no effect: one node makes all blocks of its chain and has no peers",
		src.ConfFile + ": unknown options, which have no effect: nosuch",
	}, s.Warnings[:2])
}

func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ name, config, conf, says string }{
		{"config key", `{"rpcport":"x","rpc_password":"sEcret-7"}`, "", `rpcport must be`},
		{"config is no object", `[]`, "", "must be a JSON object"},
		{"conf file as config", "# mine\nrpcuser=u\nrpcpassword=sEcret-7\n", "", "looks like a komodod conf file, which --conf takes"},
		{"object with =", "{\"gui\":\n\"a=b\"", "", "must be a JSON object"},
		{"conf value", `{}`, "rpcport=x\nrpcpassword=sEcret-7", "X.conf:1: daemon.rpcport must be"},
		{"line", "{\n \"rpcport\":\"x\",\"rpc_password\":\"sEcret-7\"}", "", "obverse.json:2:12: rpcport must be"},
		{"conf option", `{}`, "ac_foo=1", "chain.ac_foo is not a key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := from(t, nil)
			path := write(t, filepath.Join(src.DataDir, FileName), c.config)
			if c.conf != "" {
				src.ConfFile = write(t, filepath.Join(src.DataDir, "X.conf"), c.conf)
				path = src.ConfFile
			}
			_, err := Load(src, rand.Reader)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, path)
			require.NotContains(t, err.Error(), "sEcret")
		})
	}
	src := from(t, nil)
	src.ConfFile = "/no/such.conf"
	_, err := Load(src, rand.Reader)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Load(from(t, nil), strings.NewReader(""))
	require.ErrorIs(t, err, config.ErrNoRandom)
}

func TestReadWritesNothing(t *testing.T) {
	src := from(t, nil)
	_, err := Read(src)
	require.ErrorIs(t, err, ErrNoConfig)
	_, err = os.Stat(filepath.Join(src.DataDir, FileName))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestWarnings(t *testing.T) {
	src := from(t, nil)
	path := write(t, filepath.Join(src.DataDir, FileName), `{"rpc_password":"`+password+`","seednodes":[],"wallet_password":"`+password+`",
		"chain":{"ac_foo":1},"event_streaming_configuration":{"access_control_allow_origin":"*"}}`)
	require.NoError(t, os.Chmod(path, 0o644))
	s, err := Load(src, rand.Reader)
	require.NoError(t, err)
	require.Len(t, s.Warnings, 4, s.Warnings)
	require.Equal(t, path+": keys of Komodo DeFi Framework that have no effect here: seednodes", s.Warnings[0])
	require.Equal(t, path+": unknown keys, which have no effect: chain.ac_foo", s.Warnings[1])
	require.Contains(t, s.Warnings[2], "other users may read it")
	require.Contains(t, s.Warnings[3], `"*" is taken as none`)
	require.NotContains(t, strings.Join(s.Warnings, ""), password)
}

func FuzzParseConf(f *testing.F) {
	f.Add("a=b\n#c\na=d")
	f.Fuzz(func(t *testing.T, text string) {
		for name, found := range parseConf(text) {
			require.NotEmpty(t, name)
			require.Equal(t, strings.TrimSpace(found.value), found.value)
			require.NotContains(t, name+found.value, "#")
			require.Positive(t, found.line)
		}
	})
}

// A file with secrets is reported if others can change or replace it.
func TestFilesOfOthers(t *testing.T) {
	for _, c := range []struct {
		file, folder os.FileMode
		says         string
	}{
		{0o600, 0o700, ""},
		{0o600, 0o777 | os.ModeSticky, ""},
		{0o640, 0o700, "other users may read it"},
		{0o620, 0o700, "other users may write to it"},
		{0o600, 0o777, "is in a folder that every user may write to"},
	} {
		src := from(t, nil)
		src.ConfFile = write(t, filepath.Join(t.TempDir(), "conf", "X.conf"), "rpcuser=me\n")
		require.NoError(t, os.Chmod(src.ConfFile, c.file))
		require.NoError(t, os.Chmod(filepath.Dir(src.ConfFile), c.folder))
		s, err := Read(src)
		require.NoError(t, err)
		if c.says == "" {
			require.Empty(t, s.Warnings)
			continue
		}
		require.Len(t, s.Warnings, 1)
		require.Contains(t, s.Warnings[0], c.says)
	}
}

func TestErrorsNameTheirOrigin(t *testing.T) {
	src := from(t, map[string]string{"OBVERSE_RPC_PASSWORD": "Sh0rt-x"})
	write(t, filepath.Join(src.DataDir, FileName), `{"netid":1}`)
	s, err := Load(src, rand.Reader)
	require.NoError(t, err)
	require.ErrorContains(t, s.Validate(src), "OBVERSE_RPC_PASSWORD: rpc_password is too weak")
	src = from(t, nil)
	path := write(t, filepath.Join(src.DataDir, FileName), `{"netid":1}`)
	s, err = Load(src, rand.Reader)
	require.NoError(t, err)
	require.ErrorContains(t, s.Validate(src), path+": rpc_password must be a text that is not empty")
	src.Overrides = map[string]string{"rpcport": "1"}
	s, err = Load(src, rand.Reader)
	require.NoError(t, err)
	require.ErrorContains(t, s.Validate(src), "command line: rpcport must be")
	src.Overrides, src.ConfFile = nil, write(t, filepath.Join(src.DataDir, "X.conf"), "\nrpcport=1\n")
	write(t, path, `{"rpc_password":"`+password+`"}`)
	s, err = Load(src, rand.Reader)
	require.NoError(t, err)
	require.ErrorContains(t, s.Validate(src), "X.conf:2: daemon.rpcport must be")
}
