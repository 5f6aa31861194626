package httpd

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
)

// TestRefusalsAreFolded: a client without a credential makes few lines a second, and the count of the
// others is right.
func TestRefusalsAreFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines, more := 0, 0
		f := newFolded(nodeName, func(_ context.Context, r slog.Record) error {
			lines++
			r.Attrs(func(a slog.Attr) bool {
				if a.Key == "more" {
					more += int(a.Value.Int64())
				}
				return true
			})
			return nil
		})
		const seconds, each = 10, 4400
		for range seconds {
			for range each {
				if !f.leavesOut(outcome{401, ""}, true) {
					lines++
				}
				if !f.leavesOut(outcome{403, "UserpassIsInvalid"}, false) {
					lines++
				}
			}
			time.Sleep(foldTime + time.Millisecond)
		}
		require.Equal(t, 2*(maxEqual+1)*seconds, lines)
		require.Equal(t, 2*seconds*(each-maxEqual), more)
		for _, status := range []int{200, 500, 503} {
			for range 2 * maxEqual {
				require.False(t, f.leavesOut(outcome{status, ""}, true), "%d is written each time", status)
			}
		}
		time.Sleep(2 * foldTime)
		require.Empty(t, f.seen)
	})
}

// TestLinesWithoutCredential: whatever is answered, a client without a credential makes few lines a
// second, and the lines of one that shows it are all written.
func TestLinesWithoutCredential(t *testing.T) {
	statuses := map[string]int{"version": 200, "{": 500, "busy": 503}
	serve := func(ctx context.Context, _ rpc.Caller, body []byte) (int, []byte) {
		call, own := strings.CutPrefix(string(body), "password ")
		if own {
			rpc.TransportOf(ctx).MarkProven()
		}
		return statuses[call], nil
	}
	for call, status := range statuses {
		for prefix, all := range map[string]bool{"": false, "password ": true} {
			var log logBook
			s, stop := start(t, Config{Log: log.logger(), Node: Node{Serve: serve}})
			const sent = 4 * maxEqual
			for range sent {
				got, _ := post(t, s.NodeAddress(), prefix+call)
				require.Equal(t, status, got)
			}
			require.NoError(t, stop())
			lines := strings.Count(log.String(), "msg=request ")
			if all {
				require.Equal(t, sent, lines, call)
			} else {
				require.Less(t, lines, sent, call)
			}
		}
	}
}
