package mmrpc

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
)

func contextWithCancel(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

func TestPassword(t *testing.T) {
	p := NewPassword(password)
	require.True(t, p.Matches(password))
	for _, wrong := range []string{"", "x", password + "x", password[1:], strings.ToLower(password)} {
		require.False(t, p.Matches(wrong), wrong)
	}
	require.Equal(t, "[password] [password] [password] [password]", fmt.Sprintf("%v %+v %#v %x", p, p, p, p))
	require.Contains(t, fmt.Sprintf("%+v", Options{Password: p}), "Password:[password]")
	for _, none := range []Password{{}, NewPassword("")} {
		require.False(t, none.Matches(""), "no password lets nobody in")
	}
}

// Who may call what.
func TestAdmission(t *testing.T) {
	const wrong = `{"userpass":"wrong","mmrpc":"2.0","method":"nothing","id":5}`
	const missing = `{"mmrpc":"2.0","method":"nothing","id":5}`
	local := failed("Selected method can be called from localhost only!", "dispatcher", "LocalHostOnly", "", "5")
	unset := failed("Userpass is not set!", "dispatcher", "UserpassIsNotSet", "", "5")
	invalid := failed("Userpass is invalid! - Rate Limit attempts left: 9", "dispatcher", "UserpassIsInvalid", `{"error_type":"NbAttemptsLeft","error_data":9}`, "5")
	const ok = `{"mmrpc":"2.0","result":null,"id":5}`
	for name, c := range map[string]struct {
		caller rpc.Caller
		open   bool // rpc_local_only is off
		body   string
		status int
		want   string
	}{
		"right":                      {here, false, request("nothing", "{}"), 200, ok},
		"wrong":                      {here, false, wrong, 403, invalid},
		"missing":                    {here, false, missing, 403, unset},
		"null":                       {here, false, `{"userpass":null,"mmrpc":"2.0","method":"nothing","id":5}`, 403, unset},
		"before the method":          {here, false, `{"userpass":"wrong","mmrpc":"2.0","method":"none","id":5}`, 403, invalid},
		"before the params":          {here, false, `{"mmrpc":"2.0","method":"echo","params":5,"id":5}`, 403, unset},
		"after the envelope":         {here, false, `{"userpass":"wrong","mmrpc":"2.0","method":"none","id":5,"id":5}`, 400, ""},
		"from elsewhere":             {there, false, request("nothing", "{}"), 403, local},
		"from elsewhere, wrong":      {there, false, wrong, 403, local},
		"from elsewhere, allowed":    {there, true, request("nothing", "{}"), 200, ok},
		"public":                     {here, false, `{"mmrpc":"2.0","method":"version","id":5}`, 200, `{"mmrpc":"2.0","result":{"result":"1.2.3","datetime":"2025-01-02T03:04:05Z"},"id":5}`},
		"public from elsewhere":      {there, false, `{"mmrpc":"2.0","method":"version","userpass":"wrong"}`, 200, ""},
		"discover":                   {here, false, `{"mmrpc":"2.0","method":"rpc.discover"}`, 200, ""},
		"discover, authorized":       {there, true, request("rpc.discover", "{}"), 200, ""},
		"discover from elsewhere":    {there, true, `{"mmrpc":"2.0","method":"rpc.discover","id":5}`, 403, unset},
		"discover, the port is shut": {there, false, request("rpc.discover", "{}"), 200, ""},
		"discover, shut and missing": {there, false, `{"mmrpc":"2.0","method":"rpc.discover","id":5}`, 403, unset},
		"discover, shut and wrong":   {there, false, `{"userpass":"wrong","mmrpc":"2.0","method":"rpc.discover","id":5}`, 403, invalid},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(func(o *Options) { o.LocalOnly = !c.open })
			status, reply := b.ask(t, c.caller, c.body)
			require.Equal(t, c.status, status, reply)
			if c.want != "" {
				require.Equal(t, c.want, untraced(reply))
			}
		})
	}
}

func TestNoPasswordIsSet(t *testing.T) {
	b := newBench(func(o *Options) { o.Password = Password{} })
	for _, given := range []string{"", "x"} {
		status, _ := b.ask(t, here, fmt.Sprintf(`{"userpass":%q,"mmrpc":"2.0","method":"nothing"}`, given))
		require.Equal(t, 403, status)
	}
}

const guess = `{"userpass":"wrong","mmrpc":"2.0","method":"nothing","id":5}`

func TestBan(t *testing.T) {
	b := newBench(nil)
	for left := 9; left >= 0; left-- {
		require.Zero(t, b.RetryAfter(here))
		_, reply := b.ask(t, here, guess)
		require.Contains(t, reply, fmt.Sprintf(`Rate Limit attempts left: %d"`, left))
		require.Contains(t, reply, fmt.Sprintf(`"error_data":{"error_type":"NbAttemptsLeft","error_data":%d}`, left))
		b.now = b.now.Add(time.Second)
	}
	ban := failed("Your ip is banned. It may call again in 590 seconds.", "dispatcher", "Banned", "", "5")
	for name, body := range map[string]string{"wrong": guess, "right": request("nothing", "{}"),
		"missing": `{"mmrpc":"2.0","method":"nothing","id":5}`, "public": `{"mmrpc":"2.0","method":"version","id":5}`} {
		status, reply := b.ask(t, here, body)
		require.Equal(t, 403, status, name)
		require.Equal(t, ban, untraced(reply), name)
	}
	require.Equal(t, 590*time.Second, b.RetryAfter(here))
	status, _ := b.ask(t, rpc.Caller{Address: "::1", Local: true}, request("nothing", "{}"))
	require.Equal(t, 200, status, "others are let in meanwhile")

	b.now = b.now.Add(590*time.Second - 1)
	require.Equal(t, time.Duration(1), b.RetryAfter(here))
	_, reply := b.ask(t, here, guess)
	require.Contains(t, reply, "again in 1 seconds")
	b.now = b.now.Add(1)
	require.Zero(t, b.RetryAfter(here))
	_, reply = b.ask(t, here, guess)
	require.Contains(t, reply, "attempts left: 0", "the second guess is nine minutes and 59 seconds old")
	b.now = b.now.Add(2 * time.Second)
	status, _ = b.ask(t, here, request("nothing", "{}"))
	require.Equal(t, 200, status)
	_, reply = b.ask(t, here, guess)
	require.Contains(t, reply, "attempts left: 9", "a right password makes up for the wrong ones")
}

// What is no guess is not counted.
func TestNotGuesses(t *testing.T) {
	b := newBench(nil)
	for range 2 * maxWrong {
		b.ask(t, here, `{"mmrpc":"2.0","method":"nothing"}`)
		b.ask(t, here, `{"method":"nothing","userpass":5}`)
		b.ask(t, here, `{"mmrpc":"2.0","method":"version","userpass":"wrong"}`)
		b.ask(t, there, guess)
	}
	_, reply := b.ask(t, here, guess)
	require.Contains(t, reply, "attempts left: 9")
}

// What comes through a proxy on this machine neither bans the machine's own programs
// nor is forgiven when they have the right password.
func TestBanOfAProxy(t *testing.T) {
	b := newBench(func(o *Options) { o.LocalOnly = false })
	proxy := rpc.Caller{Address: "forwarded"}
	for range maxWrong - 1 {
		b.ask(t, proxy, guess)
	}
	status, _ := b.ask(t, here, request("nothing", "{}"))
	require.Equal(t, 200, status)
	_, reply := b.ask(t, proxy, guess)
	require.Contains(t, reply, "attempts left: 0")
	require.Positive(t, b.RetryAfter(proxy))
	require.Zero(t, b.RetryAfter(here))
	_, reply = b.ask(t, here, guess)
	require.Contains(t, reply, "attempts left: 9")
}

func TestSources(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "127.8.9.10": "127.0.0.1", "::ffff:127.0.0.1": "127.0.0.1", "::1": "::1",
		"203.0.113.5": "203.0.113.5", "::ffff:203.0.113.5": "203.0.113.5",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::9": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
		"": "", "somewhere": "somewhere", "forwarded": "forwarded",
	} {
		require.Equal(t, want, sourceOf(address), address)
	}
}

func TestLimiterForgetsTheQuietest(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimiter(func() time.Time { return now })
	for range maxWrong {
		l.try("banned", false)
	}
	for i := range maxWatched - 1 {
		l.try(fmt.Sprint(i), false)
	}
	require.Positive(t, l.wait("banned"))
	require.Len(t, l.sources, maxWatched)
	l.try("banned but loud", false)
	require.Zero(t, l.wait("banned"), "it was quiet longest")
	require.Len(t, l.sources, maxWatched)
	require.Equal(t, maxWatched, l.recent.Len())
	require.Equal(t, verdict{left: 8}, l.try("1", false))
	require.Equal(t, verdict{}, l.try("1", true))
	require.Len(t, l.sources, maxWatched-1)
}
