package mmrpc

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/rpc"
)

// keyArea has a get_public_key that returns a constant.
type keyArea struct{}

func (keyArea) Methods() []rpc.Method {
	type result struct {
		Key string `json:"public_key"`
	}
	return []rpc.Method{rpc.Handle("get_public_key", rpc.Doc{}, func(context.Context, struct{}) (result, error) {
		return result{"0366d28a7926fb20287132692c4cef7bc7e00e76da064948676f8549c0ed7114d3"}, nil
	})}
}

// BenchmarkServe measures calls in process: a small call, one with parameters, a batch and, for
// comparison, the time that encoding/json needs for the small call.
func BenchmarkServe(b *testing.B) {
	server := New(Options{Password: NewPassword(mmrpctest.Userpass), LocalOnly: true, Now: func() time.Time { return time.Time{} }}, keyArea{}, pieces{})
	small := mmrpctest.Request("get_public_key", "{}")
	for name, body := range map[string]string{
		"small":  small,
		"params": mmrpctest.Request("echo", `{"coin":"KMD","nodes":[{"url":"https://a.example"},{"url":"https://b.example"}],"mode":"Swift"}`),
		"batch":  "[" + strings.Repeat(small+",", 99) + small + "]",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if status, _ := server.Serve(b.Context(), mmrpctest.Here, []byte(body)); status != 200 {
					b.Fatal(status)
				}
			}
			b.ReportMetric(float64(b.N*strings.Count(body, "userpass"))/b.Elapsed().Seconds(), "calls/s")
		})
	}
	b.Run("json alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var in struct {
				UserPass, MMRPC, Method string
				Params                  struct{}
				ID                      uint64
			}
			if err := json.Unmarshal([]byte(small), &in); err != nil {
				b.Fatal(err)
			}
			out, err := json.Marshal(map[string]any{"mmrpc": "2.0", "result": map[string]string{"public_key": in.UserPass}, "id": in.ID})
			if err != nil || len(out) == 0 {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
	})
}
