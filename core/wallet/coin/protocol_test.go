package coin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func entryOf(t testing.TB, raw string) *Entry {
	t.Helper()
	e, err := ParseEntry([]byte(raw))
	require.NoError(t, err)
	return e
}

func TestProtocolParameters(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		want        Parameters
	}{
		{"Tendermint, everything", `{"coin":"IRIS","protocol":{"protocol_data":{"decimals":6,"denom":"uiris","account_prefix":"iaa","chain_id":"irishub-1",
			"chain_registry_name":"irishub","gas_price":0.50,"ibc_channels":{"cosmos":0,"osmo":75755},"more":[]},"type":"TENDERMINT"}}`,
			Cosmos{Decimals: 6, Denom: "uiris", AccountPrefix: "iaa", ChainID: "irishub-1", ChainRegistryName: "irishub",
				GasPrice: "0.50", IBCChannels: map[string]uint64{"cosmos": 0, "osmo": 75755}}},
		{"Tendermint, the least", `{"coin":"X","protocol":{"type":"TENDERMINT","protocol_data":{"decimals":0,"denom":"u","account_prefix":"x","chain_id":"x-1","gas_price":null}}}`,
			Cosmos{Denom: "u", AccountPrefix: "x", ChainID: "x-1"}},
		{"Tendermint token", `{"coin":"A-IBC_B","protocol":{"type":"TENDERMINTTOKEN","protocol_data":{"platform":"B","decimals":18,"denom":"ibc/00"}}}`,
			CosmosToken{Platform: "B", Decimals: 18, Denom: "ibc/00"}},
		{"ETH", `{"coin":"ETH","chain_id":5,"protocol":{"type":"ETH","protocol_data":{"chain_id":1}}}`, ETH{ChainID: 1}},
		{"ETH as it was", `{"coin":"ETH","chain_id":5,"protocol":{"type":"ETH"}}`, ETH{ChainID: 5}},
		{"ERC20", `{"coin":"T","protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"0x0"}}}`,
			ERC20{Platform: "ETH", ContractAddress: "0x0"}},
		{"NFT", `{"coin":"NFT_ETH","protocol":{"type":"NFT","protocol_data":{"platform":"ETH"}}}`, NFT{Platform: "ETH"}},
		{"Lightning", `{"coin":"B-lightning","protocol":{"type":"LIGHTNING","protocol_data":{"platform":"B","network":"regtest",
			"confirmation_targets":{"background":12,"normal":6,"high_priority":1}}}}`,
			Lightning{Platform: "B", Network: "regtest", Targets: ConfirmationTargets{12, 6, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := entryOf(t, c.entry).Protocol()
			require.NoError(t, err)
			require.Equal(t, c.want, p.Parameters)
			require.Equal(t, c.want.Type(), p.Type)
		})
	}
}

func TestProtocolNames(t *testing.T) {
	for _, name := range ProtocolTypes() {
		if _, read := readers[name]; read {
			continue
		}
		p, err := entryOf(t, `{"coin":"X","protocol":{"type":"`+string(name)+`","protocol_data":{"a":[1.0]},"b":2}}`).Protocol()
		require.NoError(t, err)
		require.Equal(t, Protocol{Type: name, Data: json.RawMessage(`{"a":[1.0]}`)}, p)
		got, err := json.Marshal(p)
		require.NoError(t, err)
		require.Equal(t, `{"type":"`+string(name)+`","protocol_data":{"a":[1.0]}}`, string(got))
	}
}

func TestProtocolParseErrors(t *testing.T) {
	cosmos := func(data string) string { return `{"type":"TENDERMINT","protocol_data":` + data + `}` }
	for _, c := range []struct{ name, protocol, reason string }{
		{"null", `null`, "invalid type: null, expected adjacently tagged enum CoinProtocol"},
		{"text", `"ETH"`, `invalid type: string "ETH", expected adjacently tagged enum CoinProtocol`},
		{"number", `5`, "invalid type: integer `5`, expected adjacently tagged enum CoinProtocol"},
		{"list", `["ETH"]`, "invalid type: sequence, expected adjacently tagged enum CoinProtocol"},
		{"no type", `{"protocol_data":{}}`, "missing field `type`"},
		{"type is a number", `{"type":5}`, "invalid type: integer `5`, expected a string"},
		{"unknown type", `{"type":"WOOF","protocol_data":{}}`, "unknown variant `WOOF`, expected one of `UTXO`, `QTUM`, `QRC20`, `ETH`, `ERC20`, " +
			"`SLPTOKEN`, `BCH`, `TENDERMINT`, `TENDERMINTTOKEN`, `LIGHTNING`, `SOLANA`, `SPLTOKEN`, `ZHTLC`, `NFT`, `TRX`, `SIA`"},
		{"type in lower case", `{"type":"eth","protocol_data":{"chain_id":1}}`, "unknown variant `eth`, expected one of `UTXO`, "},
		{"no data", `{"type":"ERC20"}`, "missing field `protocol_data`"},
		{"no data, and no chain id for ETH", `{"type":"ETH","protocol_data":null}`, "missing field `protocol_data`"},
		{"data is a list", `{"type":"ERC20","protocol_data":[]}`, "invalid type: sequence, expected struct variant CoinProtocol::ERC20"},
		{"no chain id", `{"type":"ETH","protocol_data":{}}`, "missing field `chain_id`"},
		{"no contract", `{"type":"ERC20","protocol_data":{"platform":"ETH"}}`, "missing field `contract_address`"},
		{"platform is null", `{"type":"NFT","protocol_data":{"platform":null}}`, "invalid type: null, expected a string"},
		{"no denom", cosmos(`{"decimals":6}`), "missing field `denom`"},
		{"decimals is a text", cosmos(`{"decimals":"6"}`), `invalid type: string "6", expected u8`},
		{"decimals too high", cosmos(`{"decimals":256}`), "invalid value: integer `256`, expected u8"},
		{"decimals below zero", cosmos(`{"decimals":-1}`), "invalid value: integer `-1`, expected u8"},
		{"decimals with a point", cosmos(`{"decimals":6.0}`), "invalid type: floating point `6.0`, expected u8"},
		{"gas price is a text", cosmos(`{"decimals":6,"denom":"u","account_prefix":"x","chain_id":"x","gas_price":"0.5"}`), `invalid type: string "0.5", expected f64`},
		{"gas price without end", cosmos(`{"decimals":6,"denom":"u","account_prefix":"x","chain_id":"x","gas_price":1e999999999}`), "invalid value: floating point `1e999999999`"},
		{"gas price below zero", cosmos(`{"decimals":6,"denom":"u","account_prefix":"x","chain_id":"x","gas_price":-1}`), "invalid value: integer `-1`"},
		{"channels are a list", cosmos(`{"decimals":6,"denom":"u","account_prefix":"x","chain_id":"x","ibc_channels":[1]}`), "invalid type: sequence, expected a map"},
		{"channels are texts", cosmos(`{"decimals":6,"denom":"u","account_prefix":"x","chain_id":"x","ibc_channels":{"b":{},"a":"channel-1"}}`), `invalid type: string "channel-1", expected u64`},
		{"unknown network", `{"type":"LIGHTNING","protocol_data":{"platform":"B","network":"moon"}}`, "unknown variant `moon`, expected one of `mainnet`, `testnet`, `regtest`"},
		{"no targets", `{"type":"LIGHTNING","protocol_data":{"platform":"B","network":"testnet"}}`, "missing field `confirmation_targets`"},
		{"half the targets", `{"type":"LIGHTNING","protocol_data":{"platform":"B","network":"testnet","confirmation_targets":{"background":1}}}`, "missing field `normal`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := entryOf(t, `{"coin":"X","protocol":`+c.protocol+`}`)
			_, err := e.Protocol()
			parse := new(ParseError)
			require.ErrorAs(t, err, &parse)
			require.Equal(t, "X", parse.Ticker)
			require.True(t, strings.HasPrefix(parse.Reason, c.reason), "%s\n%s", parse.Reason, c.reason)
			_, err = As[ETH](e)
			require.ErrorAs(t, err, &parse)
		})
	}
	_, err := entryOf(t, `{"coin":"X"}`).Protocol()
	require.ErrorContains(t, err, "invalid type: null, expected adjacently tagged enum CoinProtocol")
}

func TestAs(t *testing.T) {
	e := entryOf(t, `{"coin":"KMD","protocol":{"type":"UTXO","chain_variant":"x"}}`)
	_, err := As[CosmosToken](e)
	unexpected := new(UnexpectedError)
	require.ErrorAs(t, err, &unexpected)
	require.Equal(t, &UnexpectedError{Ticker: "KMD", Protocol: Protocol{Type: TypeUTXO}}, unexpected)

	e = entryOf(t, `{"coin":"NFT_ETH","protocol":{"type":"NFT","protocol_data":{"platform":"ETH","x":1}}}`)
	nft, err := As[NFT](e)
	require.NoError(t, err)
	require.Equal(t, NFT{Platform: "ETH"}, nft)
	_, err = As[ERC20](e)
	require.ErrorAs(t, err, &unexpected)
	require.Equal(t, `{"platform":"ETH","x":1}`, string(unexpected.Protocol.Data))
}
