package apidoc

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
)

func TestTypeScriptTuples(t *testing.T) {
	type in struct {
		Block   string `json:"block" doc:"hash or height"`
		Verbose bool   `json:"verbose" default:"true"`
	}
	type gap struct {
		First  *string `json:"1st" doc:"may be null"`
		To     int     `json:"comment-to"`
		Memo   string  `json:"memo" rpc:"optional"`
		Length int     `json:"length" rpc:"optional"`
	}
	table := rpc.NewTable(
		rpc.Handle("getblock", rpc.Doc{Summary: "Show a block"}, func(context.Context, in) (any, error) { return nil, nil }).Gives("", result{}),
		rpc.Handle("pay", rpc.Doc{Open: true}, func(context.Context, gap) (*string, error) { return nil, nil }),
		rpc.Handle("stop", rpc.Doc{}, func(context.Context, struct{}) (any, error) { return nil, nil }).Gives(nil),
	)
	require.Equal(t, "/** T, version 1. Made from its table of methods: changes here are lost. */\n"+`
/** Parameters of `+"`getblock`"+`, in their order. */
export type GetblockParams = [
  /** hash or height */
  block: string,
  /** @default true */
  verbose?: boolean,
];

/** Result of `+"`getblock`"+`. */
export type GetblockResult = string | {
  name: string;
  memo: string | null;
  note?: string;
  amount: number;
};

/** Parameters of `+"`pay`"+`, in their order. */
export type PayParams = [
  /** may be null */
  _1st: string | null,
  comment_to: number,
  memo?: string,
  length?: number,
];

/** Result of `+"`pay`"+`. */
export type PayResult = string | null;

/** Parameters of `+"`stop`"+`, in their order. */
export type StopParams = [];

/** Result of `+"`stop`"+`. */
export type StopResult = null;

/** The parameters and the result of every method, by its name. */
export interface All {
  /** Show a block. */
  "getblock": { params: GetblockParams; result: GetblockResult };
  "pay": { params: PayParams; result: PayResult };
  "stop": { params: StopParams; result: StopResult };
}
`, TypeScriptTuples(table, rpc.Info{Title: "T", Version: "1"}, "All"))
}

func TestLabels(t *testing.T) {
	for name, want := range map[string]string{"txid": "txid", "comment-to": "comment_to", "1st": "_1st", "": "_", "a.b\"c": "a_b_c", "größe": "gr__e"} {
		require.Equal(t, want, labelOf(name))
	}
}
