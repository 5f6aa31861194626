package mmrpc

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
)

func contextWithCancel(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

func TestPassword(t *testing.T) {
	p := NewPassword(mmrpctest.Userpass)
	require.True(t, p.Matches(mmrpctest.Userpass))
	for _, wrong := range []string{"", "x", mmrpctest.Userpass + "x", mmrpctest.Userpass[1:], strings.ToLower(mmrpctest.Userpass)} {
		require.False(t, p.Matches(wrong), wrong)
	}
	require.Equal(t, "[password] [password] [password] [password]", fmt.Sprintf("%v %+v %#v %x", p, p, p, p))
	require.Contains(t, fmt.Sprintf("%+v", Options{Password: p}), "Password:[password]")
	for _, none := range []Password{{}, NewPassword("")} {
		require.False(t, none.Matches(""), "no password matches none")
	}
}

// TestAdmission checks which callers may call which methods.
func TestAdmission(t *testing.T) {
	const wrong = `{"userpass":"wrong","mmrpc":"2.0","method":"nothing","id":5}`
	const missing = `{"mmrpc":"2.0","method":"nothing","id":5}`
	local := mmrpctest.Failed("Selected method can be called from localhost only!", "dispatcher", "LocalHostOnly", "", "5")
	unset := mmrpctest.Failed("Userpass is not set!", "dispatcher", "UserpassIsNotSet", "", "5")
	invalid := mmrpctest.Failed("Userpass is invalid! - Rate Limit attempts left: 9", "limiter", "UserpassIsInvalid", `{"error_type":"NbAttemptsLeft","error_data":9}`, "5")
	const ok = `{"mmrpc":"2.0","result":null,"id":5}`
	for name, c := range map[string]struct {
		caller rpc.Caller
		open   bool // whether rpc_local_only is off
		body   string
		status int
		want   string
	}{
		"right":                      {mmrpctest.Here, false, mmrpctest.Request("nothing", "{}"), 200, ok},
		"wrong":                      {mmrpctest.Here, false, wrong, 403, invalid},
		"missing":                    {mmrpctest.Here, false, missing, 403, unset},
		"missing, authorized":        {rpc.Caller{Local: true, Authorized: true}, false, missing, 200, ok},
		"authorized from elsewhere":  {rpc.Caller{Authorized: true}, false, missing, 403, local},
		"authorized, without mmrpc":  {rpc.Caller{Local: true, Authorized: true}, false, `{"method":"version"}`, 200, ""},
		"null":                       {mmrpctest.Here, false, `{"userpass":null,"mmrpc":"2.0","method":"nothing","id":5}`, 403, unset},
		"before the method":          {mmrpctest.Here, false, `{"userpass":"wrong","mmrpc":"2.0","method":"none","id":5}`, 403, invalid},
		"before the params":          {mmrpctest.Here, false, `{"mmrpc":"2.0","method":"echo","params":5,"id":5}`, 403, unset},
		"after the envelope":         {mmrpctest.Here, false, `{"userpass":"wrong","mmrpc":"2.0","method":"none","id":5,"id":5}`, 400, ""},
		"from elsewhere":             {mmrpctest.There, false, mmrpctest.Request("nothing", "{}"), 403, local},
		"from elsewhere, wrong":      {mmrpctest.There, false, wrong, 403, local},
		"from elsewhere, allowed":    {mmrpctest.There, true, mmrpctest.Request("nothing", "{}"), 200, ok},
		"public":                     {mmrpctest.Here, false, `{"mmrpc":"2.0","method":"version","id":5}`, 200, `{"mmrpc":"2.0","result":{"result":"1.2.3","datetime":"2025-01-02T03:04:05Z"},"id":5}`},
		"public from elsewhere":      {mmrpctest.There, false, `{"mmrpc":"2.0","method":"version","userpass":"wrong"}`, 200, ""},
		"discover":                   {mmrpctest.Here, false, `{"mmrpc":"2.0","method":"rpc.discover"}`, 200, ""},
		"discover, authorized":       {mmrpctest.There, true, mmrpctest.Request("rpc.discover", "{}"), 200, ""},
		"discover from elsewhere":    {mmrpctest.There, true, `{"mmrpc":"2.0","method":"rpc.discover","id":5}`, 403, unset},
		"discover, the port is shut": {mmrpctest.There, false, mmrpctest.Request("rpc.discover", "{}"), 200, ""},
		"discover, shut and missing": {mmrpctest.There, false, `{"mmrpc":"2.0","method":"rpc.discover","id":5}`, 403, unset},
		"discover, shut and wrong":   {mmrpctest.There, false, `{"userpass":"wrong","mmrpc":"2.0","method":"rpc.discover","id":5}`, 403, invalid},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(func(o *Options) { o.LocalOnly = !c.open })
			status, reply := b.ask(t, c.caller, c.body)
			require.Equal(t, c.status, status, reply)
			if c.want != "" {
				require.Equal(t, c.want, mmrpctest.Untraced(reply))
			}
		})
	}
}

func TestNoPasswordIsSet(t *testing.T) {
	b := newBench(func(o *Options) { o.Password = Password{} })
	for _, given := range []string{"", "x"} {
		status, _ := b.ask(t, mmrpctest.Here, fmt.Sprintf(`{"userpass":%q,"mmrpc":"2.0","method":"nothing"}`, given))
		require.Equal(t, 403, status)
	}
}

const guessed = `{"userpass":"wrong","mmrpc":"2.0","method":"nothing","id":5}`

// TestBan checks that wrong passwords are refused for a time once there are too many, while the
// correct password is always accepted.
func TestBan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(o *Options) { o.Now = time.Now })
		wrong := func() string {
			_, reply := b.ask(t, mmrpctest.Here, guessed)
			return mmrpctest.Untraced(reply)
		}
		for left := 9; left >= 0; left-- {
			require.Zero(t, b.RetryAfter(mmrpctest.Here))
			start := time.Now()
			reply := wrong()
			require.Zero(t, time.Since(start))
			require.Contains(t, reply, fmt.Sprintf(`Rate Limit attempts left: %d"`, left))
			require.Contains(t, reply, fmt.Sprintf(`"error_data":{"error_type":"NbAttemptsLeft","error_data":%d}`, left))
			time.Sleep(time.Second)
		}
		require.Equal(t, 590*time.Second, b.RetryAfter(mmrpctest.Here))
		ban := func(seconds int) string {
			return mmrpctest.Failed(fmt.Sprintf("Your ip is banned. The right password passes, wrong ones are refused for %d seconds.", seconds), "limiter", "Banned", "", "5")
		}
		for n, late := range []time.Duration{250, 500, 1000, 2000, 4000, 4000} {
			start := time.Now()
			require.Equal(t, ban(590+n), replaceSeconds(wrong(), 590+n))
			require.Equal(t, late*time.Millisecond, time.Since(start))
		}
		start := time.Now()
		for body, want := range map[string]int{`{"mmrpc":"2.0","method":"nothing","id":5}`: 403, `{"mmrpc":"2.0","method":"version","id":5}`: 200} {
			status, reply := b.ask(t, mmrpctest.Here, body)
			require.Equal(t, want, status, reply)
			require.NotContains(t, reply, "banned")
		}
		require.Positive(t, b.RetryAfter(mmrpctest.Here))
		status, _ := b.ask(t, mmrpctest.Here, mmrpctest.Request("nothing", "{}"))
		require.Equal(t, 200, status)
		require.Zero(t, time.Since(start), "at once")
		require.Zero(t, b.RetryAfter(mmrpctest.Here))
		require.Contains(t, wrong(), "attempts left: 9", "a right password makes up for the wrong ones")
	})
}

// replaceSeconds replaces the number of seconds of a ban by the expected one.
func replaceSeconds(reply string, want int) string {
	return regexp.MustCompile(`for [0-9]+ seconds`).ReplaceAllString(reply, fmt.Sprintf("for %d seconds", want))
}

// TestNotGuesses checks that requests without a password are not counted as guesses.
func TestNotGuesses(t *testing.T) {
	b := newBench(nil)
	for range 2 * auth.Allowed {
		b.ask(t, mmrpctest.Here, `{"mmrpc":"2.0","method":"nothing"}`)
		b.ask(t, mmrpctest.Here, `{"method":"nothing","userpass":5}`)
		b.ask(t, mmrpctest.Here, `{"mmrpc":"2.0","method":"version","userpass":"wrong"}`)
		b.ask(t, mmrpctest.There, guessed)
	}
	_, reply := b.ask(t, mmrpctest.Here, guessed)
	require.Contains(t, reply, "attempts left: 9")
}

// TestBanOfAProxy checks that requests through a proxy on this machine neither count against
// the machine's own programs nor are forgiven when these use the correct password.
func TestBanOfAProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(o *Options) { o.LocalOnly, o.Now = false, time.Now })
		proxy := rpc.Caller{Address: "forwarded"}
		for range auth.Allowed - 1 {
			b.ask(t, proxy, guessed)
		}
		status, _ := b.ask(t, mmrpctest.Here, mmrpctest.Request("nothing", "{}"))
		require.Equal(t, 200, status)
		_, reply := b.ask(t, proxy, guessed)
		require.Contains(t, reply, "attempts left: 0")
		require.Positive(t, b.RetryAfter(proxy))
		require.Zero(t, b.RetryAfter(mmrpctest.Here))
		_, reply = b.ask(t, mmrpctest.Here, guessed)
		require.Contains(t, reply, "attempts left: 9")
		_, reply = b.ask(t, proxy, guessed)
		require.Contains(t, reply, "Your ip is banned.")
		status, _ = b.ask(t, proxy, mmrpctest.Request("nothing", "{}"))
		require.Equal(t, 200, status, "who has the right password passes, also through the proxy")
	})
}

// TestWaitingGuessesReleaseSlots checks that guesses do not occupy slots of other requests
// while they wait.
func TestWaitingGuessesReleaseSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(o *Options) { o.Now = time.Now })
		var times int
		gone := false
		ctx := t.Context()
		ask := func(body string) string {
			_, reply := b.Serve(ctx, mmrpctest.Here, []byte(body))
			return string(reply)
		}
		ctx = rpc.WithTransport(t.Context(), rpc.Transport{Waiter: func(wait func(context.Context) error) error {
			times++
			ctx, hangUp := context.WithCancel(t.Context())
			if gone {
				hangUp()
			}
			defer hangUp()
			return wait(ctx)
		}})
		for range auth.Allowed {
			ask(guessed)
		}
		require.Equal(t, auth.Allowed-1, times, "each but the first waits for the one before")
		reply := ask(guessed)
		require.Contains(t, reply, "Your ip is banned.")
		require.Equal(t, auth.Allowed+1, times, "and this one besides")
		ask(mmrpctest.Request("nothing", "{}"))
		reply = ask(guessed)
		require.Contains(t, reply, "attempts left: 9")
		gone = true
		reply = ask(mmrpctest.Request("nothing", "{}"))
		require.Contains(t, reply, "Your ip is banned.", "it was not looked at")
	})
}
