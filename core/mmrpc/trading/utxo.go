package trading

import (
	"context"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

const categoryUtxo = "UTXO coins (not available)"

// Utxo is the area of Komodo DeFi Framework's methods that activate UTXO coins, which this node
// does not support. The methods return an error with the reason.
type Utxo struct{}

// Methods implements Area.
func (Utxo) Methods() (methods []rpc.Method) {
	for _, one := range []struct {
		name, summary string
		legacy        bool
	}{
		{"electrum", "Activate a UTXO coin by Electrum servers", true},
		{"enable_bch_with_tokens", "Activate Bitcoin Cash and its tokens", false},
		{"enable_slp", "Activate a token of Bitcoin Cash", false},
		{"task::enable_utxo::init", "Activate a UTXO coin", false},
		{"task::enable_utxo::status", "Show the progress of the activation of a UTXO coin", false},
		{"task::enable_utxo::user_action", "Answer what the activation of a UTXO coin asks for", false},
		{"task::enable_utxo::cancel", "Cancel the activation of a UTXO coin", false},
		{"task::enable_qtum::init", "Activate Qtum", false},
		{"task::enable_qtum::status", "Show the progress of the activation of Qtum", false},
		{"task::enable_qtum::user_action", "Answer what the activation of Qtum asks for", false},
		{"task::enable_qtum::cancel", "Cancel the activation of Qtum", false},
		{"task::enable_bch::init", "Activate Bitcoin Cash", false},
		{"task::enable_bch::status", "Show the progress of the activation of Bitcoin Cash", false},
		{"task::enable_bch::user_action", "Answer what the activation of Bitcoin Cash asks for", false},
		{"task::enable_bch::cancel", "Cancel the activation of Bitcoin Cash", false},
		{"task::enable_z_coin::init", "Activate a coin with shielded transactions", false},
		{"task::enable_z_coin::status", "Show the progress of the activation of a coin with shielded transactions", false},
		{"task::enable_z_coin::user_action", "Answer what the activation of a coin with shielded transactions asks for", false},
		{"task::enable_z_coin::cancel", "Cancel the activation of a coin with shielded transactions", false},
	} {
		refuse := func(context.Context, struct{}) (struct{}, error) {
			return struct{}{}, mmerr.UtxoNotSupported.New(one.name, one.name+" is not available: this node has no UTXO coins")
		}
		methods = append(methods, rpc.Handle(one.name, rpc.Doc{Summary: one.summary + ": refused", Category: categoryUtxo, Reads: true, Legacy: one.legacy}, refuse).
			Unread().Raises(wire.Kinds(mmerr.UtxoNotSupported)...))
	}
	return methods
}
