package activate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"obverse/core/key"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

// PolicyParams are the parameters with which a caller selects the key of a coin. Methods that
// activate coins embed them.
type PolicyParams struct {
	Policy     PrivKeyPolicy     `json:"priv_key_policy" rpc:"optional" doc:"policy that selects the key of the coin: its name, or an object with its type and data; by default ContextPrivKey, the node's own key"`
	Activation *ActivationPolicy `json:"activation_params" doc:"the policy if an external wallet signs; takes precedence over priv_key_policy, which must not contradict it; an object without a policy is rejected"`
}

// ActivationPolicy is the policy in activation_params, either in the member priv_key_policy or,
// as in Komodo DeFi Framework, in the members type and params. activation_params without a
// policy are refused, because a client that sends them does not want the node's own key.
type ActivationPolicy struct {
	Policy PrivKeyPolicy   `json:"priv_key_policy" rpc:"optional" doc:"the policy"`
	Type   PolicyType      `json:"type" rpc:"optional" doc:"name of the policy, as an alternative to priv_key_policy"`
	Params json.RawMessage `json:"params" rpc:"optional" doc:"the policy's data, with type"`
	Data   json.RawMessage `json:"data" rpc:"optional" doc:"same as params"`
	Topic  json.RawMessage `json:"session_topic" rpc:"optional" doc:"session topic, as an alternative to params"`
}

// Choose returns the selected policy, if there is a provider for its keys. The error is a
// *rpc.ParamError, which is answered like other InvalidRequest errors, or a PrivKeyNotAllowed.
func (p PolicyParams) Choose(providers key.Providers) (key.Policy, error) {
	policy, err := p.choice()
	if err != nil {
		return nil, err
	}
	if err := providers.Check(policy); err != nil {
		return nil, wire.KeyFailure(err)
	}
	return policy, nil
}

// errBothForms reports activation_params with both a priv_key_policy and a type.
var errBothForms = errors.New("activation_params name a policy twice: in priv_key_policy and in type")

// ErrLooseData reports data of a policy that is outside the policy.
var ErrLooseData = errors.New("the policy's data stand outside the policy")

// WantActivation describes the accepted forms of activation_params.
func WantActivation() string {
	return `the name of a policy, as {"type": NAME, "params": DATA} or {"priv_key_policy": NAME} or {"priv_key_policy": {"type": NAME, "data": DATA}}; NAME is one of ` +
		strings.Join(policyNames(), ", ")
}

// contradiction reports that priv_key_policy and activation_params select different policies.
type contradiction struct{ given, activation key.PolicyName }

func (c contradiction) Error() string {
	if c.given == c.activation {
		return fmt.Sprintf("priv_key_policy and activation_params name different wallets of policy %s", c.given)
	}
	return fmt.Sprintf("priv_key_policy is %s, but activation_params say %s", c.given, c.activation)
}

// choice returns the policy selected by the two parameters. The default policy agrees with any
// other, and so does the name of a policy if the other parameter has its data.
func (p PolicyParams) choice() (key.Policy, error) {
	given, data := p.Policy.policy, "priv_key_policy.data"
	chosen, err := p.Activation.choice()
	if err != nil {
		return nil, wire.Below("activation_params", err)
	}
	switch {
	case chosen == nil:
		chosen = given
	case given == nil, given.Name() == key.NameContextPrivKey, given == nameOnly(chosen.Name()):
		data = p.Activation.dataPath()
	case chosen == nameOnly(given.Name()):
		chosen = given
	case chosen != given:
		return nil, &rpc.ParamError{Path: "priv_key_policy", Want: "absent, or the same", Err: contradiction{given.Name(), chosen.Name()}}
	}
	switch chosen {
	case nil:
		return key.ContextPrivKey{}, nil
	case key.SessionWallet{}:
		return nil, &rpc.ParamError{Path: data, Want: WantTopic, Err: rpc.ErrMissing}
	case key.WithPubkey{}:
		return nil, &rpc.ParamError{Path: data + ".pubkey", Want: WantPubkey, Err: rpc.ErrMissing}
	}
	return chosen, nil
}

// dataPath returns the path at which the policy's data should be.
func (a *ActivationPolicy) dataPath() string {
	if a.Type != "" {
		return "activation_params.params"
	}
	return "activation_params.priv_key_policy.data"
}

// choice returns the selected policy, or nil if activation_params are absent.
func (a *ActivationPolicy) choice() (key.Policy, error) {
	if a == nil {
		return nil, nil
	}
	spread := map[string]json.RawMessage{"params": a.Params, "data": a.Data, "session_topic": a.Topic}
	switch {
	case a.Type != "" && a.Policy.policy != nil:
		return nil, &rpc.ParamError{Path: "type", Err: errBothForms}
	case a.Type != "":
		return withData(key.PolicyName(a.Type), spread)
	case a.Policy.policy == nil:
		return nil, &rpc.ParamError{Path: "type", Want: WantActivation(), Err: rpc.ErrMissing}
	}
	for _, name := range dataNames() {
		if rpc.KindOf(spread[name]) != rpc.KindNull {
			return nil, &rpc.ParamError{Path: name, Want: "inside priv_key_policy, or next to type", Err: ErrLooseData}
		}
	}
	return a.Policy.policy, nil
}

// PolicyType is the name of a policy. Komodo DeFi Framework's names are also accepted.
type PolicyType key.PolicyName

const wantPolicy = "the name of a policy"

// UnmarshalParam implements rpc.Unmarshaler.
func (t *PolicyType) UnmarshalParam(raw json.RawMessage) error {
	*t = ""
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	name, err := wire.Unquote(raw, wantPolicy)
	if err != nil {
		return err
	}
	names := policyNames()
	for _, known := range names {
		if name == known || synonyms(name) == known {
			*t = PolicyType(known)
			return nil
		}
	}
	return &rpc.ParamError{Want: wantPolicy, Got: "another string", Err: rpc.ErrVariant, Value: raw, Allowed: names}
}

// JSONSchema implements rpc.Described.
func (PolicyType) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "string", Enum: policyNames(), Description: wantPolicy}
}

func policyNames() (names []string) {
	for _, name := range key.PolicyNames() {
		names = append(names, string(name))
	}
	return names
}

// synonyms returns the policy name that corresponds to a name used by Komodo DeFi Framework.
func synonyms(name string) string {
	switch name {
	case "Trezor", "Ledger":
		return string(key.NameHardwareWallet)
	case "Metamask", "Keplr":
		return string(key.NameBrowserWallet)
	case "WalletConnect":
		return string(key.NameSessionWallet)
	}
	return ""
}

// PrivKeyPolicy is a policy, given as a name or as an object with a type and, for some
// policies, data (params in Komodo DeFi Framework). The zero value means that no policy is
// given.
type PrivKeyPolicy struct{ policy key.Policy }

// UnmarshalParam implements rpc.Unmarshaler.
func (p *PrivKeyPolicy) UnmarshalParam(raw json.RawMessage) error {
	p.policy = nil
	switch rpc.KindOf(raw) {
	case rpc.KindNull:
		return nil
	case rpc.KindString:
		var name PolicyType
		if err := name.UnmarshalParam(raw); err != nil {
			return err
		}
		p.policy = nameOnly(key.PolicyName(name))
		return nil
	}
	members, err := wire.Object(raw, wantPolicy+", or an object with its type and data", append(dataNames(), "type", "WalletConnect", "SessionWallet")...)
	if err != nil {
		return err
	}
	if members["type"] == nil {
		p.policy, err = parseTagged(members)
		return err
	}
	var name PolicyType
	if err := name.UnmarshalParam(members["type"]); err != nil {
		return wire.Below("type", err)
	}
	if name == "" {
		return &rpc.ParamError{Path: "type", Want: wantPolicy, Err: rpc.ErrMissing}
	}
	p.policy, err = withData(key.PolicyName(name), members)
	return err
}

// JSONSchema implements rpc.Described.
func (PrivKeyPolicy) JSONSchema() *rpc.Schema {
	name := PolicyType("").JSONSchema()
	return &rpc.Schema{
		Description: wantPolicy + ", or an object with its type and data",
		OneOf: []*rpc.Schema{name, {Type: "object", Required: []string{"type"}, Properties: rpc.Properties{
			{Name: "type", Schema: name},
			{Name: "data", Schema: &rpc.Schema{Description: "the session's topic for SessionWallet, " +
				"an object with pubkey and is_ledger_connection for WithPubkey, else absent"}},
		}}},
	}
}

// platformPolicy returns the policy that a token's request requires of its platform. Clients
// name the default policy for every token, so it does not count as a requirement.
func (p PrivKeyPolicy) platformPolicy() key.Policy {
	if p.policy == (key.ContextPrivKey{}) {
		return nil
	}
	return p.policy
}

// nameOnly returns the policy with a name, without data.
func nameOnly(name key.PolicyName) key.Policy {
	switch name {
	case key.NameHardwareWallet:
		return key.HardwareWallet{}
	case key.NameBrowserWallet:
		return key.BrowserWallet{}
	case key.NameSessionWallet:
		return key.SessionWallet{}
	case key.NameWithPubkey:
		return key.WithPubkey{}
	}
	return key.ContextPrivKey{}
}
