package mmrpc

import (
	"obverse/core/number"
	"obverse/core/rpc"
)

// numericFormats is the spec's NumericFormatsValue, with its schema: the pairs of its
// rational form do not follow from a Go type.
type numericFormats number.NumericFormats

// JSONSchema implements rpc.Described.
func (numericFormats) JSONSchema() *rpc.Schema {
	limbs := &rpc.Schema{Type: "array", Items: &rpc.Schema{Type: "integer", Minimum: "0"}}
	return &rpc.Schema{
		Type:        "object",
		Description: "one number, three times",
		Properties: rpc.Properties{
			{Name: "decimal", Schema: &rpc.Schema{Type: "string", Pattern: `^-?[0-9]+(\.[0-9]+)?$`,
				Description: "exactly, or rounded to 100 significant digits"}},
			{Name: "rational", Schema: &rpc.Schema{Type: "array",
				Description: "numerator and denominator in lowest terms, each a pair of its sign (-1, 0 or 1) and its 32-bit digits, the least first",
				Items:       &rpc.Schema{Type: "array", Items: &rpc.Schema{OneOf: []*rpc.Schema{{Type: "integer"}, limbs}}}}},
			{Name: "fraction", Schema: &rpc.Schema{Type: "object", Description: "numerator and denominator in lowest terms",
				Properties: rpc.Properties{
					{Name: "numer", Schema: &rpc.Schema{Type: "string", Pattern: `^-?[0-9]+$`}},
					{Name: "denom", Schema: &rpc.Schema{Type: "string", Pattern: `^[0-9]+$`}},
				}, Required: []string{"numer", "denom"}}},
		},
		Required: []string{"decimal", "rational", "fraction"},
	}
}
