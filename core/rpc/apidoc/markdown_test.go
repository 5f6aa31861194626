package apidoc

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
)

func TestMarkdown(t *testing.T) {
	type in struct {
		Coin   string `json:"coin" doc:"the ticker, as A|B"`
		Policy policy `json:"policy" default:"Context" doc:"whose key"`
		Limit  *int   `json:"limit"`
	}
	table := rpc.NewTable(
		rpc.Handle("one", rpc.Doc{Summary: "Do one | two", Category: "First"}, func(context.Context, in) (result, error) { return result{}, nil }).
			Raises(rpc.ErrorKind{Name: "Lost", Status: 404, Doc: "it is not there"}),
		rpc.Handle("two", rpc.Doc{Summary: "Do two", Category: "Second", Public: true}, func(context.Context, struct{}) (string, error) { return "", nil }),
		rpc.Handle("list::three.x", rpc.Doc{Detail: "Also.", Category: "First", Legacy: true}, func(context.Context, struct{}) (any, error) { return nil, nil }),
	)
	require.Equal(t, `# Title

Intro.

| area | method | summary |
|---|---|---|
| First | [`+"`one`"+`](#one) | Do one \| two |
| First | [`+"`list::three.x`"+`](#listthreex) |  |
| Second | [`+"`two`"+`](#two) | Do two |

## First

### one

Do one | two.

| parameter | type | default | meaning |
|---|---|---|---|
| `+"`coin` | `string`"+` | required | the ticker, as A\|B |
| `+"`policy` | `\"Context\" \\| \"Hardware\"` | `\"Context\"`"+` | whose key |
| `+"`limit` | `number`"+` | optional |  |

Result:

`+"```ts"+`
{
  name: string;
  memo: string | null;
  note?: string;
  amount: number;
}
`+"```"+`

| error | status | raised when |
|---|---|---|
| `+"`Lost`"+` | 404 | it is not there |

### list::three.x

Also.

Also without `+"`mmrpc`"+`, in KDF's older form.

No parameters.

Result:

`+"```ts"+`
unknown
`+"```"+`

## Second

### two

Do two.

Needs no password.

No parameters.

Result:

`+"```ts"+`
string
`+"```"+`
`, Markdown(table, "Title", "Intro."))
}
