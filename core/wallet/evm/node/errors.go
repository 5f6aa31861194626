package node

import (
	"errors"
	"strings"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
)

// RevertError says that a contract, or the network, refuses what a transaction would do.
type RevertError struct {
	Code   int64
	Reason string // the node's words
}

func (e *RevertError) Error() string { return e.Reason }

// Final implements nodepool.Verdict: a node that lies can say so of anything.
func (*RevertError) Final() bool { return false }

// ContractError says that an address is not the contract that it should be.
type ContractError struct {
	Contract address.Address
	Err      error
}

func (e *ContractError) Error() string {
	return "the contract " + e.Contract.String() + ": " + e.Err.Error()
}

// Unwrap gives the reason.
func (e *ContractError) Unwrap() error { return e.Err }

// Is makes it a coin.ErrContract.
func (*ContractError) Is(target error) bool { return target == coin.ErrContract }

// Final implements nodepool.Verdict: a node may not have the block with the contract yet.
func (*ContractError) Final() bool { return false }

// DisagreementError says that no number of decimals of a token has more than half of the
// nodes for it.
type DisagreementError struct {
	Contract address.Address
	Answers  []string // by the nodes: "https://a.example: 6"
}

func (e *DisagreementError) Error() string {
	return "the contract " + e.Contract.String() + ": nodes do not agree on its decimals (" + strings.Join(e.Answers, "; ") +
		"); an entry of the coins file may state them"
}

// NotFoundError says that a node does not have a transaction, or not in a block.
type NotFoundError struct{}

func (NotFoundError) Error() string { return "not found" }

// Final implements nodepool.Verdict: another node may have it.
func (NotFoundError) Final() bool { return false }

// failed makes what a pool fails with a coin.ErrTransport, unless it is a NotFoundError.
func failed(err error) error {
	if errors.Is(err, NotFoundError{}) {
		return NotFoundError{}
	}
	return coin.Failed(err)
}

// Codes of errors.
const (
	codeReverted = 3      // of eth_call and eth_estimateGas
	codeFailed   = -32015 // of eth_call, of OpenEthereum and Nethermind
)

// refusal reports what an error of JSON-RPC means.
func refusal(e *nodepool.RPCError) error {
	switch {
	case e.Code == codeReverted, e.Code == codeFailed, failsIn(strings.ToLower(e.Message)):
		return &RevertError{e.Code, e.Message}
	}
	return e
}

// failsIn reports whether a node says that the contract's own code has failed (go-ethereum
// core/vm/errors.go; Reth and Anvil write "EVM error" and the reason), not that it cannot answer.
func failsIn(message string) bool {
	for _, words := range []string{"revert", "invalid opcode", "opcode not defined", "bad instruction", "invalid jump destination", "stack underflow", "stack limit reached", "out of gas",
		"return data out of bounds", "gas uint64 overflow", "write protection", "max call depth", "evm error", "bad jump destination"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}
