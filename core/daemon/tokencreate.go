package daemon

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/rpc"
)

type tokenCreateParams struct {
	Name        unreadText    `json:"name" doc:"name of the token, at most 32 bytes"`
	Supply      unreadDecimal `json:"supply" doc:"coins to convert to tokens; one coin yields 100,000,000 tokens, so that 0.01 yields 1,000,000"`
	Description unreadText    `json:"description" rpc:"optional" doc:"description of the token, at most 4096 bytes; the relay limit of nodes is lower"`
	Data        *unreadText   `json:"data" doc:"data of a non-fungible token with supply 0.00000001, in hexadecimal; the first byte is the eval code of the token: tokens with f1 and f3 can be transferred, tokens with other codes cannot, and 00 and f2 are rejected, because no key would hold the token"`

	Holders *firstHolders `json:"holders" doc:"not in komodod: tokens by public key of the first holders, at most 3000; the creator receives the rest. For a fungible token, pass an empty string as data"`
}

// creation holds the parameters of a token creation.
type creation struct {
	name        string
	supply      int64
	description string
	data        []byte // nil if not given
	holders     []wallet.Payee
}

// firstHolders are amounts in a place where komodod has no parameter: anything but an object is one
// parameter too many.
type firstHolders amounts

// UnmarshalParam implements rpc.Unmarshaler.
func (h *firstHolders) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindObject {
		return rpc.ErrCount
	}
	return (*amounts)(h).UnmarshalParam(raw)
}

// JSONSchema implements rpc.Described.
func (firstHolders) JSONSchema() *rpc.Schema { return amounts(nil).JSONSchema() }

// maxFirstHolders is the maximum number of keys to which a creation issues tokens. More would
// exceed the size of a transaction.
const maxFirstHolders = 3000

func (b *Backend) tokenCreate(ctx context.Context, p tokenCreateParams) (builtTx, error) {
	c, err := p.read()
	if errors.Is(err, wallet.ErrDataSupply) {
		return builtTx{}, hinted{refusal(err.Error()), "supply is in coins, of which one makes 100,000,000 tokens: the supply of a non-fungible token is 0.00000001"}
	}
	if err != nil {
		return builtTx{}, refuse(err)
	}
	if p.Holders != nil {
		if c.holders, err = b.readPayees(ctx, amounts(*p.Holders), maxFirstHolders); err != nil {
			return builtTx{}, err
		}
	}
	hint := ""
	built, err := b.build(ctx, func(from wallet.Snapshot) (*wire.Tx, error) {
		tx, err := b.Wallet.CreateToken(from, c.name, c.supply, c.description, c.data, c.holders...)
		hint = dataHint(c.data, from.NextHeight(), b.Manager.Params())
		return tx, b.hintCreation(err, from, c.supply)
	})
	built.hint = hint
	return built, err
}

// dataHint returns a warning for the creator of a non-fungible token, or "". As in komodod, the
// first byte of the data determines whether transfers can be valid.
func dataHint(data []byte, height int, p *params.Params) string {
	switch {
	case len(data) == 0:
		return ""
	case data[0] == 0 || data[0] == token.Eval:
		return fmt.Sprintf("data begins with %02x: no key will hold this token. Begin it with f1 for a token that can be transferred", data[0])
	case !consensus.Evals(nil, height, p)(data[:1]):
		return fmt.Sprintf("data begins with %02x: this token can never be transferred. Begin it with f1 for a token that can be", data[0])
	}
	return ""
}

// read reads the parameters in order, and checks the type and the value of each before the
// next. As in komodod, only the first error is reported, whatever its kind.
func (p *tokenCreateParams) read() (creation, error) {
	c := creation{supply: 1} // a placeholder that is valid until the supply has been read
	for _, read := range []func(*creation) error{p.readName, p.readSupply, p.readDescription, p.readData} {
		if err := read(&c); err != nil {
			return c, err
		}
		if err := wallet.CheckCreation(c.name, c.supply, c.description, c.data); err != nil {
			return c, err
		}
	}
	for _, text := range []string{c.name, c.description, string(c.data)} {
		if key.HasMnemonic(text) {
			return c, refusedPhrase
		}
	}
	return c, nil
}

// refusedPhrase refuses a recovery phrase in a text that would become public.
const refusedPhrase refusal = "name, description or data contains a recovery phrase: anyone who reads the chain could take the coins of its wallet"

func (p *tokenCreateParams) readName(c *creation) (err error) {
	c.name, err = p.Name.read()
	return err
}

func (p *tokenCreateParams) readSupply(c *creation) error {
	var digits Decimal
	err := digits.UnmarshalParam(json.RawMessage(p.Supply))
	if err != nil {
		return err
	}
	if c.supply, err = number.ParseCoins(string(digits)); err != nil {
		return badNumber("supply", "a decimal number of coins with at most 8 decimals", digits)
	}
	return nil
}

func (p *tokenCreateParams) readDescription(c *creation) (err error) {
	if p.Description != nil {
		c.description, err = p.Description.read()
	}
	return err
}

func (p *tokenCreateParams) readData(c *creation) error {
	if p.Data == nil {
		return nil
	}
	text, err := p.Data.read()
	if p.Holders != nil && (text == "" && err == nil || rpc.KindOf(json.RawMessage(*p.Data)) == rpc.KindNull) {
		return nil // not the last parameter, so it cannot be left out
	}
	if err != nil {
		return err
	}
	if c.data, err = hex.DecodeString(text); err != nil {
		c.data = []byte{} // empty data is invalid, which the wallet reports in its turn
	}
	return nil
}

// hintTransfer adds a hint to the error of a transfer without enough tokens, for which komodod
// has the same text for several reasons.
func (b *Backend) hintTransfer(err error, from wallet.Snapshot, id wire.Hash, amount int64) error {
	var hint string
	var failed error
	switch {
	case errors.Is(err, wallet.ErrNoTokens), errors.Is(err, wallet.ErrFewTokens):
		hint, failed = b.lackOfTokens(from, id, amount)
	case errors.Is(err, wallet.ErrFee):
		hint, failed = b.lackOfCoins(from)
	default:
		return err
	}
	if failed != nil {
		return failed
	}
	return hinted{refusal(err.Error()), hint}
}

// lackOfCoins returns a hint with the address that needs coins for a fee.
func (b *Backend) lackOfCoins(from wallet.Snapshot) (hint string, err error) {
	held, err := b.balance(from.View, 0)
	return fmt.Sprintf("the wallet has %s coins for the fee of %s; send some to %v", number.Coins(held), number.Coins(wallet.Fee), b.Wallet.Address()), err
}

// hintCreation adds a hint with the available coins to the error of a creation without enough
// coins.
func (b *Backend) hintCreation(err error, from wallet.Snapshot, supply int64) error {
	if !errors.Is(err, wallet.ErrCoins) {
		return err
	}
	held, failed := b.balance(from.View, 0)
	if failed != nil {
		return failed
	}
	hint := fmt.Sprintf("supply is %s coins, the node's key can spend %s, and the creation takes a fee", number.Coins(supply), number.Coins(held))
	if tokens := supply / coin; supply%coin == 0 && tokens < held { // the supply was probably given as a number of tokens
		hint += fmt.Sprintf("; one coin makes 100,000,000 tokens: %s tokens are %s coins", grouped(tokens), shortCoins(tokens))
	}
	if held/2 >= supply { // fees are negligible
		hint += "; the coins are too small for one transaction: join them with sendtoaddress"
	}
	return hinted{refusal(err.Error()), hint}
}

func (b *Backend) lackOfTokens(from wallet.Snapshot, id wire.Hash, amount int64) (hint string, err error) {
	creation, isToken := from.View.Creation(id)
	known, err := from.View.HasTx(id)
	_, waiting := from.Pool.Entry(id)
	switch {
	case err != nil:
		return "", err
	case !isToken && waiting:
		return "the token waits for a block; transfer it once that is there", nil
	case !isToken && known:
		return "the transaction with this id does not create a token; tokenlist lists the tokens", nil
	case !isToken:
		return "no transaction of this chain has this id; tokenlist lists the tokens", nil
	}
	holder := b.tokensOf(b.Wallet.PublicKey())
	if creation.NFT != 0 {
		holder = conditionAddress(token.HolderCodes(creation.NFT), b.Wallet.PublicKey())
	}
	held, err := from.TokenBalance(id, holder)
	change, others := waitingTokens(from, id, holder)
	hint = fmt.Sprintf("amount is %d, the node's key has %d confirmed tokens of this id", amount, held)
	if change > 0 {
		hint += fmt.Sprintf(" and %d of unconfirmed change", change)
	}
	if held+change >= amount {
		hint += ", but some in outputs too small for this amount; transfer less at once"
	}
	if others > 0 {
		hint += fmt.Sprintf(", and %d wait for the next block", others)
	}
	return hint, err
}

// maxWaitingOutputs is the maximum number of outputs that waitingTokens reads, since others can
// fill the mempool with them.
const maxWaitingOutputs = 10_000

// waitingTokens returns the numbers of a holder's tokens in pending transactions: the holder's own
// change, and tokens that others have paid, as far as it has read them.
func waitingTokens(from wallet.Snapshot, id wire.Hash, holder chain.Address) (change, others int64) {
	found := map[wire.OutPoint]bool{}
	for entry, i := range from.Change(id, holder) {
		change += entry.Tx.Outputs[i].Value
		found[wire.OutPoint{Hash: entry.ID, Index: uint32(i)}] = true
	}
	read := 0
	for entry, i := range from.Pool.Unspent(holder) {
		if entry.Transfers.Holds(id, i) && !found[wire.OutPoint{Hash: entry.ID, Index: uint32(i)}] {
			others += entry.Tx.Outputs[i].Value
		}
		if read++; read == maxWaitingOutputs {
			break
		}
	}
	return change, others
}

// coin is the number of satoshis in a coin. One satoshi corresponds to one token.
const coin = 100_000_000

// grouped formats a whole number with commas between groups of three digits.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// shortCoins formats an amount without trailing zeros.
func shortCoins(satoshis int64) string {
	return strings.TrimSuffix(strings.TrimRight(number.Coins(satoshis).String(), "0"), ".")
}
