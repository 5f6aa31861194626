package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/settings"
)

// containerWords returns the words of an instruction in exec form.
func containerWords(t *testing.T, instruction string) (words []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "native", "Dockerfile"))
	require.NoError(t, err)
	found := regexp.MustCompile("(?m)^" + instruction + ` (\[.*\])$`).FindStringSubmatch(string(text))
	require.NotNil(t, found, instruction)
	require.NoError(t, json.Unmarshal([]byte(found[1]), &words))
	return words
}

// TestContainer runs the command of the image and the commands in the document on this machine. A
// caller that is not local may call every method with the password.
func TestContainer(t *testing.T) {
	m := newMachine(t)
	data := filepath.Join(m.home, "data")
	require.NoError(t, os.Mkdir(data, 0o755)) // as in the image
	inside := strings.NewReplacer("/obverse ", "bin/obverse ", "/data", data)
	n := m.serve(t, inside.Replace(strings.Join(append(containerWords(t, "ENTRYPOINT"), containerWords(t, "CMD")...), " ")))
	defer n.stop(t)

	_, text, found := strings.Cut(documents(t)[filepath.Join("native", "docs", "operations.md")], "\n## Container\n")
	require.True(t, found)
	typed := regexp.MustCompile(`(?m)^docker exec obverse (/obverse .*)$`).FindAllStringSubmatch(text, -1)
	require.Len(t, typed, 2)
	for _, line := range typed {
		require.NotEmpty(t, m.do(t, inside.Replace(line[1])))
	}
	require.FileExists(t, filepath.Join(data, "copy.db"))

	config, err := os.ReadFile(filepath.Join(data, settings.FileName))
	require.NoError(t, err)
	var secrets struct {
		Password string `json:"rpc_password"`
	}
	require.NoError(t, json.Unmarshal(config, &secrets))
	body := fmt.Sprintf(`{"mmrpc":"2.0","userpass":%q,"method":"get_public_key","params":{}}`, secrets.Password)
	request, err := http.NewRequest(http.MethodPost, n.ready.Node, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("X-Forwarded-For", "172.17.0.1") // makes the caller not local, like one outside the container
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, reply.Body.Close())
	require.Equal(t, http.StatusOK, reply.StatusCode)
}
