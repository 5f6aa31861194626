package coin

import (
	"encoding/json"
	"fmt"
	"strings"
)

// DuplicateError means that the coins file already has a custom token or network.
type DuplicateError struct {
	Ticker   string // ticker of the entry
	Contract bool   // whether the entry has the contract; otherwise it has the ticker or the network
	Chain    uint64 // chain id of the entry's network; 0 for another conflict
}

func (e *DuplicateError) Error() string {
	if e.Chain != 0 {
		return fmt.Sprintf("the coins file has the network of chain id %d already, as %s", e.Chain, e.Ticker)
	}
	if e.Contract {
		return "the coins file has the contract already, as " + e.Ticker
	}
	return "the coins file has the ticker already: " + e.Ticker
}

// CustomToken makes an entry for a token that the coins file lacks, from its ticker and its
// protocol, {"type":…,"protocol_data":…}. A nil protocol means that the coins file has the
// token. If the registry has that ticker for the same contract, it returns that entry, so that
// a client need not know which tokens the node has. Errors are ErrEntry and a *DuplicateError.
// As with other entries, the protocol is checked by As.
func (r *Registry) CustomToken(ticker string, protocol json.RawMessage) (*Entry, error) {
	known, err := r.Lookup(ticker)
	if protocol == nil || err == nil && known.isContract(protocol) {
		return known, err
	}
	if err == nil {
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

// CustomNetwork makes an entry for an EVM network that the coins file does not have, from the
// ticker of its coin, its display name and its chain id. If the registry has that ticker for the
// same network, it returns that entry. Errors are ErrEntry and a *DuplicateError: each network has
// one ticker.
func (r *Registry) CustomNetwork(ticker, name string, chain uint64) (*Entry, error) {
	for _, entry := range r.read().entries {
		network, err := As[ETH](entry)
		switch named := Canonical(entry.Ticker) == Canonical(ticker); {
		case named && err == nil && network.ChainID == chain:
			return entry, nil
		case named:
			return nil, &DuplicateError{Ticker: entry.Ticker}
		case err == nil && network.ChainID == chain:
			return nil, &DuplicateError{Ticker: entry.Ticker, Chain: chain}
		}
	}
	type protocol struct {
		Type ProtocolType      `json:"type"`
		Data map[string]uint64 `json:"protocol_data"`
	}
	raw, err := json.Marshal(struct {
		Coin     string   `json:"coin"`
		Name     string   `json:"fname,omitempty"`
		MM2      int      `json:"mm2"`
		Only     bool     `json:"wallet_only"`
		Path     string   `json:"derivation_path"`
		Protocol protocol `json:"protocol"`
	}{ticker, name, 1, true, evmPath, protocol{TypeETH, map[string]uint64{"chain_id": chain}}})
	if err != nil {
		return nil, err
	}
	entry, err := ParseEntry(raw)
	if err != nil {
		return nil, err
	}
	entry.Custom = true
	return entry, nil
}

// evmPath is the derivation path that EVM networks share.
const evmPath = "m/44'/60'"

// isContract reports whether the entry has the contract that a protocol names.
func (e *Entry) isContract(protocol json.RawMessage) bool {
	contract, err := As[ERC20](e)
	other, err2 := As[ERC20](&Entry{Ticker: e.Ticker, protocol: protocol})
	return err == nil && err2 == nil && contract.same(other)
}

func (t ERC20) same(other ERC20) bool {
	return Canonical(t.Platform) == Canonical(other.Platform) && strings.EqualFold(t.ContractAddress, other.ContractAddress)
}

// ByContract returns the ticker of the entry for the contract of a token.
func (r *Registry) ByContract(token ERC20) (ticker string, found bool) {
	for _, entry := range r.read().entries {
		other, err := As[ERC20](entry)
		if err == nil && other.same(token) {
			return entry.Ticker, true
		}
	}
	return "", false
}

// savedEntry returns the entry of a coin that is in no coins file, and nil for other coins.
func savedEntry(c Coin) json.RawMessage {
	if e := c.Entry(); e != nil && e.Custom {
		return e.raw
	}
	return nil
}

// custom parses an entry that savedEntry returned.
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
