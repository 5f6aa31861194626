package wire

import (
	"errors"
	"fmt"
)

// Any is a message with its name.
type Any struct {
	TypeURL string // "/cosmos.bank.v1beta1.MsgSend"; "": there is no message
	Value   []byte
}

// Named is a Message that can be put into an Any.
type Named interface{ TypeURL() string }

// Pack puts a message into an Any.
func Pack(m Named) Any { return Any{m.TypeURL(), Encode(m)} }

// ErrUnknownType says that an Any holds a message that is none of this package.
var ErrUnknownType = errors.New("unknown type of message")

// Unpack reads the message in an Any: *MsgSend, *MsgMultiSend, *MsgTransfer, *MsgDelegate,
// *MsgUndelegate, *MsgBeginRedelegate, *MsgWithdrawDelegatorReward, *MsgExecuteContract,
// *PubKey, *BaseAccount or *ClientState. Its errors are ErrUnknownType and those of Decode.
func (a Any) Unpack() (Named, error) {
	m := a.message()
	if m == nil {
		return nil, fmt.Errorf("%w: %.100q", ErrUnknownType, a.TypeURL)
	}
	if err := Decode(a.Value, m); err != nil {
		return nil, fmt.Errorf("%s: %w", a.TypeURL, err)
	}
	return m, nil
}

// message makes the message that the name promises, or nil.
func (a Any) message() Named {
	for _, m := range [...]Named{&MsgSend{}, &MsgMultiSend{}, &MsgTransfer{}, &MsgDelegate{}, &MsgUndelegate{}, &MsgBeginRedelegate{},
		&MsgWithdrawDelegatorReward{}, &MsgExecuteContract{}, &PubKey{}, &BaseAccount{}, &ClientState{}} {
		if m.TypeURL() == a.TypeURL {
			return m
		}
	}
	return nil
}
