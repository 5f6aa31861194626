package httpd

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRefusalsAreFolded: a client without a credential makes few lines a second, and the count of the
// others is right.
func TestRefusalsAreFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines, more := 0, 0
		f := newRefusals(nodeName, func(_ context.Context, r slog.Record) error {
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
				if !f.isFolded(401, "") {
					lines++
				}
				if !f.isFolded(403, "UserpassIsInvalid") {
					lines++
				}
			}
			time.Sleep(foldTime + time.Millisecond)
		}
		require.Equal(t, 2*(maxEqual+1)*seconds, lines)
		require.Equal(t, 2*seconds*(each-maxEqual), more)
		for _, status := range []int{200, 500, 503} {
			require.False(t, f.isFolded(status, ""))
			require.False(t, f.isFolded(status, ""), "%d is written each time", status)
		}
		time.Sleep(2 * foldTime)
		require.Empty(t, f.seen)
	})
}
