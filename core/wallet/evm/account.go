package evm

import (
	"obverse/core/wallet/account"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
)

// codec finds addresses. External wallets do not always show a key, so that theirs are saved.
var codec = account.Codec[address.Address]{Of: tx.AddressOf, Parse: address.Parse}
