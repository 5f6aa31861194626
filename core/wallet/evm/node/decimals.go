package node

import (
	"context"
	"fmt"
	"strconv"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

// decimalBits is the number of bits of the result of decimals() of ERC-20.
const decimalBits = 8

// Decimals returns the decimals of tokens. For each token it is the number returned by more
// than half of the nodes that answer and have the contract. If there are two nodes, one of them
// may lack the contract. Errors are a *ContractError if more than half report that the
// contract is missing, a *DisagreementError, nodepool.ErrAlone if too few servers answer, a
// *nodepool.RPCError and a *nodepool.UnreachableError.
func (p *Pool) Decimals(ctx context.Context, contracts []address.Address) ([]uint8, error) {
	var all []uint8
	for len(contracts) > 0 {
		part := contracts[:min(len(contracts), MaxBatch)]
		contracts = contracts[len(part):]
		votes, _, alone, err := p.Tally(ctx, decimalsOf(part), len(part), func(answer any, i int) any {
			if v := answer.([]decimalsVote)[i]; v.err == nil {
				return v.decimals
			}
			return nil
		})
		if err == nil && alone {
			err = fmt.Errorf("the decimals of tokens: %w", nodepool.ErrAlone)
		}
		if err != nil {
			return nil, Failed(err)
		}
		for i, contract := range part {
			agreed, err := agree(contract, i, votes)
			if err != nil {
				return nil, Failed(err)
			}
			all = append(all, agreed)
		}
	}
	return all, nil
}

// decimalsVote is a node's answer about a contract.
type decimalsVote struct {
	decimals uint8
	err      error // if not nil, the contract is not a token
}

func decimalsOf(contracts []address.Address) nodepool.Question {
	var calls []nodepool.Call
	var views []numberCall
	for _, contract := range contracts {
		v := view(contract, decimalBits, abi.Decimals)
		v.alone = true
		calls, views = append(calls, v.Call), append(views, v)
	}
	q := batch("", calls, func(o []nodepool.Outcome) (any, int64, error) {
		list := make([]decimalsVote, len(views))
		for i, v := range views {
			n, err := v.read(o[i])
			if _, none := err.(*ContractError); none {
				list[i].err = err
				continue
			}
			if err != nil {
				return nil, 0, err
			}
			list[i].decimals = uint8(n.Uint64())
		}
		return list, 0, nil
	})
	q.SkipUnreached = true // tokens are activated at the start, perhaps with a server that no longer exists
	return q
}

// majorityDecimals returns the number with the most votes for one of the contracts, its votes,
// and the number of nodes that report that it has no decimals.
func majorityDecimals(place int, votes []nodepool.Vote) (decimals uint8, n, none int) {
	count := map[uint8]int{}
	for _, v := range votes {
		s := v.Answer.([]decimalsVote)[place]
		if s.err != nil {
			none++
		} else if count[s.decimals]++; count[s.decimals] > n {
			decimals, n = s.decimals, count[s.decimals]
		}
	}
	return decimals, n, none
}

// agree counts the votes for one of the contracts.
func agree(contract address.Address, place int, votes []nodepool.Vote) (uint8, error) {
	var none error
	var votesText []string
	for _, v := range votes {
		s := v.Answer.([]decimalsVote)[place]
		if s.err != nil {
			none = fmt.Errorf("%s: %w", v.URL, s.err)
			continue
		}
		votesText = append(votesText, v.URL+": "+strconv.Itoa(int(s.decimals)))
	}
	decimals, n, lack := majorityDecimals(place, votes)
	switch {
	case 2*lack > len(votes):
		return 0, none
	case 2*n > len(votes)-lack:
		return decimals, nil
	}
	return 0, &DisagreementError{contract, votesText}
}
