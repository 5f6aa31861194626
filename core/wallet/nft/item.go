package nft

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"obverse/core/text"
)

// item is an NFT of the indexer, parsed leniently.
type item struct {
	_        unequal
	Address  rawText `json:"token_address"`
	ID       rawText `json:"token_id"`
	Amount   rawText `json:"amount"`
	Owner    rawText `json:"owner_of"`
	Hash     rawText `json:"token_hash"`
	Block    rawText `json:"block_number"`
	Minted   rawText `json:"block_number_minted"`
	Type     rawText `json:"contract_type"`
	Name     rawText `json:"name"`
	Symbol   rawText `json:"symbol"`
	URI      rawText `json:"token_uri"`
	Metadata rawText `json:"metadata"`
	URISync  rawText `json:"last_token_uri_sync"`
	MetaSync rawText `json:"last_metadata_sync"`
	Minter   rawText `json:"minter_address"`
	Spam     rawText `json:"possible_spam"`
}

// itemError reports why an item is skipped.
type itemError struct{ member, value string }

func (e *itemError) Error() string { return fmt.Sprintf("invalid %s %.100q", e.member, e.value) }

var errItem = errors.New("not an object with the expected members")

// readItem parses an NFT. Contract, id, type and amount are required. Members that are missing
// keep their known values.
func (s Settings) readItem(c Chain, raw json.RawMessage, known NFT) (NFT, error) {
	var i item
	if json.Unmarshal(raw, &i) != nil {
		return NFT{}, errItem
	}
	i.Type, i.Amount = rawText(or(string(i.Type), known.Type)), rawText(or(string(i.Amount), known.Amount))
	n := NFT{Type: string(i.Type)}
	token, err := readToken(c, i.Address, i.ID, i.Type)
	if err != nil {
		return n, err
	}
	n.Token = token
	if n.Amount, err = readAmount(i.Amount, n.Type); err != nil {
		return n, err
	}
	n.Owner, _ = ParseAddress(string(i.Owner)) // "" if invalid; the owner is then the wallet of the request
	n.Block, n.Minted = parseUint(i.Block), parseUint(i.Minted)
	n.Hash, n.Minter = singleLine(string(i.Hash), maxName), singleLine(string(i.Minter), maxName)
	n.URISync, n.MetaSync = singleLine(string(i.URISync), 64), singleLine(string(i.MetaSync), 64)
	n.Name, n.Symbol = displayName(i.Name), displayName(i.Symbol)
	n.URI = s.canonical(allowedURI(string(i.URI)))
	n.Domain = domainOf(n.URI)
	n.Metadata = cleanJSON(string(i.Metadata))
	n.Meta = n.document([]byte(n.Metadata))
	n.Meta.fill(&Meta{})
	n.Meta.setDomains()
	n.Spam = i.Spam.isTrue() || maliciousURI(n.URI) || n.linked()
	return n, nil
}

// displayName returns the display form of the name or the symbol of a collection.
func displayName(name rawText) string {
	if hasActiveContent(string(name)) {
		return removed
	}
	return singleLine(string(name), maxName)
}

func readToken(c Chain, address, id, kind rawText) (t Token, err error) {
	t.Chain = c
	var ok bool
	if kind != ERC721 && kind != ERC1155 {
		return t, &itemError{"contract_type", string(kind)}
	}
	if t.Address, ok = ParseAddress(string(address)); !ok {
		return t, &itemError{"token_address", string(address)}
	}
	if t.ID, ok = ParseUint256(string(id)); !ok {
		return t, &itemError{"token_id", string(id)}
	}
	return t, nil
}

// readAmount parses an amount. For ERC-721 it may be missing, and is 1.
func readAmount(amount rawText, kind string) (string, error) {
	if amount == "" && kind == ERC721 {
		return "1", nil
	}
	n, ok := ParseUint256(string(amount))
	if !ok {
		return "", &itemError{"amount", string(amount)}
	}
	return n, nil
}

// parseUint parses a number. It returns 0 for invalid ones.
func parseUint(t rawText) uint64 {
	n, err := strconv.ParseUint(string(t), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// transferItem is a transfer of the indexer.
type transferItem struct {
	_         unequal
	Address   rawText `json:"token_address"`
	ID        rawText `json:"token_id"`
	Amount    rawText `json:"amount"`
	Type      rawText `json:"contract_type"`
	From      rawText `json:"from_address"`
	To        rawText `json:"to_address"`
	Hash      rawText `json:"transaction_hash"`
	TxIndex   rawText `json:"transaction_index"`
	LogIndex  rawText `json:"log_index"`
	Block     rawText `json:"block_number"`
	BlockHash rawText `json:"block_hash"`
	Time      rawText `json:"block_timestamp"`
	Value     rawText `json:"value"`
	Kind      rawText `json:"transaction_type"`
	Operator  rawText `json:"operator"`
	Verified  rawText `json:"verified"`
	Spam      rawText `json:"possible_spam"`
}

// errNotOfWallet rejects a transfer between two other addresses.
var errNotOfWallet = errors.New("neither from_address nor to_address is the wallet")

// readTransfer parses a transfer of a wallet. The members that identify it, and both addresses,
// are required.
func readTransfer(c Chain, wallet string, raw json.RawMessage) (Transfer, error) {
	var i transferItem
	if json.Unmarshal(raw, &i) != nil {
		return Transfer{}, errItem
	}
	t := Transfer{Wallet: wallet, Type: string(i.Type)}
	var err error
	if t.Token, err = readToken(c, i.Address, i.ID, i.Type); err != nil {
		return t, err
	}
	if t.Amount, err = readAmount(i.Amount, t.Type); err != nil {
		return t, err
	}
	var ok bool
	if t.From, ok = ParseAddress(string(i.From)); !ok {
		return t, &itemError{"from_address", string(i.From)}
	}
	if t.To, ok = ParseAddress(string(i.To)); !ok {
		return t, &itemError{"to_address", string(i.To)}
	}
	if t.From != wallet && t.To != wallet {
		return t, errNotOfWallet
	}
	if t.Hash, ok = parseHash(string(i.Hash)); !ok {
		return t, &itemError{"transaction_hash", string(i.Hash)}
	}
	at, err := parseTime(string(i.Time))
	if err != nil {
		return t, &itemError{"block_timestamp", string(i.Time)}
	}
	t.Time = at.Unix()
	t.BlockHash, _ = parseHash(string(i.BlockHash)) // "" if invalid
	t.TxIndex, t.LogIndex, t.Block, t.Verified = parseUint(i.TxIndex), parseUint(i.LogIndex), parseUint(i.Block), parseUint(i.Verified)
	t.Value, _ = ParseUint256(string(i.Value))
	t.Kind = singleLine(string(i.Kind), 64)
	t.Operator, _ = ParseAddress(string(i.Operator))
	t.Spam = i.Spam.isTrue()
	return t, nil
}

// parseHash parses 0x and 64 hexadecimal digits, and returns them in lower case.
func parseHash(hash string) (string, bool) { return text.LowerHex(hash, 32) }

// parseTime parses a time. A time without a zone is in UTC.
func parseTime(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", text)
	}
	return at, err
}
