package main

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// The linker removes unused libraries, so every library must be used: each returns a result or an
// error.
func TestWork(t *testing.T) {
	good := `{"key": "01", "amount": 100000000000000000000, "url": "https://a.example:1/b"}`
	require.JSONEq(t, `{"public": "03df124f8b3b723e9ab460c59e1e22604f51889d35e71fdc8bc455aa525db8a3cd", "share": "33333333333333333333.33333333", "host": "a.example:1", "stored": "03df124f8b3b723e9ab460c59e1e22604f51889d35e71fdc8bc455aa525db8a3cd"}`,
		work(context.Background(), good))
	for body, want := range map[string]string{
		`{"key": "01", "amount": 1, "url": "https://a.example/", "late": true}`: `the store: context canceled`,
		`{"key": "x", "amount": 1, "url": "https://a.example/"}`:                `the key "x": encoding/hex: invalid byte: U+0078 'x'`,
		`{"key": "01", "amount": 1, "url": ":"}`:                                `the address: parse ":": missing protocol scheme`,
		`{"key": "01", "url": "https://a.example/"}`:                            `amount is missing`,
		`{"other": 1}`: `json: unknown field "other"`,
	} {
		encoded, err := json.Marshal(answer{Error: want})
		require.NoError(t, err)
		require.Equal(t, string(encoded), work(context.Background(), body))
	}
}
