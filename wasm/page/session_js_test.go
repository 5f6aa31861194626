package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store/bunt"
	"obverse/wasm/session"
)

func (p *program) count() string {
	_, body := p.reply(p.daemon(args(`{"method":"getblockcount","params":[]}`)))
	return body
}

// mine makes a block by sending a payment.
func (p *program) mine() {
	status, body := p.reply(p.daemon(args(`{"method":"generate","params":[1]}`)))
	require.Equal(p.t, 200, status, body)
}

func export(t *testing.T, p *program) []byte {
	data, err := p.export(nil)
	require.NoError(t, err)
	return data.([]byte)
}

func TestExportAndImport(t *testing.T) {
	from := run(t, nil)
	from.mine()
	data := export(t, from)
	require.Contains(t, from.count(), `"result":2`)

	into := run(t, nil)
	require.Contains(t, into.count(), `"result":1`)
	_, err := into.load(args(data))
	require.NoError(t, err)
	require.Contains(t, into.count(), `"result":2`)
	into.mine()
	require.Contains(t, into.count(), `"result":3`, "it works on")
	_, err = os.Stat(into.path + ".import")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, into.session.DB.Shrink(t.Context()), "under its own name")

	_, err = into.stop(nil)
	require.NoError(t, err)
	again := load(t)
	again.path = into.path
	require.NoError(t, again.begin(configOf(t, nil)))
	require.Contains(t, again.count(), `"result":3`, "it lasts")
	_, err = again.stop(nil)
	require.NoError(t, err)
}

// TestImportOfRubbish checks that the node keeps working after the import of invalid data.
func TestImportOfRubbish(t *testing.T) {
	p := run(t, nil)
	whole := export(t, p)
	for name, c := range map[string]struct {
		data []byte
		text string
	}{
		"nothing":         {nil, "not a whole export"},
		"cut off":         {whole[:len(whole)-1], "corrupt store file"},
		"something added": {append(whole[:len(whole):len(whole)], "*3\r\n"...), "not a whole export"},
		"a bit flipped":   {flipped(whole, len(whole)-70), "acknowledged changes are damaged"},
		"no store":        {[]byte("hello"), "corrupt store file"},
		"damaged":         {append([]byte("*9"), whole[2:]...), "corrupt store file"},
		"another chain":   {export(t, run(t, map[string]any{"chain": map[string]any{"ac_name": "OTHER"}})), "holds another chain"},
		"another's chain": {export(t, run(t, map[string]any{"passphrase": "another one"})), "blocks are made by"},
	} {
		t.Run(name, func(t *testing.T) {
			p.mine()
			before := p.count()
			_, err := p.load(args(c.data))
			requireKind(t, session.ImportError, err)
			require.ErrorContains(t, err, c.text)
			require.Equal(t, before, p.count())
			left, err := filepath.Glob(p.path + ".*")
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func flipped(data []byte, at int) []byte {
	data = append([]byte(nil), data...)
	data[at] ^= 1
	return data
}

func TestStoreThatCannotBeOpened(t *testing.T) {
	p := load(t)
	require.NoError(t, os.WriteFile(p.path, []byte("hello"), 0o600))
	requireKind(t, session.StoreError, p.begin(configOf(t, nil)))
	p.path = t.TempDir() + "/none/obverse.db"
	requireKind(t, session.StoreError, p.begin(configOf(t, nil)))
}

func TestTruncatedWriteIsReported(t *testing.T) {
	p := load(t)
	require.NoError(t, p.begin(configOf(t, nil)))
	_, err := p.stop(nil)
	require.NoError(t, err)
	data, err := os.ReadFile(p.path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(p.path, append(data, "*3\r\n$3\r\nse"...), 0o600))
	again := load(t)
	again.path = p.path
	require.NoError(t, again.begin(configOf(t, nil)))
	require.Contains(t, again.json(), "never acknowledged byte=")
	require.Contains(t, again.json(), "bytes=10")
	_, err = again.stop(nil)
	require.NoError(t, err)
}

// TestMedium checks that the store knows whether syncs of the host are transactions.
func TestMedium(t *testing.T) {
	p := load(t)
	require.Equal(t, bunt.Files, p.host.medium())
	require.NoError(t, p.host.object.Set("transactions", true))
	require.Equal(t, bunt.Transactions, p.host.medium())
	require.NoError(t, p.begin(configOf(t, nil)))
	p.mine()
	_, err := p.stop(nil)
	require.NoError(t, err)
	again := load(t)
	again.path = p.path
	require.NoError(t, again.begin(configOf(t, nil)))
	require.Contains(t, again.count(), `"result":2`)
	_, err = again.stop(nil)
	require.NoError(t, err)
}

// TestTryMakesNoStore checks that a missing or empty file is an error. It would be opened as a new
// store, which would replace the existing one.
func TestTryMakesNoStore(t *testing.T) {
	p := run(t, nil)
	p.mine()
	before := p.count()
	path := p.path + ".import"
	requireKind(t, session.ImportError, p.settings.Try(t.Context(), path, false))
	require.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	requireKind(t, session.ImportError, p.settings.Try(t.Context(), path, false))
	require.NoFileExists(t, path)
	require.Equal(t, before, p.count())
}

// TestImportOfAnotherNode checks that the chain is imported, but not the data of the other node.
func TestImportOfAnotherNode(t *testing.T) {
	const id = "get_my_peer_id"
	ask := func(p *program) string {
		_, body := p.reply(p.rpc(args(`{"userpass":"` + password + `","mmrpc":"2.0","method":"` + id + `"}`)))
		require.Contains(t, body, "12D3")
		return body
	}
	from, original := run(t, map[string]any{"passphrase": ""}), run(t, nil)
	data, other := export(t, from), ask(from)

	into := run(t, nil)
	_, err := into.load(args(data))
	require.NoError(t, err)
	require.NotEqual(t, other, ask(into))
	_, err = into.load(args(data, map[string]any{"all": true}))
	require.NoError(t, err)
	require.Equal(t, other, ask(into))
	_, err = into.load(args(export(t, original)))
	require.NoError(t, err)
	require.Equal(t, ask(original), ask(into), "an export of its own key is taken whole")
}
