package apidoc

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
)

type policy string

func (policy) Values() []string { return []string{"Context", "Hardware"} }

type result struct {
	Name   string  `json:"name"`
	Memo   *string `json:"memo"`
	Note   *string `json:"note,omitempty"`
	Amount float64 `json:"amount"`
}

// documented returns a table with every kind of element that documents contain.
func documented() (*rpc.Table, []rpc.ErrorKind) {
	kinds := []rpc.ErrorKind{
		{Name: "Lost", Status: 404, Data: struct {
			Coin string `json:"coin"`
		}{}, Doc: "it is not there"},
		{Name: "Cut", Status: 500, Data: "", Doc: "the line is cut"},
		{Name: "Cut", Status: 502, Data: []uint8{}, Doc: "all lines are cut"},
		{Name: "Idle", Status: 405, Doc: "nothing runs"},
	}
	type inner struct {
		URL   string `json:"the-url" doc:"where it is: */ or so"`
		Proxy bool   `json:"proxy" default:"true"`
	}
	type in struct {
		Coin   string            `json:"coin" doc:"the ticker"`
		Policy policy            `json:"policy" default:"Context" doc:"whose key"`
		Nodes  []inner           `json:"nodes" rpc:"optional"`
		Extra  map[string]uint16 `json:"extra" rpc:"optional"`
		Any    json.RawMessage   `json:"any" rpc:"optional"`
	}
	return rpc.NewTable(
		rpc.Handle("a::b", rpc.Doc{Summary: "Do it", Detail: "At once."}, func(context.Context, in) (*result, error) { return nil, nil }).Raises(kinds[0], kinds[2]),
		rpc.Handle("c", rpc.Doc{Summary: "See", Public: true}, func(context.Context, struct{}) (map[string]string, error) { return nil, nil }).Raises(kinds[3]),
		rpc.Handle("d", rpc.Doc{}, func(context.Context, struct{}) (any, error) { return nil, nil }),
	), kinds
}

func TestTypeScript(t *testing.T) {
	table, kinds := documented()
	require.Equal(t, "/** T, version 1. Made from its table of methods: changes here are lost. */\n"+`
/** Parameters of `+"`a::b`"+`. */
export interface ABParams {
  /** the ticker */
  coin: string;
  /**
   * whose key
   * @default "Context"
   */
  policy?: "Context" | "Hardware";
  nodes?: Array<{
    /** where it is: * / or so */
    "the-url": string;
    /** @default true */
    proxy?: boolean;
  }>;
  extra?: Record<string, number>;
  any?: unknown;
}

/** Result of `+"`a::b`"+`. */
export type ABResult = {
  name: string;
  memo: string | null;
  note?: string;
  amount: number;
} | null;

/** Parameters of `+"`c`"+`. */
export type CParams = Record<string, never>;

/** Result of `+"`c`"+`. */
export type CResult = Record<string, string>;

/** Parameters of `+"`d`"+`. */
export type DParams = Record<string, never>;

/** Result of `+"`d`"+`. */
export type DResult = unknown;

/** The parameters and the result of every method, by its name. */
export interface Methods {
  /**
   * Do it.
   *
   * At once.
   *
   * @throws `+"`Lost`"+` it is not there
   * @throws `+"`Cut`"+` all lines are cut
   */
  "a::b": { params: ABParams; result: ABResult };
  /**
   * See.
   *
   * Needs no userpass.
   *
   * @throws `+"`Idle`"+` nothing runs
   */
  "c": { params: CParams; result: CResult };
  "d": { params: DParams; result: DResult };
}

/** What can go wrong: the kind and its data. */
export type ErrorKind =
  /** Status 404: it is not there. */
  | { error_type: "Lost"; error_data: {
    coin: string;
  } }
  /** Status 500: the line is cut. */
  | { error_type: "Cut"; error_data: string }
  /** Status 502: all lines are cut. */
  | { error_type: "Cut"; error_data: Array<number> }
  /** Status 405: nothing runs. */
  | { error_type: "Idle"; error_data?: undefined };
`, TypeScript(table, rpc.Info{Title: "T", Version: "1"}, kinds...))
	require.NotContains(t, TypeScript(table, rpc.Info{}), "ErrorKind")
}
