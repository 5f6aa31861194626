package send

import (
	"context"
	"fmt"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	evmaddress "obverse/core/wallet/evm/address"
)

// MaxContracts limits the number of contracts in a find_tokens request.
const MaxContracts = 1000

type findTokensParams struct {
	Coin      string   `json:"coin" doc:"ticker of an active EVM network's coin"`
	Contracts []string `json:"contracts" doc:"addresses, at most 1000"`
}

type FoundTokens struct {
	Held   []heldToken   `json:"held"`
	Failed []unreadToken `json:"failed"`
}

type heldToken struct {
	Contract string `json:"contract"`
	Units    string `json:"units" doc:"a whole number above 0"`
}

type unreadToken struct {
	Contract string `json:"contract"`
	Error    string `json:"error"`
}

func (t Tokens) find(ctx context.Context, p findTokensParams) (FoundTokens, error) {
	if len(p.Contracts) > MaxContracts {
		return FoundTokens{}, &rpc.ParamError{Path: "contracts", Want: fmt.Sprintf("at most %d addresses", MaxContracts), Got: rpc.KindArray, Err: wire.ErrTooMany}
	}
	platform, err := t.network(p.Coin)
	if err != nil {
		return FoundTokens{}, err
	}
	found := FoundTokens{Held: []heldToken{}, Failed: []unreadToken{}}
	contracts := make([]evmaddress.Address, 0, len(p.Contracts))
	for _, text := range p.Contracts {
		contract, err := evmaddress.ParseOn(platform.ChainID(), text)
		if err != nil {
			found.Failed = append(found.Failed, unreadToken{wire.Clip(text), err.Error()})
			continue
		}
		contracts = append(contracts, contract)
	}
	balances, err := platform.TokenBalances(ctx, contracts)
	if err != nil {
		return FoundTokens{}, mmerr.RetrieveInfoError.From(err, wire.Text(err), "Error retrieving token balances "+wire.Text(err))
	}
	for i, one := range balances {
		switch {
		case one.Err != nil:
			found.Failed = append(found.Failed, unreadToken{contracts[i].String(), wire.Text(one.Err)})
		case one.Units.Sign() > 0:
			found.Held = append(found.Held, heldToken{contracts[i].String(), one.Units.String()})
		}
	}
	return found, nil
}
