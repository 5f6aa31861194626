package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
)

// ActiveContractError means that a custom token has the contract of an active token.
type ActiveContractError struct {
	Ticker   string // ticker of the active token
	Contract address.Address
}

func (e *ActiveContractError) Error() string {
	return "the contract " + e.Contract.String() + " is active already, as " + e.Ticker
}

// alone returns an error if another token has the contract of a custom token.
func (f family) alone(platform *Platform, ticker string, contract address.Address) error {
	for _, active := range f.Active.List() {
		t, is := active.(*Token)
		if is && coin.Canonical(t.Platform()) == coin.Canonical(platform.Ticker()) && t.Contract() == contract && t.Ticker() != ticker {
			return &ActiveContractError{t.Ticker(), contract}
		}
	}
	return nil
}

// TokenInfo is the metadata of an ERC-20 token.
type TokenInfo struct {
	Symbol   string // "" means that the contract has no symbol
	Decimals uint8
}

// TokenInfo queries the metadata of a contract. The answer of a single one of several nodes is
// not sufficient for the decimals. Errors are a *coin.InvalidError for the address, a
// *node.ContractError and coin.ErrTransport.
func (p *Platform) TokenInfo(ctx context.Context, contract string) (info TokenInfo, err error) {
	at, err := address.ParseOn(p.chain.id, contract)
	if err != nil {
		return info, &coin.InvalidError{Field: coin.FieldAddress, Reason: err}
	}
	decimals, err := p.nodes.Decimals(ctx, []address.Address{at})
	if err != nil {
		return info, err
	}
	info.Decimals = decimals[0]
	info.Symbol, err = p.nodes.Symbol(ctx, at)
	if errors.Is(err, coin.ErrContract) { // symbols are optional in ERC-20
		return info, nil
	}
	return info, err
}

// TokenBalances returns the balances of the coin's own address in tokens, in the order of their
// contracts. The tokens need not be active. Errors are coin.ErrTransport.
func (p *Platform) TokenBalances(ctx context.Context, contracts []address.Address) ([]node.TokenBalance, error) {
	held, err := p.nodes.Balances(ctx, node.BalanceQuery{Owner: p.address, Balances: contracts})
	return held.Balances, err
}

// Allowance returns the amount of the token that a spender may transfer from the coin's own
// address. Errors are a *coin.InvalidError for the spender, and coin.ErrTransport.
func (t *Token) Allowance(ctx context.Context, spender string) (number.Rational, error) {
	allowed, err := t.readSpender(spender)
	if err != nil {
		return number.Rational{}, err
	}
	units, err := t.nodes.Allowance(ctx, t.Contract(), t.address, allowed)
	if err != nil {
		return number.Rational{}, err
	}
	return number.Scaled(units, t.txAsset().Decimals), nil
}

func (t *Token) readSpender(text string) (address.Address, error) {
	spender, err := address.ParseOn(t.id, text)
	if err == nil && spender.IsZero() {
		err = ErrZeroAddress
	}
	if err != nil {
		return spender, &coin.InvalidError{Field: coin.FieldSpender, Reason: fmt.Errorf("%.70q: %w", text, err)}
	}
	return spender, nil
}

// Approve sends a transaction that sets the amount of the token that a spender may transfer from
// the coin's own address. It returns the errors of coin.Withdrawer.
func (t *Token) Approve(ctx context.Context, spender string, amount number.Rational) (hash [32]byte, err error) {
	allowed, err := t.readSpender(spender)
	if err != nil {
		return hash, err
	}
	units, err := tx.Units(amount, t.txAsset().Decimals)
	if err != nil {
		return hash, &coin.InvalidError{Field: coin.FieldAmount, Reason: err}
	}
	opened, err := t.account.Signer(ctx)
	if err != nil {
		return hash, err
	}
	defer opened.Close()
	defer t.nodes.Invalidate()
	w := t.wallet(opened)
	call := wire.Transaction{ChainID: t.id, To: t.Contract(), Value: new(big.Int), Data: abi.Call(abi.Approve, abi.Address(allowed), abi.Uint(units))}
	p, err := w.Prepare(ctx, call, false)
	if err != nil {
		return hash, err
	}
	if err := w.CheckFee(p); err != nil {
		return hash, err
	}
	return w.Send(ctx, p.Transaction)
}

// WithdrawNFT sends NFTs of the coin's own address, see tx.Wallet.
func (p *Platform) WithdrawNFT(ctx context.Context, n tx.NFT, r coin.WithdrawRequest) (coin.Transaction, error) {
	opened, err := p.account.Signer(ctx)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer opened.Close()
	if r.Send {
		defer p.nodes.Invalidate()
	}
	return p.wallet(opened).WithdrawNFT(ctx, n, r)
}

// GasPolicy selects the gas price of a swap's transactions.
type GasPolicy string

// Policies: the nodes' price of gas, or a level of coin.FeeLevels.
const (
	GasLegacy GasPolicy = "Legacy"
	GasLow    GasPolicy = "Low"
	GasMedium GasPolicy = "Medium"
	GasHigh   GasPolicy = "High"
)

// GasPolicy returns the current policy of the coin.
func (a *asset) GasPolicy() GasPolicy {
	if p := a.gas.Load(); p != nil {
		return *p
	}
	return GasLegacy
}

// SetGasPolicy sets the policy of the coin while it is active.
func (a *asset) SetGasPolicy(p GasPolicy) { a.gas.Store(&p) }
