package e2e

import (
	"bytes"
	"crypto/pbkdf2"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
)

// record stores all visible output of a run: the output of the process, and its HTTP responses with
// headers.
type record struct {
	mu       sync.Mutex
	said     bytes.Buffer
	answered bytes.Buffer
	secrets  map[string]string // secrets of this run, by name
	tickets  map[string]string // tickets, which may appear only in the response that contains them
}

// suite contains the records of all runs.
var suite struct {
	mu   sync.Mutex
	runs []*record
}

// newRecord returns a record, which is also searched at the end of the suite.
func newRecord() *record {
	r := &record{secrets: map[string]string{}, tickets: map[string]string{}}
	suite.mu.Lock()
	defer suite.mu.Unlock()
	suite.runs = append(suite.runs, r)
	return r
}

// say adds complete lines, so that the lines of two streams are not mixed.
func (r *record) say(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said.Write(p)
}

// answer adds a complete response.
func (r *record) answer(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answered.Write(append(p, '\n'))
}

// hide adds secrets that must not appear in the output.
func (r *record) hide(secrets map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.secrets, secrets)
}

// hideTicket adds a secret that the node has sent to its client. It must not appear in the log.
func (r *record) hideTicket(ticket string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tickets[fmt.Sprintf("ticket %d", len(r.tickets))] = ticket
}

// signs are texts in the output that indicate a crash or a recovered panic. They are searched one
// by one, because a single regular expression is many times slower on the megabytes of output of a
// run.
var signs = []string{"WARNING: DATA RACE", "panic: ", "from a panic", "goroutine ",
	"panics_total 1", "panics_total 2", "panics_total 3", "panics_total 4", "panics_total 5",
	"panics_total 6", "panics_total 7", "panics_total 8", "panics_total 9"}

// problems returns the forbidden texts in the record, in a fixed order.
func (r *record) problems() (found []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, part := range []struct {
		where string
		text  []byte
		not   []map[string]string
	}{
		{"what the node writes", r.said.Bytes(), []map[string]string{r.secrets, r.tickets}},
		{"what the node answers", r.answered.Bytes(), []map[string]string{r.secrets}},
	} {
		for _, secrets := range part.not {
			for _, name := range slices.Sorted(maps.Keys(secrets)) {
				if bytes.Contains(part.text, []byte(secrets[name])) {
					found = append(found, part.where+" has the "+name)
				}
			}
		}
		for _, sign := range signs {
			if at := bytes.Index(part.text, []byte(sign)); at >= 0 {
				found = append(found, fmt.Sprintf("%s: %.2000s", part.where, part.text[at:]))
			}
		}
	}
	return found
}

// requireClean searches the record for secrets and for signs of crashes.
func (r *record) requireClean(t testing.TB) {
	t.Helper()
	require.NotZero(t, r.size(), "nothing was recorded")
	require.Empty(t, r.problems())
}

func (r *record) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said.Len() + r.answered.Len()
}

// searchSuite searches all runs again after the last one has ended.
func searchSuite() error {
	suite.mu.Lock()
	defer suite.mu.Unlock()
	size := 0
	for _, r := range suite.runs {
		size += r.size()
		if found := r.problems(); len(found) > 0 {
			return fmt.Errorf("after the tests: %q", found)
		}
	}
	if len(suite.runs) > 0 && size == 0 {
		return fmt.Errorf("%d runs were not recorded", len(suite.runs))
	}
	fmt.Printf("searched %d bytes of %d runs for secrets\n", size, len(suite.runs))
	return nil
}

// recorded is a transport that adds every response to a record when it has been read or closed.
type recorded struct {
	*http.Transport
	seen *record
}

func (t recorded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.Transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body := &recordedBody{ReadCloser: response.Body, seen: t.seen}
	fmt.Fprintf(&body.text, "%s\n", response.Status)
	if err := response.Header.Write(&body.text); err != nil {
		return nil, err
	}
	response.Body = body
	return response, nil
}

type recordedBody struct {
	io.ReadCloser
	seen *record
	once sync.Once
	text bytes.Buffer
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.text.Write(p[:n])
	if err != nil {
		b.add()
	}
	return n, err
}

func (b *recordedBody) Close() error {
	b.add()
	return b.ReadCloser.Close()
}

func (b *recordedBody) add() { b.once.Do(func() { b.seen.answer(b.text.Bytes()) }) }

// formsOf returns secrets of a config in the forms in which they could appear.
func formsOf(t testing.TB, phrase string, hd bool, nodePass, user, daemonPass string) map[string]string {
	t.Helper()
	ring, err := key.Open(phrase, hd)
	require.NoError(t, err)
	defer ring.Wipe()
	secret := ring.Node().Secret()
	forms := map[string]string{
		"passphrase":           phrase,
		"WIF":                  ring.Node().WIF(),
		"hexadecimal secret":   hex.EncodeToString(secret[:]),
		"password of the node": nodePass,
		"password of daemon":   daemonPass,
		"credential of daemon": base64.StdEncoding.EncodeToString([]byte(user + ":" + daemonPass)),
	}
	for name, user := range map[string]string{"none": "", "one": "u", "another": "user"} {
		forms["credential of node, user "+name] = base64.StdEncoding.EncodeToString([]byte(user + ":" + nodePass))
	}
	if hd {
		seed, err := pbkdf2.Key(sha512.New, phrase, []byte("mnemonic"), 2048, 64)
		require.NoError(t, err)
		forms["seed"] = hex.EncodeToString(seed)
	}
	return forms
}

// configSecrets returns the secrets that a first start generated in its config.
func configSecrets(t testing.TB, dir string) (passphrase, nodePass, user, daemonPass string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "obverse.json"))
	require.NoError(t, err)
	var config struct {
		Password   string `json:"rpc_password"`
		Passphrase string `json:"passphrase"`
		Daemon     struct {
			User     string `json:"rpcuser"`
			Password string `json:"rpcpassword"`
		} `json:"daemon"`
	}
	require.NoError(t, json.Unmarshal(text, &config))
	return config.Passphrase, config.Password, config.Daemon.User, config.Daemon.Password
}

// TestTheSearchFinds checks that the search finds each secret in every position.
func TestTheSearchFinds(t *testing.T) {
	forms := formsOf(t, passphrase, false, rpcPassword, daemonUser, daemonPassword)
	clean := func() *record {
		r := &record{secrets: forms, tickets: map[string]string{}}
		r.say([]byte("level=INFO msg=ready\n"))
		r.answer([]byte("200 OK\n\n{}"))
		r.hideTicket("0123456789abcdef")
		require.Empty(t, r.problems())
		return r
	}
	for name, form := range forms {
		r := clean()
		out := newOutput(r)
		half := len(form) / 2
		for _, part := range []string{"level=INFO msg=\"", form[:half], form[half:], "\"\nnext"} {
			_, err := out.Write([]byte(part))
			require.NoError(t, err)
			r.say([]byte("a line of another stream\n"))
		}
		require.Equal(t, []string{"what the node writes has the " + name}, r.problems())

		r = clean()
		_, err := newOutput(r).Write([]byte(form)) // a line without an end
		require.NoError(t, err)
		require.Len(t, r.problems(), 0)
		r = clean()
		out = newOutput(r)
		_, err = out.Write([]byte(form))
		require.NoError(t, err)
		out.end()
		require.Len(t, r.problems(), 1, name)

		r = clean()
		response := &http.Response{Status: "200 OK", Header: http.Header{"X-Leak": {form}}}
		fetch(t, r, response, `{"result":1}`)
		require.Equal(t, []string{"what the node answers has the " + name}, r.problems())
		r = clean()
		fetch(t, r, &http.Response{Status: "200 OK"}, `{"result":"`+form+`"}`)
		require.Equal(t, []string{"what the node answers has the " + name}, r.problems())
	}
	r := clean()
	r.answer([]byte(`{"ticket":"0123456789abcdef"}`))
	require.Empty(t, r.problems(), "its owner may see it")
	r.say([]byte("path=/event-stream?ticket=0123456789abcdef\n"))
	require.Equal(t, []string{"what the node writes has the ticket 0"}, r.problems())
	for _, sign := range []string{"WARNING: DATA RACE", "panic: index out of range", `msg="recovered from a panic"`, "obverse_panics_total 12", "goroutine 1 [running]:"} {
		r := clean()
		r.say([]byte(sign + "\n"))
		require.Len(t, r.problems(), 1, sign)
	}
	r = clean()
	r.answer([]byte("obverse_panics_total 0\n"))
	require.Empty(t, r.problems())
}

// fetch sends a request with a recorded transport.
func fetch(t *testing.T, r *record, response *http.Response, text string) {
	t.Helper()
	response.ProtoMajor, response.ProtoMinor, response.Body = 1, 1, io.NopCloser(bytes.NewReader([]byte(text)))
	transport := recorded{&http.Transport{}, r}
	transport.RegisterProtocol("test", roundTrip(func(*http.Request) (*http.Response, error) { return response, nil }))
	request, err := http.NewRequest(http.MethodGet, "test://node/", nil)
	require.NoError(t, err)
	got, err := transport.RoundTrip(request)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, got.Body)
	require.NoError(t, err)
	require.NoError(t, got.Body.Close())
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
