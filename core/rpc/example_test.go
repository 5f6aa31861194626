package rpc_test

import (
	"context"
	"encoding/json"
	"fmt"

	"obverse/core/rpc"
)

// A method is a typed function. The struct's tags determine how its parameters are decoded and
// checked, and documents are generated from it.
func ExampleHandle() {
	type params struct {
		Coin  string `json:"coin" doc:"the ticker"`
		Limit uint32 `json:"limit" default:"10" doc:"how many"`
	}
	list := rpc.Handle("list", rpc.Doc{Summary: "List entries"}, func(_ context.Context, p params) (string, error) {
		return fmt.Sprint(p.Coin, " ", p.Limit), nil
	})
	fmt.Println(list.Usage())
	fmt.Println(list.Named(context.Background(), json.RawMessage(`{"coin":"ATOM"}`), rpc.Rules{}))
	_, err := list.Named(context.Background(), json.RawMessage(`{"coin":"ATOM","limit":-1}`), rpc.Rules{})
	fmt.Println(err)
	// Output:
	// list coin [limit]
	// ATOM 10 <nil>
	// parameter "limit" must be a whole number from 0 to 4294967295, got number
}

func ExampleNearest() {
	fmt.Println(rpc.Nearest("get_public_kye", []string{"get_public_key", "help"}))
	// Output:
	// get_public_key true
}
