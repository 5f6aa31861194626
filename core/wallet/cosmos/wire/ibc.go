package wire

// Paths of queries about the ways to other chains. What is not there is answered with
// code 22 of codespace sdk.
const (
	PathChannel       = "/ibc.core.channel.v1.Query/Channel"
	PathChannelClient = "/ibc.core.channel.v1.Query/ChannelClientState"
	PathClientStatus  = "/ibc.core.client.v1.Query/ClientStatus"
	PathDenomTrace    = "/ibc.applications.transfer.v1.Query/DenomTrace"
)

// MsgTransfer moves a coin to another chain over a channel. It times out at the height
// or at the time, whichever is set and comes first, both of the other chain.
type MsgTransfer struct {
	SourcePort       string `json:"source_port"`    // "transfer"
	SourceChannel    string `json:"source_channel"` // "channel-12"
	Token            Coin   `json:"token"`
	Sender           string `json:"sender"`
	Receiver         string `json:"receiver"`                           // an address of the other chain
	TimeoutHeight    Height `json:"timeout_height"`                     // zero: none
	TimeoutTimestamp uint64 `json:"timeout_timestamp,string,omitempty"` // nanoseconds of Unix time; 0: none
	Memo             string `json:"memo,omitempty"`                     // older chains refuse a transfer that has one
}

// TypeURL implements Named.
func (*MsgTransfer) TypeURL() string { return "/ibc.applications.transfer.v1.MsgTransfer" }

// Height is a block. Chains that begin again with block 1 count their revisions: it is
// the number at the end of "osmosis-1".
type Height struct {
	Revision uint64 `json:"revision_number,string,omitempty"`
	Block    uint64 `json:"revision_height,string,omitempty"`
}

// ChannelRequest asks for a channel, or for the client that it goes by.
type ChannelRequest struct{ Port, Channel string } // "transfer", "channel-12"

// ChannelResponse answers PathChannel.
type ChannelResponse struct{ Channel Channel }

// ChannelState is what has become of a channel.
type ChannelState int32

// States of a channel. Packets go over an open one only.
const (
	ChannelInit    ChannelState = 1
	ChannelTryOpen ChannelState = 2
	ChannelOpen    ChannelState = 3
	ChannelClosed  ChannelState = 4
)

// Channel is a way to another chain.
type Channel struct {
	State        ChannelState
	Ordering     int32          // 1: packets may overtake each other; 2: they keep their order
	Counterparty ChannelRequest // port and channel on the other chain
	Connections  []string
	Version      string // "ics20-1"
}

// ChannelClientResponse answers PathChannelClient.
type ChannelClientResponse struct{ Client IdentifiedClient }

// IdentifiedClient is a light client of another chain, with its id on this one.
type IdentifiedClient struct {
	ID    string // "07-tendermint-12"
	State Any    // a ClientState where the other chain is one of Tendermint's
}

// ClientState is what a light client of a Tendermint chain knows, as far as a wallet can
// use it. How it verifies is left out, so this one is not written back to a chain.
type ClientState struct {
	ChainID        string   // of the other chain
	TrustingPeriod Duration `wire:"3"`
	FrozenHeight   Height   `wire:"6"` // zero: it is not frozen
	LatestHeight   Height   // of the newest header that it knows
}

// TypeURL implements Named.
func (*ClientState) TypeURL() string { return "/ibc.lightclients.tendermint.v1.ClientState" }

// Duration is protobuf's.
type Duration struct {
	Seconds int64
	Nanos   int32
}

// ClientStatusRequest asks whether a client still works.
type ClientStatusRequest struct{ ClientID string }

// States of a client. Nothing can be sent by one that is not active.
const (
	ClientActive  = "Active"
	ClientExpired = "Expired" // nobody told it of the other chain in time
	ClientFrozen  = "Frozen"  // it saw the other chain contradict itself
)

// ClientStatusResponse answers it.
type ClientStatusResponse struct{ Status string } // ClientActive, …

// DenomTraceRequest asks where a voucher came from.
type DenomTraceRequest struct{ Hash string } // "27394FB0…" of "ibc/27394FB0…"

// DenomTraceResponse answers it.
type DenomTraceResponse struct{ Trace DenomTrace }

// DenomTrace is the way that a voucher came.
type DenomTrace struct {
	Path string // "transfer/channel-0": ports and channels on this chain, the last hop first
	Base string // the denom where it began, "uatom"
}
