package activate

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"obverse/core/key"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

var (
	errNoData   = errors.New("the policy takes no data")
	errTopic    = errors.New("not a session's topic")
	errPubType  = errors.New("Missing field 'type'.")
	errPubValue = errors.New("Missing field 'value'.")
)

// parsePolicy parses the data of a policy. PolicyParams.Choose reports missing data.
func parsePolicy(name key.PolicyName, data json.RawMessage) (key.Policy, error) {
	if rpc.KindOf(data) == rpc.KindNull {
		return nameOnly(name), nil
	}
	switch name {
	case key.NameSessionWallet:
		return parseSession(data)
	case key.NameWithPubkey:
		return parsePubkey(data)
	}
	return nil, &rpc.ParamError{Want: "absent", Got: rpc.KindOf(data), Err: errNoData}
}

// dataNames returns the names of the members that may contain a policy's data.
func dataNames() []string { return []string{"data", "params", "session_topic"} }

// withData parses the data of a policy, which may be in one of several members next to its
// name.
func withData(name key.PolicyName, members map[string]json.RawMessage) (key.Policy, error) {
	at := ""
	for _, place := range dataNames() {
		switch {
		case rpc.KindOf(members[place]) == rpc.KindNull:
		case at != "":
			return nil, &rpc.ParamError{Path: place, Err: rpc.ErrDuplicate}
		default:
			at = place
		}
	}
	policy, err := parsePolicy(name, members[at])
	return policy, wire.Below(at, err)
}

// parseTagged parses {"WalletConnect": {"session_topic"}}, the form that Komodo DeFi Framework
// uses for UTXO coins.
func parseTagged(members map[string]json.RawMessage) (key.Policy, error) {
	for _, tag := range []string{"WalletConnect", string(key.NameSessionWallet)} {
		if members[tag] == nil {
			continue
		}
		if len(members) > 1 {
			return nil, &rpc.ParamError{Path: tag, Want: "alone in its object", Err: ErrLooseData}
		}
		policy, err := parseSession(members[tag])
		return policy, wire.Below(tag, err)
	}
	return nil, &rpc.ParamError{Path: "type", Want: wantPolicy, Err: rpc.ErrMissing}
}

// maxTopic exceeds the length of a topic, which has 64 hexadecimal digits.
const (
	maxTopic  = 256
	WantTopic = "the topic of a session, 1 to 256 bytes"
)

// parseSession parses "topic", or Komodo DeFi Framework's {"session_topic":"topic"}.
func parseSession(data json.RawMessage) (key.Policy, error) {
	at := ""
	if rpc.KindOf(data) == rpc.KindObject {
		at = "session_topic"
		members, err := wire.Object(data, WantTopic, at)
		if err != nil {
			return nil, err
		}
		if data = members[at]; data == nil {
			return nil, &rpc.ParamError{Path: at, Want: WantTopic, Err: rpc.ErrMissing}
		}
	}
	topic, err := wire.Unquote(data, WantTopic)
	if err == nil && (topic == "" || len(topic) > maxTopic) {
		err = &rpc.ParamError{Want: WantTopic, Got: "another string", Err: errTopic}
	}
	if err != nil {
		return nil, wire.Below(at, err)
	}
	return key.SessionWallet{Topic: topic}, nil
}

// parsePubkey parses {"pubkey":{"type","value"},"is_ledger_connection"}.
func parsePubkey(data json.RawMessage) (key.Policy, error) {
	members, err := wire.Object(data, wantKeyData, "pubkey", "is_ledger_connection")
	if err != nil {
		return nil, err
	}
	if members["pubkey"] == nil {
		return nil, &rpc.ParamError{Path: "pubkey", Want: WantPubkey, Err: rpc.ErrMissing}
	}
	var policy key.WithPubkey
	if policy.Key, err = parseExternalKey(members["pubkey"]); err != nil {
		return nil, wire.Below("pubkey", err)
	}
	ledger := members["is_ledger_connection"]
	switch rpc.KindOf(ledger) {
	case rpc.KindBool:
		policy.Ledger = strings.TrimSpace(string(ledger)) == "true"
	case rpc.KindNull:
	default:
		return nil, &rpc.ParamError{Path: "is_ledger_connection", Want: "true or false", Got: rpc.KindOf(ledger), Err: rpc.ErrType, Value: ledger}
	}
	return policy, nil
}

const (
	wantKeyData = "an object with a pubkey"
	WantPubkey  = "an object with type ed25519, secp256k1 or account_id and the key's bytes as value"
	WantBytes   = "the bytes of the public key as an array of numbers: 32 of ed25519, 33 of secp256k1, or the 20 of an address for account_id"
)

// parseExternalKey parses a public key. The order of its checks, and its texts, come from
// Komodo DeFi Framework.
func parseExternalKey(raw json.RawMessage) (key.ExternalKey, error) {
	members, err := wire.Object(raw, WantPubkey, "type", "value")
	if err != nil {
		return key.ExternalKey{}, err
	}
	algorithm, err := wire.Unquote(members["type"], WantPubkey)
	if err != nil {
		return key.ExternalKey{}, &rpc.ParamError{Path: "type", Want: "ed25519, secp256k1 or account_id", Err: errPubType}
	}
	if _, err := key.NewExternalKey(key.Algorithm(algorithm), nil); errors.Is(err, key.ErrAlgorithm) {
		return key.ExternalKey{}, &rpc.ParamError{Path: "type", Err: key.ErrAlgorithm}
	}
	if members["value"] == nil {
		return key.ExternalKey{}, &rpc.ParamError{Path: "value", Want: WantBytes, Err: errPubValue}
	}
	public, err := key.NewExternalKey(key.Algorithm(algorithm), byteArray(members["value"]))
	if err != nil {
		return key.ExternalKey{}, &rpc.ParamError{Path: "value", Want: WantBytes, Err: err}
	}
	return public, nil
}

// byteArray parses an array such as [1,2,255]. It returns nil for anything else, and for an
// array longer than a key.
func byteArray(raw json.RawMessage) (all []byte) {
	if rpc.KindOf(raw) != rpc.KindArray {
		return nil
	}
	for item := range rpc.Items(raw) {
		n, err := strconv.ParseUint(strings.TrimSpace(string(item)), 10, 8)
		if err != nil || len(all) > 64 {
			return nil
		}
		all = append(all, byte(n))
	}
	return all
}
