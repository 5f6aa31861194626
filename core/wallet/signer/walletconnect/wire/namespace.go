package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrNamespaces means that namespaces do not conform to CAIP-2, CAIP-10 or the protocol.
var ErrNamespaces = errors.New("invalid namespaces")

// Namespaces maps names, such as cosmos or eip155, to the parts of a session. A name may also
// be a chain, such as eip155:1.
type Namespaces map[string]Namespace

// Namespace is the part of a session for one family of chains.
type Namespace struct {
	Chains   []string `json:"chains"`             // CAIP-2: cosmos:cosmoshub-4
	Methods  []string `json:"methods"`            // methods that can be requested
	Events   []string `json:"events"`             // events that the wallet may send
	Accounts []string `json:"accounts,omitempty"` // CAIP-10: cosmos:cosmoshub-4:cosmos1…; only in sessions
}

// Limits of namespaces.
const (
	maxNamespaces = 16
	maxChains     = 128
	maxAccounts   = 512
	maxMethods    = 128
)

// DecodeNamespaces decodes the namespaces in a message of the wallet. It adds the chains of the
// accounts, since some wallets send null for chains. It omits invalid chains, accounts,
// methods, events and namespaces, and namespaces without accounts, which wallets send for
// optional ones; Covers fails if a required one is missing. It returns ErrNamespaces.
func DecodeNamespaces(raw json.RawMessage) (Namespaces, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fmt.Errorf("%w: not an object of namespaces", ErrNamespaces)
	}
	if len(members) > maxNamespaces {
		return nil, fmt.Errorf("%w: %d namespaces, limit %d", ErrNamespaces, len(members), maxNamespaces)
	}
	all, reason := Namespaces{}, fmt.Errorf("%w: no namespaces", ErrNamespaces)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		n, err := decodeNamespace(name, members[name])
		if err != nil {
			reason = err
			continue
		}
		all[name] = n
	}
	if len(all) == 0 {
		return nil, reason
	}
	return all, nil
}

func decodeNamespace(name string, raw json.RawMessage) (n Namespace, err error) {
	if err := json.Unmarshal(raw, &n); err != nil {
		return n, fmt.Errorf("%w: %.40q is not an object of chains, methods, events and accounts", ErrNamespaces, name)
	}
	if len(n.Accounts) == 0 {
		return n, fmt.Errorf("%w: %.40q has no accounts", ErrNamespaces, name)
	}
	first := n.Accounts[0]
	n.Accounts = valid(n.Accounts, func(account string) bool {
		chain, _, ok := SplitAccount(account)
		return ok && isChainOf(name, chain)
	})
	if len(n.Accounts) == 0 {
		return n, fmt.Errorf("%w: %.200q is not an account of %.40q", ErrNamespaces, first, name)
	}
	n.Chains = valid(n.Chains, func(chain string) bool { return isChainOf(name, chain) })
	for _, account := range n.Accounts[:min(len(n.Accounts), maxAccounts)] {
		if chain, _, _ := SplitAccount(account); !slices.Contains(n.Chains, chain) {
			n.Chains = append(n.Chains, chain)
		}
	}
	n.Methods, n.Events = valid(n.Methods, isAction), valid(n.Events, isAction)
	return n, n.check(name)
}

// valid returns the members of a list for which is returns true.
func valid(list []string, is func(string) bool) []string {
	return slices.DeleteFunc(append([]string{}, list...), func(one string) bool { return !is(one) })
}

// isChainOf reports whether chain is a chain of a namespace, which may itself be a chain.
func isChainOf(name, chain string) bool {
	family, _, inline := strings.Cut(name, ":")
	return IsChain(chain) && strings.HasPrefix(chain, family+":") && (!inline || chain == name)
}

// isAction reports whether text is the name of a method or event.
func isAction(text string) bool {
	return isWord(text, 1, maxMethod, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ./:")
}

// Check checks the size and syntax of namespaces. It returns ErrNamespaces.
func (n Namespaces) Check() error {
	if len(n) > maxNamespaces {
		return fmt.Errorf("%w: %d namespaces, limit %d", ErrNamespaces, len(n), maxNamespaces)
	}
	for _, name := range slices.Sorted(maps.Keys(n)) {
		if err := n[name].check(name); err != nil {
			return err
		}
	}
	return nil
}

func (n Namespace) check(name string) error {
	family, _, inline := strings.Cut(name, ":")
	if !isWord(family, 3, 8, "") || inline && !IsChain(name) {
		return fmt.Errorf("%w: %.40q is neither a namespace nor a chain", ErrNamespaces, name)
	}
	if len(n.Chains) > maxChains || len(n.Accounts) > maxAccounts || len(n.Methods) > maxMethods || len(n.Events) > maxMethods {
		return fmt.Errorf("%w: %s has more than %d chains, %d accounts, or %d methods or events", ErrNamespaces, name, maxChains, maxAccounts, maxMethods)
	}
	for _, chain := range n.Chains {
		if !isChainOf(name, chain) {
			return fmt.Errorf("%w: %.80q is not a chain of %s", ErrNamespaces, chain, name)
		}
	}
	for _, account := range n.Accounts {
		if chain, _, ok := SplitAccount(account); !ok || !slices.Contains(n.Chains, chain) {
			return fmt.Errorf("%w: %.200q is not an account of %s", ErrNamespaces, account, name)
		}
	}
	for _, list := range [][]string{n.Methods, n.Events} {
		for _, action := range list {
			if !isAction(action) {
				return fmt.Errorf("%w: %.80q is not the name of a method or event", ErrNamespaces, action)
			}
		}
	}
	return nil
}

// IsChain reports whether text is a CAIP-2 chain id.
func IsChain(text string) bool {
	family, reference, ok := strings.Cut(text, ":")
	return ok && isWord(family, 3, 8, "") && isWord(reference, 1, 32, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// SplitAccount splits a CAIP-10 account id into chain and address.
func SplitAccount(account string) (chain, address string, ok bool) {
	at := strings.LastIndexByte(account, ':')
	if at < 0 {
		return "", "", false
	}
	chain, address = account[:at], account[at+1:]
	return chain, address, IsChain(chain) && isWord(address, 1, 128, ".%ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// isWord reports whether text has min to max bytes, all of them lower-case letters, digits,
// hyphens or characters in more.
func isWord(text string, min, max int, more string) bool {
	if len(text) < min || len(text) > max {
		return false
	}
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && !strings.ContainsRune(more, r) {
			return false
		}
	}
	return true
}

// Accounts returns the addresses on a chain.
func (n Namespaces) Accounts(chain string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(n)) {
		for _, account := range n[name].Accounts {
			on, address, _ := SplitAccount(account)
			if on == chain && !slices.Contains(found, address) {
				found = append(found, address)
			}
		}
	}
	return found
}

// Allows checks that the session allows a method on a chain. It fails with ErrNotInSession, or
// with ErrNoChain if the chain is not allowed.
func (n Namespaces) Allows(chain, method string) error {
	found := false
	for _, namespace := range n {
		if !slices.Contains(namespace.Chains, chain) {
			continue
		}
		found = true
		if slices.Contains(namespace.Methods, method) {
			return nil
		}
	}
	if !found {
		return fmt.Errorf("%w: chain %.80q", ErrNoChain, chain)
	}
	return fmt.Errorf("%w: method %.80q on chain %s", ErrNotInSession, method, chain)
}

// AllowsEvent reports whether the wallet may send an event for a chain.
func (n Namespaces) AllowsEvent(chain, event string) bool {
	for _, of := range n {
		if slices.Contains(of.Chains, chain) && slices.Contains(of.Events, event) {
			return true
		}
	}
	return false
}

// ErrNotInSession means that the wallet did not allow a chain or method.
var ErrNotInSession = errors.New("the wallet did not allow this in the session")

// ErrNoChain is the ErrNotInSession for a chain that is not allowed.
var ErrNoChain = fmt.Errorf("%w", ErrNotInSession)

// Covers checks that n includes all required chains and methods. It fails with ErrNotInSession.
func (n Namespaces) Covers(required Namespaces) error {
	for _, name := range slices.Sorted(maps.Keys(required)) {
		chains := required[name].Chains
		if IsChain(name) {
			chains = []string{name}
		}
		for _, chain := range chains {
			if len(n.Accounts(chain)) == 0 {
				return fmt.Errorf("%w: chain %s has no account", ErrNoChain, chain)
			}
			for _, method := range required[name].Methods {
				if err := n.Allows(chain, method); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
