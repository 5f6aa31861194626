package sdktest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Pause is the time between two polls.
const Pause = 20 * time.Millisecond

// Client calls a node as the SDK does.
type Client struct {
	T             testing.TB
	URL, Password string
}

func (c Client) post(body string) (int, []byte) {
	c.T.Helper()
	response, err := http.Post(c.URL, "application/json", strings.NewReader(body))
	require.NoError(c.T, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(c.T, err)
	return response.StatusCode, text
}

// read decodes a response.
func (c Client) read(method string, text []byte) Answer {
	c.T.Helper()
	answer := decoded(c.T, text)
	noFractions(c.T, method, answer)
	return Answer{answer.(map[string]any), c.T, method}
}

// V2 calls a method with mmrpc and returns its result, which is an object.
func (c Client) V2(method, params string) Answer {
	c.T.Helper()
	status, text := c.post(`{"userpass":"` + c.Password + `","mmrpc":"2.0","method":"` + method + `","params":` + params + `}`)
	require.Equal(c.T, 200, status, string(text))
	answer := c.read(method, text)
	require.NotContains(c.T, answer.Members, "error")
	if _, is := answer.Value("result").(map[string]any); !is {
		return answer
	}
	return answer.Object("result")
}

// Legacy calls a method without mmrpc.
func (c Client) Legacy(method, members string) Answer {
	c.T.Helper()
	status, text := c.post(`{"userpass":"` + c.Password + `","method":"` + method + `"` + members + `}`)
	require.Equal(c.T, 200, status, string(text))
	return c.read(method, text)
}

// Refused calls a method that fails, and returns the status and the error_type.
func (c Client) Refused(method, params string) (int, string) {
	c.T.Helper()
	status, text := c.post(`{"userpass":"` + c.Password + `","mmrpc":"2.0","method":"` + method + `","params":` + params + `}`)
	s := c.read(method, text)
	for _, name := range []string{"error", "error_path", "error_trace"} {
		s.Text(name)
	}
	return status, s.Text("error_type")
}

// Task starts a task and polls it until it has succeeded.
func (c Client) Task(name, params string) Answer {
	c.T.Helper()
	id := c.V2(name+"::init", params).Number("task_id")
	for range 600 {
		status := c.V2(name+"::status", fmt.Sprintf(`{"task_id":%d,"forget_if_finished":false}`, id))
		state := status.Text("status")
		require.True(c.T, slices.Contains([]string{"Ok", "InProgress"}, state), "%v", status.Members)
		if state == "Ok" {
			return status.Object("details")
		}
		if _, object := status.Value("details").(map[string]any); !object {
			status.Text("details")
		}
		time.Sleep(Pause)
	}
	require.Fail(c.T, "the task does not end", name)
	return Answer{}
}
