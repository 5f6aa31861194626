package httpd

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
	"obverse/core/net/route"
)

const takenOver = "retry: 30000\ndata: {\"_type\":\"ERROR:TAKEN_OVER\",\"message\":{}}\n"

// skipComments reads the next block that is no comment.
func (r *reader) skipComments() string {
	r.t.Helper()
	for {
		text, err := r.block()
		require.NoError(r.t, err)
		if text != ": keep-alive\n" {
			return text
		}
	}
}

// A program on this machine without a credential does not get the stream of a client that
// reads it.
func TestEventStreamStaysWithItsReader(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	mine := open(t, s, "?id=7")
	mine.requireStart(0)
	enable(t, h, 7)
	for name, request := range map[string][]string{
		"nothing":          {"?id=7"},
		"a position":       {"?id=7&lastEventId=0"},
		"a wrong password": {"?id=7", wrongBasic},
		"a wrong ticket":   {"?id=7&ticket=0123456789abcdef0123456789abcdef"},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, s, request[0], request[1:]...)
			require.Equal(t, http.StatusConflict, r.response.StatusCode)
			require.Equal(t, jsonType, r.response.Header.Get("Content-Type"))
			text, _ := r.block()
			require.Equal(t, `{"error":"`+errAlive.Error()+`: id 7"}`+"\n", text)
		})
	}
	other, _, err := h.Ticket(8)
	require.NoError(t, err)
	require.Equal(t, http.StatusConflict, open(t, s, "?id=7&ticket="+other).response.StatusCode, "another client's ticket")
	say(t, h, 1)
	require.Equal(t, "id: 1\ndata: "+x(1)+"\n", mine.skipComments())
}

// Its owner takes a stream over, from this machine and others.
func TestEventStreamTakeOver(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	reads := open(t, s, "")
	reads.requireStart(0)
	enable(t, h, 0)
	for n, request := range [][]string{
		{"", "Authorization: " + right},
		{"", "Authorization: " + right, remote},
		{"?ticket="},
		{"?ticket=", remote},
	} {
		query := request[0]
		if query != "" {
			ticket, _, err := h.Ticket(0)
			require.NoError(t, err)
			query += ticket
		}
		next := open(t, s, query, request[1:]...)
		next.requireStart(uint64(n))
		require.Equal(t, takenOver, reads.skipComments())
		reads.requireEnd()
		say(t, h, n)
		next.requireEvent(uint64(n+1), x(n))

		_, err := fmt.Fprint(reads.conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, read(t, reads.conn).response.StatusCode, "the connection is good for more")
		reads = next
	}
}

// Who comes back after a drop resumes, even where the node has not noticed the drop: it
// does not while bytes of the client wait to be read.
func TestEventStreamComesBackBeforeTheDropIsSeen(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	last, position := 0, ""
	for range 5 {
		conn := dial(t, s.NodeAddress(), "GET "+route.Events.Path+"?id=7"+position+" HTTP/1.1\r\nHost: localhost\r\n\r\nGET ")
		r := read(t, conn)
		require.Equal(t, http.StatusOK, r.response.StatusCode)
		_, err := r.block()
		require.NoError(t, err)
		if last == 0 {
			enable(t, h, 7)
		}
		last++
		position = fmt.Sprintf("&lastEventId=%d", last)
		say(t, h, last)
		r.requireEvent(uint64(last), x(last))
		require.NoError(t, conn.Close())
	}
}

// Of several that want the stream of a client at once, one has it.
func TestEventStreamRace(t *testing.T) {
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{})
	ticket, _, err := h.Ticket(8)
	require.NoError(t, err)
	for query, refusal := range map[string]int{"?id=7": http.StatusConflict, "?id=8&ticket=" + ticket: http.StatusUnauthorized} {
		var headers []string
		if refusal == http.StatusUnauthorized {
			headers = []string{remote}
		}
		var conns [8]net.Conn
		var statuses sync.Map
		var all sync.WaitGroup
		for i := range conns {
			all.Go(func() {
				r := open(t, s, query, headers...)
				conns[i] = r.conn
				statuses.Store(i, r.response.StatusCode)
			})
		}
		all.Wait()
		count := map[any]int{}
		statuses.Range(func(_, status any) bool { count[status]++; return true })
		require.Equal(t, map[any]int{http.StatusOK: 1, refusal: len(conns) - 1}, count)
	}
}
