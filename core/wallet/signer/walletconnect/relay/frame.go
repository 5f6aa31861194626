package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"obverse/core/text"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// Methods of the relay.
const (
	methodPublish     = "irn_publish"
	methodPropose     = "wc_proposeSession"
	methodSubscribe   = "irn_batchSubscribe"
	methodUnsubscribe = "irn_batchUnsubscribe"
	methodFetch       = "irn_batchFetchMessages"
	methodPush        = "irn_subscription"
)

// maxFrame limits the size of a frame from the relay, in bytes.
const maxFrame = 4 << 20

// errFrame means that the relay sent a frame that is not JSON-RPC.
var errFrame = errors.New("invalid JSON-RPC message")

// RefusedError is an error response of the relay.
type RefusedError struct {
	Code int64
	Text string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the relay refused the request with code %d: %s", e.Code, e.Text)
}

// unknownMethod reports whether the relay does not support a method.
func unknownMethod(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused) && (refused.Code == -32601 || refused.Code == -32600)
}

// frame is a JSON-RPC message from the relay: a request or a response.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    json.Number     `json:"code"`
		Message json.RawMessage `json:"message"`
	} `json:"error"`
}

// answer is the relay's response to a request.
type answer struct {
	result json.RawMessage
	err    error
}

// pushed is a message forwarded by the relay. ID is for confirming it; nil means that it needs
// no confirmation.
type pushed struct {
	id json.RawMessage
	Delivery
}

// Delivery is a message on a topic.
type Delivery struct {
	Topic string `json:"topic"`
	Text  string `json:"message"` // the envelope
}

// maxID limits the size of an id that is returned to the relay, in bytes.
const maxID = 32

// decodeFrame decodes a frame. It returns a response with the id of its request, or a forwarded
// message. Both are nil if the frame is neither.
func decodeFrame(raw []byte) (id uint64, a *answer, p *pushed, err error) {
	var f frame
	if err := json.Unmarshal(raw, &f); err != nil {
		return 0, nil, nil, errFrame
	}
	if f.Method != "" {
		p, err := decodePush(f)
		return 0, nil, p, err
	}
	if id, err = wire.ParseID(f.ID); err != nil {
		return 0, nil, nil, nil // an error response with a null id, to an unreadable request
	}
	if f.Error != nil {
		var reason string
		_ = json.Unmarshal(f.Error.Message, &reason)
		code, _ := f.Error.Code.Int64()
		return id, &answer{err: &RefusedError{code, text.Line(reason, 200)}}, nil, nil
	}
	return id, &answer{result: f.Result}, nil, nil
}

func decodePush(f frame) (*pushed, error) {
	var params struct {
		Data Delivery `json:"data"`
	}
	if f.Method != methodPush {
		return nil, nil
	}
	if json.Unmarshal(f.Params, &params) != nil {
		return nil, errFrame
	}
	id := bytes.TrimSpace(f.ID)
	if _, err := wire.ParseID(id); err != nil || len(id) > maxID {
		return nil, errFrame
	}
	return &pushed{id, params.Data}, nil
}

func encodeRequest(id uint64, method string, params any) ([]byte, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		ID      json.RawMessage `json:"id"`
		Version string          `json:"jsonrpc"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}{json.RawMessage(strconv.FormatUint(id, 10)), "2.0", method, raw})
}

func encodeConfirmation(id json.RawMessage) []byte {
	return []byte(`{"id":` + string(id) + `,"jsonrpc":"2.0","result":true}`)
}
