package table_test

import (
	"context"
	"fmt"

	"obverse/core/store/bunt"
	"obverse/core/store/table"
)

func Example() {
	type node struct{ Name, PeerID string }
	nodes := table.New(table.Spec[node]{
		Prefix: "N/example/",
		Key:    table.Index[node]{Name: "name", Value: func(n node) string { return n.Name }},
		Unique: []table.Index[node]{{Name: "peer_id", Value: func(n node) string { return n.PeerID }}},
	})
	ctx := context.Background()
	kv, err := bunt.Open(bunt.Memory)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = kv.Close() }()
	for _, n := range []node{{"seed1", "A"}, {"seed2", "A"}} {
		fmt.Println(table.Change(ctx, kv, func(tx *table.Tx) error { return nodes.Insert(ctx, tx, n) }))
	}
	// Output:
	// <nil>
	// duplicate  peer_id
}
