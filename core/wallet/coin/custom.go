package coin

import (
	"encoding/json"
	"strings"
)

// DuplicateError refuses a custom token that the coins file has already.
type DuplicateError struct {
	Ticker   string // of the entry
	Contract bool   // the entry has the contract; otherwise the ticker
}

func (e *DuplicateError) Error() string {
	if e.Contract {
		return "the coins file has the contract already, as " + e.Ticker
	}
	return "the coins file has the ticker already: " + e.Ticker
}

// CustomToken makes an entry for a token that the coins file does not have, of its ticker
// and its protocol, {"type":…,"protocol_data":…}. Errors are ErrEntry and a *DuplicateError;
// as with other entries, it is As that refuses a protocol.
func (r *Registry) CustomToken(ticker string, protocol json.RawMessage) (*Entry, error) {
	if known, err := r.Lookup(ticker); err == nil {
		return nil, &DuplicateError{Ticker: known.Ticker}
	}
	raw, err := json.Marshal(struct {
		Coin       string          `json:"coin"`
		WalletOnly bool            `json:"wallet_only"`
		Protocol   json.RawMessage `json:"protocol"`
	}{ticker, true, protocol})
	if err != nil {
		return nil, err
	}
	entry, err := ParseEntry(raw)
	if err != nil {
		return nil, err
	}
	entry.Custom = true
	if token, err := As[ERC20](entry); err == nil {
		if known, found := r.ByContract(token); found {
			return nil, &DuplicateError{Ticker: known, Contract: true}
		}
	}
	return entry, nil
}

// ByContract finds the ticker of the entry for the contract of a token.
func (r *Registry) ByContract(token ERC20) (ticker string, found bool) {
	for _, entry := range r.read().entries {
		other, err := As[ERC20](entry)
		if err == nil && Canonical(other.Platform) == Canonical(token.Platform) && strings.EqualFold(other.ContractAddress, token.ContractAddress) {
			return entry.Ticker, true
		}
	}
	return "", false
}

// savedEntry is the entry of a coin that no coins file has; nil: one has it.
func savedEntry(c Coin) json.RawMessage {
	if e := c.Entry(); e != nil && e.Custom {
		return e.raw
	}
	return nil
}

// custom reads what savedEntry wrote.
func custom(raw json.RawMessage) *Entry {
	if raw == nil {
		return nil
	}
	entry, err := ParseEntry(raw)
	if err != nil {
		return nil
	}
	entry.Custom = true
	return entry
}
