package tx

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/wire"
)

const (
	transferPort = "transfer"
	// travelTime is the timeout of a transfer to another chain, after which it is refunded.
	travelTime = 15 * time.Minute
)

func channelID(number uint64) string { return "channel-" + strconv.FormatUint(number, 10) }

// arriveBy returns the timeout of a transfer. It uses the later of the chain's clock and the
// local clock, since a late timeout only delays the refund.
func arriveBy(now time.Time, newest Block) time.Time {
	if newest.Time.After(now) {
		now = newest.Time
	}
	return now.Add(travelTime)
}

// checkChannel checks that transfers over a channel can arrive.
func (w *Wallet) checkChannel(ctx context.Context, number uint64) error {
	id := channelID(number)
	channel, err := w.Node.Channel(ctx, id)
	if errors.Is(err, ErrNoChannel) {
		return &coin.ChannelError{Channel: number, Missing: true}
	}
	if err != nil {
		return err
	}
	client, err := w.Node.ChannelClient(ctx, id)
	if err != nil {
		return err
	}
	other := "another chain"
	var state wire.ClientState
	if wire.Decode(client.State.Value, &state) == nil && client.State.TypeURL == state.TypeURL() && state.ChainID != "" {
		other = state.ChainID
	}
	way := fmt.Sprintf("from %s to %s", w.Chain.ID, other)
	if channel.State != wire.ChannelOpen {
		return &coin.ChannelError{Channel: number, Reason: "the channel " + way + " is " + stateName(channel.State)}
	}
	status, err := w.Node.ClientStatus(ctx, client.ID)
	if err != nil {
		return err
	}
	switch status {
	case "", wire.ClientActive:
		return nil
	case wire.ClientExpired:
		return unhealthy(number, client.ID, "has expired: no update from %s about %s in time", w.Chain.ID, other)
	case wire.ClientFrozen:
		return unhealthy(number, client.ID, "is frozen: %s saw %s contradict itself", w.Chain.ID, other)
	}
	return unhealthy(number, client.ID, "of the channel %s is %.40q", way, status)
}

func unhealthy(number uint64, client, why string, names ...any) error {
	return &coin.ChannelError{Channel: number, Reason: "its client " + client + " " + fmt.Sprintf(why, names...)}
}

func stateName(s wire.ChannelState) string {
	switch s {
	case wire.ChannelInit, wire.ChannelTryOpen:
		return "not open yet"
	case wire.ChannelClosed:
		return "closed"
	}
	return "not open"
}
