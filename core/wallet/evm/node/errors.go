package node

import (
	"errors"
	"strings"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
)

// RevertError reports that a contract or the network rejects the effect of a transaction.
type RevertError struct {
	Code   int64
	Reason string // text of the node
}

func (e *RevertError) Error() string { return e.Reason }

// Final implements nodepool.Verdict. It returns false, since a lying node could return this
// error for any transaction.
func (*RevertError) Final() bool { return false }

// ContractError reports that an address does not have the expected contract.
type ContractError struct {
	Contract address.Address
	Err      error
}

func (e *ContractError) Error() string {
	return "the contract " + e.Contract.String() + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *ContractError) Unwrap() error { return e.Err }

// Is reports whether target is coin.ErrContract.
func (*ContractError) Is(target error) bool { return target == coin.ErrContract }

// Final implements nodepool.Verdict. It returns false, since a node may not have the block with
// the contract yet.
func (*ContractError) Final() bool { return false }

// DisagreementError reports that no number of decimals of a token is returned by more than half
// of the nodes.
type DisagreementError struct {
	Contract address.Address
	Answers  []string // answers of the nodes: "https://a.example: 6"
}

func (e *DisagreementError) Error() string {
	return "the contract " + e.Contract.String() + ": nodes do not agree on its decimals (" + strings.Join(e.Answers, "; ") +
		"); an entry of the coins file may state them"
}

// NotFoundError reports that a node does not have a transaction, or does not have it in a
// block.
type NotFoundError struct{}

func (NotFoundError) Error() string { return "not found" }

// Final implements nodepool.Verdict. It returns false, since another node may have the
// transaction.
func (NotFoundError) Final() bool { return false }

// RangeError means that a range of blocks is too large for a node, or that the node does not
// have the blocks.
type RangeError struct{ *nodepool.RPCError }

// Final implements nodepool.Verdict. It returns false, since another node may accept the range
// or have the blocks.
func (RangeError) Final() bool { return false }

// Unwrap returns the node's error.
func (r RangeError) Unwrap() error { return r.RPCError }

// Failed converts an error of a pool to a coin.ErrTransport, unless it is a NotFoundError.
func Failed(err error) error {
	if errors.Is(err, NotFoundError{}) {
		return NotFoundError{}
	}
	return coin.Failed(err)
}

// Codes of errors.
const (
	codeReverted = 3      // code of eth_call and eth_estimateGas
	codeFailed   = -32015 // code of eth_call in OpenEthereum and Nethermind
)

// Refusal converts a JSON-RPC error to a RevertError if it has that meaning.
func Refusal(e *nodepool.RPCError) error {
	switch {
	case e.Code == codeReverted, e.Code == codeFailed, failsIn(strings.ToLower(e.Message)):
		return &RevertError{e.Code, e.Message}
	}
	return e
}

// failsIn reports whether an error text means that the contract's own code failed (go-ethereum
// core/vm/errors.go; Reth and Anvil write "EVM error" and the reason), and not that the node
// cannot answer.
func failsIn(message string) bool {
	for _, words := range []string{"revert", "invalid opcode", "opcode not defined", "bad instruction", "invalid jump destination", "stack underflow", "stack limit reached", "out of gas",
		"return data out of bounds", "gas uint64 overflow", "write protection", "max call depth", "evm error", "bad jump destination"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}
