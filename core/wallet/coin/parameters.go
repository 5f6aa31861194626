package coin

import "encoding/json"

// Parameters is the data of a protocol that this project works with: one of the
// structs below.
type Parameters interface{ Type() ProtocolType }

// Cosmos is a chain of the Cosmos family.
type Cosmos struct {
	Decimals          uint8
	Denom             string            // of the smallest unit, uatom
	AccountPrefix     string            // of bech32 addresses, cosmos
	ChainID           string            // cosmoshub-4
	ChainRegistryName string            // "" when absent
	GasPrice          json.Number       // in Denom; "" when absent
	IBCChannels       map[string]uint64 // account prefix of the other chain → number of the channel to it
}

// Type implements Parameters.
func (Cosmos) Type() ProtocolType { return TypeTendermint }

// CosmosToken is an asset on a Tendermint chain.
type CosmosToken struct {
	Platform string // ticker
	Decimals uint8
	Denom    string // ibc/…
}

// Type implements Parameters.
func (CosmosToken) Type() ProtocolType { return TypeTendermintToken }

// ETH is an EVM network.
type ETH struct{ ChainID uint64 }

// Type implements Parameters.
func (ETH) Type() ProtocolType { return TypeETH }

// ERC20 is a token on an EVM network.
type ERC20 struct {
	Platform        string // ticker
	ContractAddress string
}

// Type implements Parameters.
func (ERC20) Type() ProtocolType { return TypeERC20 }

// NFT is all non-fungible tokens on an EVM network.
type NFT struct {
	Platform string // ticker
}

// Type implements Parameters.
func (NFT) Type() ProtocolType { return TypeNFT }

// Lightning is a Lightning network over a coin.
type Lightning struct {
	Platform string // ticker
	Network  string // mainnet, testnet or regtest
	Targets  ConfirmationTargets
}

// ConfirmationTargets are in how many blocks transactions of each urgency should
// confirm.
type ConfirmationTargets struct{ Background, Normal, HighPriority uint32 }

// Type implements Parameters.
func (Lightning) Type() ProtocolType { return TypeLightning }

// readers read the data of the types that have Parameters.
var readers = map[ProtocolType]func(*object) Parameters{
	TypeTendermint: func(o *object) Parameters {
		return Cosmos{
			Decimals: uint8(o.uint("decimals", 8)), Denom: o.text("denom"), AccountPrefix: o.text("account_prefix"),
			ChainID: o.text("chain_id"), ChainRegistryName: o.optionalText("chain_registry_name"),
			GasPrice: o.optionalNumber("gas_price"), IBCChannels: o.optionalUints("ibc_channels"),
		}
	},
	TypeTendermintToken: func(o *object) Parameters {
		return CosmosToken{Platform: o.text("platform"), Decimals: uint8(o.uint("decimals", 8)), Denom: o.text("denom")}
	},
	TypeETH: func(o *object) Parameters { return ETH{ChainID: o.uint("chain_id", 64)} },
	TypeERC20: func(o *object) Parameters {
		return ERC20{Platform: o.text("platform"), ContractAddress: o.text("contract_address")}
	},
	TypeNFT: func(o *object) Parameters { return NFT{Platform: o.text("platform")} },
	TypeLightning: func(o *object) Parameters {
		l := Lightning{Platform: o.text("platform"), Network: o.variant("network", "mainnet", "testnet", "regtest")}
		raw, ok := o.member("confirmation_targets")
		if !ok {
			return l
		}
		targets := newObject(raw, "confirmation targets")
		l.Targets = ConfirmationTargets{
			Background: uint32(targets.uint("background", 32)), Normal: uint32(targets.uint("normal", 32)),
			HighPriority: uint32(targets.uint("high_priority", 32)),
		}
		if targets.err != nil {
			o.fail("%w", targets.err)
		}
		return l
	},
}
