package node

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/evm/abi"
)

// Simulation is the result of simulating a transaction on the latest state.
type Simulation struct {
	Gas       uint64 // gas that the transaction would use
	Succeeded bool   // whether more than half of the nodes executed it successfully with eth_call, which not all nodes support
}

// gasBits limits an amount of gas, far above the gas of a block of any network. Fees are
// limited elsewhere.
const gasBits = 40

// Simulate asks all nodes for the gas that a transaction would use and for its result. The gas
// is the median of the answers; for an even number of answers it is the lower of the two in the
// middle. Errors are a *RevertError if more than half of the nodes report that the transaction
// would fail or that its function returns false, and the errors of the pool.
func (p *Pool) Simulate(ctx context.Context, c Call) (Simulation, error) {
	transaction := map[string]string{"from": c.From.Plain(), "value": text.HexNumber(c.Value)}
	if !c.Deploys {
		transaction["to"] = c.To.Plain()
	}
	if len(c.Data) > 0 {
		transaction["data"] = text.Hex(c.Data)
	}
	calls := []nodepool.Call{Request("eth_estimateGas", transaction), Request("eth_call", transaction, "latest")}
	q := batch("", calls, func(o []nodepool.Outcome) (any, int64, error) { return readSimulation(c, o) })
	q.Nullable = true // for eth_call, which is optional
	votes, err := p.Poll(ctx, q, func(votes []nodepool.Vote, missing int) bool {
		l, total := count(votes), len(votes)+missing
		low, high := medians(l.gas, missing)
		return 2*len(l.fails) > total || 2*l.succeeds > total && low != nil && near(low, high, low)
	})
	if err != nil {
		return Simulation{}, Failed(err)
	}
	l := count(votes)
	if 2*len(l.fails) > len(votes) || len(l.gas) == 0 {
		return Simulation{}, Failed(l.fails[0])
	}
	return Simulation{median(l.gas).Uint64(), 2*l.succeeds > len(votes)}, nil
}

// simulationVote is the result of one node.
type simulationVote struct {
	gas       *big.Int
	succeeded bool  // whether eth_call succeeded
	err       error // the transaction would fail; the other fields are not set
}

func readSimulation(c Call, o []nodepool.Outcome) (any, int64, error) {
	var v simulationVote
	for i := range o {
		if o[i].Err == nil {
			continue
		}
		err := Refusal(o[i].Err)
		_, reverted := err.(*RevertError)
		_, answered := err.(*nodepool.RPCError)
		switch {
		case i == 0 && answered && lacksState(o[i].Err):
			return nil, 0, fmt.Errorf("%w: %s", nodepool.ErrAnswer, o[i].Err)
		case reverted, answered && i == 0:
			return simulationVote{err: err}, 0, nil
		case !answered:
			return nil, 0, err
		}
	}
	var err error
	if v.gas, err = quantity(o[0].Result, wholeBits); err != nil {
		return nil, 0, err
	}
	if v.gas.Sign() == 0 || v.gas.BitLen() > gasBits {
		return nil, 0, fmt.Errorf("%w: gas estimate %s is out of range", nodepool.ErrAnswer, v.gas)
	}
	if o[1].Err == nil && string(o[1].Result) != "null" {
		returned, err := ReadBytes(o[1].Result)
		if err != nil {
			return nil, 0, err
		}
		if name := abi.Failed(c.Data, returned); name != "" {
			return simulationVote{err: &RevertError{codeReverted, "the contract's " + name + " returns false"}}, 0, nil
		}
		v.succeeded = true
	}
	return v, 0, nil
}

// lacksState reports whether an error means that a node cannot execute anything, which does not
// depend on the transaction. Some servers behind a URL may be late, and others remove the state
// of older blocks.
func lacksState(e *nodepool.RPCError) bool {
	const codeMethod = -32601 // code of JSON-RPC 2.0 for a method that does not exist
	message := strings.ToLower(e.Message)
	for _, words := range []string{"header not found", "missing trie node", "block not found", "unknown block", "header for hash not found", "state is not available", "state not available", "historical state", "distance to target block"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return e.Code == codeMethod
}

// simulationCount counts the results of nodes.
type simulationCount struct {
	gas      []*big.Int // sorted
	succeeds int
	fails    []error
}

func count(votes []nodepool.Vote) (l simulationCount) {
	for _, vote := range votes {
		v := vote.Answer.(simulationVote)
		if v.err != nil {
			l.fails = append(l.fails, v.err)
			continue
		}
		l.gas = append(l.gas, v.gas)
		if v.succeeded {
			l.succeeds++
		}
	}
	sortNumbers(l.gas)
	return l
}
