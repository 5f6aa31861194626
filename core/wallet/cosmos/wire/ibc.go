package wire

// Paths of queries about IBC channels and clients. The node answers with code 22 of codespace sdk
// if the object does not exist.
const (
	PathChannel       = "/ibc.core.channel.v1.Query/Channel"
	PathChannelClient = "/ibc.core.channel.v1.Query/ChannelClientState"
	PathClientStatus  = "/ibc.core.client.v1.Query/ClientStatus"
	PathDenomTrace    = "/ibc.applications.transfer.v1.Query/DenomTrace"
)

// MsgTransfer transfers a coin to another chain over a channel. It times out at the height or time
// of the other chain, whichever is set and comes first.
type MsgTransfer struct {
	SourcePort       string `json:"source_port"`    // "transfer"
	SourceChannel    string `json:"source_channel"` // "channel-12"
	Token            Coin   `json:"token"`
	Sender           string `json:"sender"`
	Receiver         string `json:"receiver"`                           // an address of the other chain
	TimeoutHeight    Height `json:"timeout_height"`                     // zero means none
	TimeoutTimestamp uint64 `json:"timeout_timestamp,string,omitempty"` // in nanoseconds of Unix time; 0 means none
	Memo             string `json:"memo,omitempty"`                     // older chains reject transfers with a memo
}

// TypeURL implements Named.
func (*MsgTransfer) TypeURL() string { return "/ibc.applications.transfer.v1.MsgTransfer" }

// Height identifies a block. The revision of a chain that restarted at block 1 is the number at the
// end of its id, as in "osmosis-1".
type Height struct {
	Revision uint64 `json:"revision_number,string,omitempty"`
	Block    uint64 `json:"revision_height,string,omitempty"`
}

// ChannelRequest requests a channel, or its client.
type ChannelRequest struct{ Port, Channel string } // "transfer", "channel-12"

// ChannelResponse is the response of PathChannel.
type ChannelResponse struct{ Channel Channel }

// ChannelState is the state of a channel.
type ChannelState int32

// States of a channel. Only an open channel transfers packets.
const (
	ChannelInit    ChannelState = 1
	ChannelTryOpen ChannelState = 2
	ChannelOpen    ChannelState = 3
	ChannelClosed  ChannelState = 4
)

// Channel is a channel to another chain.
type Channel struct {
	State        ChannelState
	Ordering     int32          // 1 means unordered, 2 ordered
	Counterparty ChannelRequest // port and channel on the other chain
	Connections  []string
	Version      string // "ics20-1"
}

// ChannelClientResponse is the response of PathChannelClient.
type ChannelClientResponse struct{ Client IdentifiedClient }

// IdentifiedClient is a light client of another chain, with its id on this one.
type IdentifiedClient struct {
	ID    string // "07-tendermint-12"
	State Any    // a ClientState if the other chain uses Tendermint
}

// ClientState is the part of the state of a light client for a Tendermint chain that a wallet uses.
// It omits the parameters of verification, so it must not be sent to a chain.
type ClientState struct {
	ChainID        string   // id of the other chain
	TrustingPeriod Duration `wire:"3"`
	FrozenHeight   Height   `wire:"6"` // zero means not frozen
	LatestHeight   Height   // height of its newest header
}

// TypeURL implements Named.
func (*ClientState) TypeURL() string { return "/ibc.lightclients.tendermint.v1.ClientState" }

// Duration is protobuf's Duration.
type Duration struct {
	Seconds int64
	Nanos   int32
}

// ClientStatusRequest requests the status of a client.
type ClientStatusRequest struct{ ClientID string }

// States of a client. A transfer needs an active one.
const (
	ClientActive  = "Active"
	ClientExpired = "Expired" // it was not updated in time
	ClientFrozen  = "Frozen"  // it received conflicting headers of the other chain
)

// ClientStatusResponse is the response.
type ClientStatusResponse struct{ Status string } // ClientActive, …

// DenomTraceRequest requests the origin of an IBC denom.
type DenomTraceRequest struct{ Hash string } // "27394FB0…" of "ibc/27394FB0…"

// DenomTraceResponse is the response.
type DenomTraceResponse struct{ Trace DenomTrace }

// DenomTrace is the origin of an IBC denom.
type DenomTrace struct {
	Path string // "transfer/channel-0": ports and channels on this chain, the last hop first
	Base string // the denom on the original chain, "uatom"
}
