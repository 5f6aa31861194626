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

// ActiveContractError refuses a custom token whose contract is that of an active token.
type ActiveContractError struct {
	Ticker   string // of the active token
	Contract address.Address
}

func (e *ActiveContractError) Error() string {
	return "the contract " + e.Contract.String() + " is active already, as " + e.Ticker
}

// alone refuses a custom token if another one has its contract.
func (f family) alone(platform *Platform, ticker string, contract address.Address) error {
	for _, active := range f.Active.List() {
		t, is := active.(*Token)
		if is && coin.Canonical(t.Platform()) == coin.Canonical(platform.Ticker()) && t.Contract() == contract && t.Ticker() != ticker {
			return &ActiveContractError{t.Ticker(), contract}
		}
	}
	return nil
}

// TokenInfo is what a contract of ERC-20 says of its token.
type TokenInfo struct {
	Symbol   string // "": the contract names none
	Decimals uint8
}

// TokenInfo asks a contract for it. No node alone is believed the decimals while there are
// others. Errors are a *coin.InvalidError for the address, a *node.ContractError and
// coin.ErrTransport.
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
	if errors.Is(err, coin.ErrContract) { // EIP-20 has it as optional
		return info, nil
	}
	return info, err
}

// TokenBalances returns how much the coin's own address has of tokens, in the order of their
// contracts, which need not be active. Errors are coin.ErrTransport.
func (p *Platform) TokenBalances(ctx context.Context, contracts []address.Address) ([]node.TokenBalance, error) {
	held, err := p.nodes.Balances(ctx, node.BalanceQuery{Owner: p.address, Balances: contracts})
	return held.Balances, err
}

// Allowance is how much of the token a spender may take from the coin's own address.
// Errors are a *coin.InvalidError for the spender, and coin.ErrTransport.
func (t *Token) Allowance(ctx context.Context, spender string) (number.Rational, error) {
	of, err := t.readSpender(spender)
	if err != nil {
		return number.Rational{}, err
	}
	units, err := t.nodes.Allowance(ctx, t.Contract(), t.address, of)
	if err != nil {
		return number.Rational{}, err
	}
	return number.Scaled(units, t.of().Decimals), nil
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

// Approve sends the transaction after which a spender may take an amount of the token, and
// no more, from the coin's own address. Errors are those of coin.Withdrawer.
func (t *Token) Approve(ctx context.Context, spender string, amount number.Rational) (hash [32]byte, err error) {
	of, err := t.readSpender(spender)
	if err != nil {
		return hash, err
	}
	units, err := tx.Units(amount, t.of().Decimals)
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
	call := wire.Transaction{ChainID: t.id, To: t.Contract(), Value: new(big.Int), Data: abi.Call(abi.Approve, abi.Address(of), abi.Uint(units))}
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

// GasPolicy is how much a swap's transactions offer for gas.
type GasPolicy string

// Policies: the nodes' price of gas, or a level of coin.FeeLevels.
const (
	GasLegacy GasPolicy = "Legacy"
	GasLow    GasPolicy = "Low"
	GasMedium GasPolicy = "Medium"
	GasHigh   GasPolicy = "High"
)

// GasPolicy is the one that the coin was given last.
func (a *asset) GasPolicy() GasPolicy {
	if p := a.gas.Load(); p != nil {
		return *p
	}
	return GasLegacy
}

// SetGasPolicy gives the coin another one, which it has as long as it is active.
func (a *asset) SetGasPolicy(p GasPolicy) { a.gas.Store(&p) }
